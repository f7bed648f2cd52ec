//! Estimate that accompanies a ciphertext of coefficients from step to step: bound, and noise of its coefficients.

use super::rounded::Rounded;
use crate::advice::Advice;
use crate::claims::Key;
use crate::noise::exact::{self, Largest};
use crate::noise::{self, Noise};
use crate::plan::Deviation;
use crate::Error;
use isopod_seal::Parameters;
use isopod_wire::{Decoding, Layout};

/// Shares of the noise that the rounding of an answer may add, as variances: of c0, and of c1, which the secret key multiplies.
const TOLERANCE: [f64; 2] = [0.1, 0.15];

/// Bound and noise of a ciphertext: of a real number times the scale, or of an integer of BFV.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate<'set> {
    parameters: &'set Parameters,
    pub primes: usize,
    /// Bound on |value|.
    pub bound: f64,
    /// Largest |value| that is expected; a larger one must not be taken for one of these.
    expected: f64,
    /// Factor of the values; 1 in BFV.
    pub scale: f64,
    /// Noise of a coefficient.
    noise: Noise,
    /// The largest share of it that a slot of the key multiplies; 0 for a coefficient by itself, which every slot is a part of.
    slot_share: f64,
    /// Worst case of what is no noise and adds up in step: of readings and weights that are rounded, of BFV's plaintexts.
    bias: f64,
}

impl<'set> Estimate<'set> {
    /// The sum of the frames with these claims as they arrive.
    pub fn fresh(parameters: &'set Parameters, frame: &Rounded) -> Self {
        let Rounded { claims, dropped } = frame;
        let copies = claims.frames as f64;
        let mut noise = noise::fresh(parameters, claims.key);
        noise += rounding(parameters, *dropped);
        Self {
            parameters,
            primes: claims.primes,
            bound: copies * claims.bound,
            expected: f64::INFINITY,
            scale: claims.scale,
            noise: noise.times(copies),
            slot_share: 0.0,
            bias: copies * (noise::NEAREST + halves(parameters, *dropped)),
        }
    }

    /// The set.
    pub fn parameters(&self) -> &'set Parameters {
        self.parameters
    }

    /// Adds a ciphertext with independent noise.
    pub fn add(mut self, other: Self) -> Self {
        self.bound += other.bound;
        self.noise += other.noise;
        self.slot_share = self.slot_share.max(other.slot_share);
        self.bias += other.bias;
        self
    }

    /// Says that up to so many coefficients of each frame are among what is added up.
    pub fn of_rows(mut self, rows: usize) -> Self {
        if rows > 1 {
            self.slot_share = noise::slot_share(self.parameters, &vec![1.0; rows]);
        }
        self
    }

    /// Divides by a number, which the scale takes up.
    pub fn divide(mut self, divisor: f64) -> Self {
        self.scale *= divisor;
        self.bound /= divisor;
        self
    }

    /// Adds up coefficients times weights, which integers over a scale stand for.
    pub fn times(mut self, weights: &[f64], integers: &[i64], scale: f64) -> Self {
        let message = self.bound * self.scale;
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            let pairs = weights.iter().zip(integers);
            pairs
                .map(|(&weight, &integer)| of(weight, integer as f64))
                .sum()
        };
        self.bias = self.bias * sum(&|_, integer| integer.abs())
            + message * sum(&|weight, integer| (integer - weight * scale).abs());
        self.noise = self.noise.times(sum(&|_, integer| integer * integer));
        if integers.len() > 1 {
            let integers: Vec<f64> = integers.iter().map(|&integer| integer as f64).collect();
            self.slot_share = noise::slot_share(self.parameters, &integers);
        }
        self.bound *= sum(&|weight, _| weight.abs());
        self.scale *= scale;
        self
    }

    /// Adds a number to every value.
    pub fn plus(mut self, constant: f64) -> Self {
        self.bound += constant.abs();
        self.bias += noise::integer(constant * self.scale);
        self
    }

    /// Expects values up to `largest`.
    pub fn expecting(mut self, largest: f64) -> Self {
        self.expected = largest;
        self
    }

    /// The bound of the values that an owner takes.
    pub fn taken(&self) -> f64 {
        self.bound.min(self.expected)
    }

    /// Values that half of the modulus must hold: what is beyond comes back with the other sign, and is then beyond `expected`.
    pub fn reach(bound: f64, expected: f64) -> f64 {
        (bound + expected.min(bound)) / 2.0
    }

    /// The largest scale at which weights are rounded to integers so that values within `bound`, with noise and roundings, fit.
    pub fn weight_scale(&self, bound: f64, weights: &[f64]) -> f64 {
        let norm = weights
            .iter()
            .map(|weight| weight * weight)
            .sum::<f64>()
            .sqrt();
        let count = weights.len() as f64;
        let magnitudes: f64 = weights.iter().map(|weight| weight.abs()).sum();
        let noise = self.random(self.parameters.ring_degree);
        let run = Self {
            slot_share: noise::slot_share(self.parameters, weights),
            ..*self
        };
        let of_run = norm * run.random(self.parameters.ring_degree);
        let roundings = 0.5 * count * (self.bound * self.scale + noise + self.bias) + 1.0;
        let largest = bound * self.scale + 1.2 * of_run + magnitudes * self.bias;
        let fits = (self.half_modulus() - roundings) / largest;
        let most = Decoding::largest_scale(self.primes()) / self.scale;
        fits.min(most).max(self.least_weight_scale())
    }

    /// The scale of weights below which no owner reads the answer.
    pub fn least_weight_scale(&self) -> f64 {
        1.0 / self.scale
    }

    fn primes(&self) -> &[u64] {
        &self.parameters.data_primes[..self.primes]
    }

    fn half_modulus(&self) -> f64 {
        (self.parameters.log2_modulus(self.primes) - 1.0).exp2()
    }

    /// Low bits that drown in the noise: how many c0 and, where it is sent, c1 lose.
    pub fn droppable(&self, key: Key) -> [u8; 2] {
        let most = self.parameters.log2_modulus(self.primes) - 2.0;
        [0, 1].map(|polynomial| {
            let adds = |bits: u8| {
                let mut dropped = [0; 2];
                dropped[polynomial] = bits;
                rounding(self.parameters, dropped).total()
            };
            let fits = |bits: &u8| {
                f64::from(*bits) <= most
                    && adds(*bits) <= TOLERANCE[polynomial] * self.noise.total()
            };
            match (polynomial, key) {
                (1, Key::Secret) => 0,
                _ => (1..).take_while(fits).last().unwrap_or(0),
            }
        })
    }

    /// Adds the rounding of an answer.
    pub fn rounded(mut self, dropped: [u8; 2]) -> Self {
        self.noise += rounding(self.parameters, dropped);
        self.bias += halves(self.parameters, dropped);
        self
    }

    /// Error of the largest of `values` values.
    pub fn error(&self, values: usize) -> Deviation {
        let decoding = noise::decoding_coefficients(self.parameters.log2_modulus(self.primes));
        Deviation::new(self.bias + decoding, self.random(values), self.scale)
    }

    /// Noise of the largest of `values` values, scaled.
    fn random(&self, values: usize) -> f64 {
        noise::largest_spread(&self.noise, self.slot_share, values)
    }

    /// The error of each of `values` values; refuses values that the modulus does not hold, and those that drown.
    pub fn check(&self, job: &'static str, values: usize) -> Result<Deviation, Error> {
        match self.parameters.plain_modulus {
            Some(_) => {
                let largest = Largest {
                    parameters: self.parameters,
                    primes: self.primes,
                    value: self.bound,
                    noise: exact::refused(self.parameters, &self.noise, self.slot_share)
                        + self.bias,
                };
                largest.check(job).map(|()| Deviation::default())
            }
            None => self.check_real(job, values),
        }
    }

    fn check_real(&self, job: &'static str, values: usize) -> Result<Deviation, Error> {
        let (error, bound) = (self.error(values), self.taken());
        let largest = error.largest * self.scale;
        let (set, advice) = (self.parameters.name.clone(), Advice::default());
        let needed = Self::reach(self.bound, self.expected) * self.scale + largest;
        if needed >= self.half_modulus() {
            return Err(Error::Overflow {
                job,
                set,
                needed: needed.log2() + 1.0,
                has: self.parameters.log2_modulus(self.primes),
                advice,
            });
        }
        if error.largest >= bound {
            return Err(Error::Drowned {
                job,
                set,
                error: error.largest,
                bound,
                advice,
            });
        }
        let decoding = Decoding::new(
            self.primes(),
            Layout::CoefficientsRounded,
            self.scale,
            bound,
        );
        if decoding.is_some_and(|decoding| decoding.holds(bound, error.largest)) {
            return Ok(error);
        }
        Err(Error::Unreadable {
            job,
            set,
            bound,
            log2_scale: self.scale.log2(),
            advice,
        })
    }
}

/// Mean of the rounding of c0 and c1, which is the same in every frame: halves are rounded up, so that r0 and r1 are 1/2 in the
/// mean wherever a bit is dropped. Of r1*s that is half of a sum of the secret key's coefficients with signs, which no place of a
/// key exceeds but with a probability of 2 e^-18.
fn halves(parameters: &Parameters, dropped: [u8; 2]) -> f64 {
    let signed_sum = noise::largest(&noise::secret(parameters), parameters.ring_degree);
    let means = [1.0, signed_sum].map(|sum| noise::NEAREST * sum);
    means
        .iter()
        .zip(dropped)
        .filter(|(_, bits)| *bits > 0)
        .map(|(mean, _)| mean)
        .sum()
}

/// Rounding of c0 and c1 to multiples of 2^dropped: r0 + r1*s.
fn rounding(parameters: &Parameters, dropped: [u8; 2]) -> Noise {
    let of = |bits: u8| match bits {
        0 => 0.0,
        _ => 4f64.powi(bits.into()),
    };
    let whole = noise::rounding(parameters);
    Noise {
        free: whole.free * of(dropped[0]),
        secret: whole.secret * of(dropped[1]),
        ..Noise::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{halves, Estimate, Rounded};
    use crate::claims::{Claims, Key};
    use isopod_linear::{drop_bits, restore_bits, Modulus};
    use isopod_seal::Parameters;
    use isopod_wire::by_name;

    fn frames(frames: u64, dropped: [u8; 2]) -> Rounded {
        let claims = Claims {
            bound: 1.0,
            scale: 2f64.powi(20),
            primes: 2,
            key: Key::Public,
            dithered: false,
            rows: 1,
            columns: 1,
            stride: 1,
            buckets: 1,
            frames,
        };
        Rounded { claims, dropped }
    }

    fn set() -> Parameters {
        by_name("ckks-2048x2-air").expect("a set").into()
    }

    #[test]
    fn dropped_bits_are_a_half_off_in_the_mean() {
        let modulus = Modulus::new(67_084_289).expect("a prime");
        for bits in 1..8u32 {
            let count = 1u64 << bits;
            let off =
                |value| restore_bits(modulus, drop_bits(value, bits), bits) as f64 - value as f64;
            let mean = (0..count).map(|value| off(value + 1024)).sum::<f64>() / count as f64;
            assert!((mean - 0.5).abs() < 1e-12, "{bits}: {mean}");
        }
    }

    #[test]
    fn means_and_readings_add_up_in_step() {
        let set = set();
        let in_step = |number, dropped| {
            let error = Estimate::fresh(&set, &frames(number, dropped)).error(1);
            error.in_step * 2f64.powi(20)
        };
        assert!((in_step(300, [0, 0]) - 150.0).abs() < 1.0);
        assert!((in_step(300, [3, 0]) - 300.0).abs() < 1.0);
        let by_key = halves(&set, [0, 1]);
        assert!((in_step(300, [3, 1]) - 300.0 * (1.0 + by_key)).abs() < 1.0);
        // Half of more than six deviations of a sum of 2048 signed ternary coefficients.
        let deviation = (2.0 / 3.0 * 2048f64).sqrt();
        assert!(
            by_key > 3.0 * deviation && by_key < 4.0 * deviation,
            "{by_key}"
        );
    }

    #[test]
    fn noise_of_frames_grows_with_the_square_root() {
        let set = set();
        let random = |number| {
            let error = Estimate::fresh(&set, &frames(number, [0, 0])).error(1);
            error.largest - error.in_step
        };
        assert!((random(400) / random(1) / 20.0 - 1.0).abs() < 1e-9);
    }

    /// Rows of one frame share the slots of its keys: their sum has wider tails than that of as many frames.
    #[test]
    fn rows_of_one_frame_have_wider_tails_than_frames() {
        let set = set();
        let random = |rows| {
            let error = Estimate::fresh(&set, &frames(400, [0, 0]))
                .of_rows(rows)
                .error(1);
            error.largest - error.in_step
        };
        let of_frames = random(1);
        assert!(random(2) < 1.01 * of_frames, "{}", random(2));
        let wide = random(400) / of_frames;
        assert!(wide > 1.1 && wide < 3.0, "{wide}");
    }
}
