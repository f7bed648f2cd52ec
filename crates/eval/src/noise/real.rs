//! Estimate that accompanies a ciphertext of CKKS from step to step: bound, scale, noise and worst case of its slots.

use crate::advice::Advice;
use crate::claims::Claims;
use crate::noise::{self, Noise};
use crate::plan::{Deviation, Plan, Shape};
use crate::Error;
use isopod_seal::Parameters;
use isopod_wire::{Decoding, Layout};

/// Share of the noise that the rounding of a voluntary rescale may add, as a variance.
const TOLERANCE: f64 = 0.25;

/// Bound and noise of a ciphertext. Noise and bias are those of the scaled values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Real<'set> {
    parameters: &'set Parameters,
    pub primes: usize,
    pub scale: f64,
    /// Bound on |value| in every slot.
    pub bound: f64,
    pub noise: Noise,
    /// Worst case of what is no noise: of encodings and weights that are rounded alike wherever they are alike, of a polynomial
    /// in place of a function. It adds up in step.
    pub bias: f64,
}

impl<'set> Real<'set> {
    /// The sum of the frames with these claims as they arrive.
    pub fn fresh(parameters: &'set Parameters, frame: &Claims) -> Self {
        let mut noise = noise::slots(parameters, noise::fresh(parameters, frame.key));
        noise += noise::dither(parameters, frame);
        let one = Self {
            parameters,
            primes: frame.primes,
            scale: frame.scale,
            bound: frame.bound,
            noise,
            bias: noise::encoding(parameters, frame),
        };
        one.copies(frame.frames as f64)
    }

    fn copies(mut self, copies: f64) -> Self {
        self.bound *= copies;
        self.bias *= copies;
        self.noise = self.noise.times(copies);
        self
    }

    /// Adds a ciphertext with independent noise.
    pub fn add(&mut self, other: &Self) {
        self.bound += other.bound;
        self.bias += other.bias;
        self.noise += other.noise;
    }

    /// Divides by a number, which the scale takes up.
    pub fn divide(&mut self, divisor: f64) {
        self.scale *= divisor;
        self.bound /= divisor;
    }

    /// Multiplies by one number, encoded at a scale with its rounding.
    pub fn times_constant(&mut self, factor: f64, scale: f64) {
        let encoded = (factor * scale).round();
        let rounding = (encoded - factor * scale).abs() + encoded.abs() * f64::EPSILON;
        self.bias = self.bias * encoded.abs() + rounding * self.bound * self.scale;
        self.noise = self.noise.times(encoded * encoded);
        self.bound *= factor.abs();
        self.scale *= scale;
    }

    /// Multiplies rows by weights, encoded at a scale, and adds up the slots of each row.
    pub fn times_rows(&mut self, weights: &[f64], scale: f64, block: usize) {
        let message = self.bound * self.scale;
        let squares = weights.iter().map(|weight| weight * weight);
        let norm = squares.sum::<f64>().sqrt() * scale;
        let magnitudes = weights.iter().map(|weight| weight.abs()).sum::<f64>();
        // Norms of the roundings over a block; sums of their magnitudes are at most sqrt(slots) as much.
        let rounding = noise::weights(block, norm);
        let encoded = magnitudes * scale + (block as f64).sqrt() * rounding;
        self.bias = self.bias * encoded + message * (weights.len() as f64).sqrt() * rounding;
        self.noise = self.noise.times((norm + rounding).powi(2));
        self.bound *= magnitudes;
        self.scale *= scale;
        self.switch_keys(block);
    }

    /// Adds up the slots of each row; `columns` of them are not zero.
    pub fn sum_rows(&mut self, columns: usize, block: usize) {
        self.bound *= columns as f64;
        self.bias *= block as f64;
        self.noise = self.noise.summed(block as f64);
        self.switch_keys(block);
    }

    /// Noise of the key switches of a sum of 2^i slots: the one of each step is doubled by those after it.
    fn switch_keys(&mut self, block: usize) {
        let switched = noise::switched(self.parameters, self.primes);
        let steps = block.ilog2();
        for step in 0..steps {
            self.noise += switched.summed(f64::from(1 << step));
        }
    }

    /// Adds a number to every slot.
    pub fn add_constant(&mut self, value: f64) {
        self.bias += noise::integer(value * self.scale);
        self.bound += value.abs();
    }

    /// Multiplies by a ciphertext with independent noise.
    pub fn multiply(&mut self, other: &Self) {
        let messages = [self.bound * self.scale, other.bound * other.scale];
        let mut noise = other.noise.times((messages[0] + self.bias).powi(2));
        noise += self.noise.times((messages[1] + other.bias).powi(2));
        noise.free += 2.0 * self.noise.total() * other.noise.total();
        self.bias = messages[0] * other.bias + messages[1] * self.bias + self.bias * other.bias;
        self.noise = noise;
        self.bound *= other.bound;
        self.scale *= other.scale;
    }

    /// Brings a product back to two polynomials.
    pub fn relinearize(&mut self) {
        self.noise += noise::switched(self.parameters, self.primes);
    }

    /// Divides by the last prime.
    pub fn rescale(&mut self) {
        self.primes -= 1;
        let last = self.parameters.data_primes[self.primes] as f64;
        self.scale /= last;
        self.bias /= last;
        self.noise = self.noise.times(1.0 / (last * last));
        let rounding = noise::rounding(self.parameters);
        self.noise += noise::slots(self.parameters, rounding);
    }

    /// Error of the largest of `values` values, decoded.
    fn error(&self, decoding: Decoding, values: usize) -> Deviation {
        let read = f64::from(decoding.log2_bound()).exp2() * self.scale;
        let bits = read.log2().ceil() as i32;
        let in_step = self.bias + noise::decoding(self.parameters, bits) * read;
        Deviation::new(in_step, noise::largest(&self.noise, values), self.scale)
    }

    /// Largest error of any slot, before it is decoded.
    pub fn largest_error(&self) -> f64 {
        let slots = self.parameters.ring_degree / 2;
        (noise::largest(&self.noise, slots) + self.bias) / self.scale
    }

    /// How an owner decodes the values.
    fn decoding(&self) -> Option<Decoding> {
        let primes = &self.parameters.data_primes[..self.primes];
        Decoding::new(primes, Layout::Slots, self.scale, self.bound)
    }

    /// log2 of the scaled bound that a decryption can read at a level.
    fn room(&self, primes: usize) -> i32 {
        Decoding::room(&self.parameters.data_primes[..primes], Layout::Slots)
    }

    /// Bound of values whose errors are no larger a share of it than decryption takes (spec/decryption.md, section 2).
    fn readable(&self) -> f64 {
        self.bound.max(self.largest_error() / Decoding::ERROR_SHARE)
    }

    /// Whether the modulus of a level holds the values, decoded or not.
    fn fits(&self, primes: usize) -> bool {
        let room = self.room(primes) - self.scale.log2().ceil() as i32;
        self.readable() <= f64::from(room).exp2() && self.scale.log2() < self.most_scale(primes)
    }

    /// log2 of the scale that SEAL takes no more at a level.
    fn most_scale(&self, primes: usize) -> f64 {
        self.parameters.log2_modulus(primes).ceil()
    }

    /// Refuses values that the modulus does not hold.
    pub fn check_fit(&self, job: &'static str) -> Result<(), Error> {
        if self.fits(self.primes) {
            return Ok(());
        }
        Err(Error::Overflow {
            job,
            set: self.parameters.name.clone(),
            needed: self.readable().log2().max(-1.0) + self.scale.log2().ceil() + 2.0,
            has: f64::from(self.room(self.primes) + 2),
            advice: Advice::default(),
        })
    }

    /// Largest power of two, up to the last prime, at which a factor can be encoded so that a product within `bound` fits.
    pub fn weight_scale(&self, job: &'static str, bound: f64) -> Result<f64, Error> {
        let room = f64::from(self.room(self.primes)) - self.scale.log2().ceil();
        let last = self.parameters.data_primes[self.primes - 1] as f64;
        let most = self.most_scale(self.primes) - 1.0 - self.scale.log2().ceil();
        let most = most.min(f64::from(Decoding::SCALE_BITS - 1) - self.scale.log2().ceil());
        let bits = (room - bound.log2()).floor().min(last.log2().round());
        // Below 1 SEAL encodes nothing.
        let bits = bits.min(most).max(0.0);
        let mut least = *self;
        least.bound = bound;
        (least.noise, least.bias) = Default::default();
        least.check_fit(job)?;
        Ok(bits.exp2())
    }

    /// Plans the way to the smallest modulus, and refuses what drowns in noise. Several owners hide their shares under noise that
    /// needs the whole modulus.
    pub fn plan(
        mut self,
        job: &'static str,
        shape: Shape,
        weight_scale: f64,
    ) -> Result<Plan, Error> {
        self.check_fit(job)?;
        let mut rescales = 0;
        if self.parameters.owners == 1 {
            while let Some(smaller) = self.rescaled() {
                self = smaller;
                rescales += 1;
            }
            let primes = (1..=self.primes).find(|&primes| self.fits(primes));
            self.primes = primes.unwrap_or(self.primes);
        }
        let error = self.check_decoding(job, shape.values())?;
        Ok(Plan {
            bound: self.bound,
            error: error.largest,
            in_step: error.in_step,
            scale: self.scale,
            primes: self.primes,
            shape,
            weight_scale,
            rescales,
        })
    }

    /// The error of each of `values` values as the owner decodes them; refuses what drowns in it, and what is not read.
    fn check_decoding(&self, job: &'static str, values: usize) -> Result<Deviation, Error> {
        let unreadable = || Error::Unreadable {
            job,
            set: self.parameters.name.clone(),
            bound: self.bound,
            log2_scale: self.scale.log2(),
            advice: Advice::default(),
        };
        let decoding = self.decoding().ok_or_else(unreadable)?;
        let error = self.error(decoding, values);
        if error.largest >= self.bound {
            return Err(Error::Drowned {
                job,
                set: self.parameters.name.clone(),
                error: error.largest,
                bound: self.bound,
                advice: Advice::default(),
            });
        }
        let holds = decoding.holds(self.bound, self.largest_error());
        holds.then_some(error).ok_or_else(unreadable)
    }

    /// Estimate after a rescale, if its rounding is small next to the noise and the result fits.
    fn rescaled(&self) -> Option<Self> {
        if self.primes < 2 {
            return None;
        }
        let mut next = *self;
        next.rescale();
        let rounding = noise::slots(self.parameters, noise::rounding(self.parameters));
        let tolerable = rounding.total() <= TOLERANCE * (next.noise.total() - rounding.total());
        (tolerable && next.scale >= 1.0 && next.fits(next.primes)).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::Real;
    use crate::claims::{Claims, Key};
    use crate::noise;
    use isopod_seal::Parameters;
    use isopod_wire::by_name;

    const SCALE: f64 = (1u64 << 27) as f64;

    fn set() -> Parameters {
        by_name("ckks-4096x2-linear").expect("a set").into()
    }

    fn claims(frames: u64, dithered: bool) -> Claims {
        Claims {
            bound: 8.0,
            scale: SCALE,
            primes: 2,
            key: Key::Secret,
            dithered,
            rows: 1,
            columns: 16,
            stride: 16,
            buckets: 1,
            frames,
        }
    }

    fn near(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    }

    #[test]
    fn the_worst_case_grows_with_the_frames_and_noise_with_their_square_root() {
        let set = set();
        let [one, many] = [1, 400].map(|frames| Real::fresh(&set, &claims(frames, false)));
        near(many.bias, 400.0 * one.bias);
        near(one.bias, 4096.0 + 4096.0 / std::f64::consts::PI + 1.0);
        let random = |real: &Real<'_>| noise::largest(&real.noise, 1);
        near(random(&many), 20.0 * random(&one));
    }

    #[test]
    fn a_sum_of_both_encoders_has_both_errors() {
        let set = set();
        let [nearest, dithered] = [false, true].map(|dither| Real::fresh(&set, &claims(7, dither)));
        let mut both = nearest;
        both.add(&dithered);
        near(both.bias, nearest.bias + dithered.bias);
        near(both.noise.free, nearest.noise.free + dithered.noise.free);
        near(
            dithered.noise.free - nearest.noise.free,
            7.0 * 0.26 * 4096.0,
        );
    }

    #[test]
    fn a_constant_multiplies_the_worst_case_and_adds_its_rounding() {
        let set = set();
        let fresh = Real::fresh(&set, &claims(1, false));
        let mut weighted = fresh;
        weighted.times_constant(-0.3, 1024.0);
        near(weighted.bias, 307.0 * fresh.bias + 0.2 * 8.0 * SCALE);
        near(weighted.noise.free, 307.0 * 307.0 * fresh.noise.free);
    }

    #[test]
    fn weights_of_a_row_are_off_by_no_more_than_their_norm() {
        let set = set();
        let fresh = Real::fresh(&set, &claims(1, false));
        let (weights, scale) = ([0.5; 16], 2f64.powi(20));
        let mut row = fresh;
        row.times_rows(&weights, scale, 16);
        let rounding = noise::weights(16, 2.0 * scale);
        let wanted = fresh.bias * (8.0 * scale + 4.0 * rounding) + 4.0 * rounding * 8.0 * SCALE;
        near(row.bias, wanted);
        near(row.bound, 64.0);
    }

    #[test]
    fn the_sum_of_a_row_may_be_off_by_all_of_its_slots() {
        let set = set();
        let fresh = Real::fresh(&set, &claims(1, true));
        let mut total = fresh;
        total.sum_rows(13, 16);
        near(total.bias, 16.0 * fresh.bias);
        near(total.bound, 13.0 * 8.0);
    }

    #[test]
    fn a_product_is_off_by_the_errors_of_both_factors() {
        let set = set();
        let mut one = Real::fresh(&set, &claims(1, false));
        let other = Real::fresh(&set, &claims(2, false));
        let values = [8.0 * SCALE, 16.0 * SCALE];
        let wanted = (values[0] + one.bias) * (values[1] + other.bias) - values[0] * values[1];
        one.multiply(&other);
        assert!((one.bias / wanted - 1.0).abs() < 1e-6);
    }

    #[test]
    fn small_values_stay_under_a_modulus_that_takes_their_scale() {
        let set: Parameters = by_name("ckks-2048x2-air").expect("a set").into();
        let small = Claims {
            bound: 2f64.powi(-20),
            scale: 2f64.powi(30),
            ..claims(300, true)
        };
        let sum = Real::fresh(&set, &small);
        assert!(sum.fits(2) && !sum.fits(1));
        let mut mean = sum;
        mean.divide(2f64.powi(26));
        assert!(matches!(
            mean.check_fit("mean"),
            Err(crate::Error::Overflow { needed, has, .. }) if needed > has
        ));
    }

    #[test]
    fn results_are_read_at_a_bound_that_their_values_need() {
        let set: Parameters = by_name("ckks-4096x3-sum").expect("a set").into();
        let large = Claims {
            bound: 2f64.powi(27),
            scale: 2f64.powi(30),
            primes: 3,
            ..claims(2, true)
        };
        let sum = Real::fresh(&set, &large);
        let decoding = sum.decoding().expect("a bound");
        assert!(decoding.log2_bound() >= 29 && decoding.holds(sum.bound, sum.largest_error()));
    }
}
