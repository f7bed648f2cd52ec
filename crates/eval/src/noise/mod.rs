//! Errors of ciphertexts, one source per function: noise as variances, and what repeats in every frame as its worst case.
//!
//! Noise is random and fresh in every ciphertext. Its sums grow with the square root of their terms. What is rounded
//! without randomness is the same in every frame of the same values: it is counted at its worst, and its sums grow with their
//! terms.
//!
//! Every coefficient of the sources is sub-Gaussian with the variance below: CBD(21) for errors, uniform ternary for the
//! secret key and for u, uniform in an interval of one for roundings. A slot of CKKS is the real part of a sum of n
//! coefficients times unit roots, hence n/2 times the variance of a coefficient (`[CKKS16]`).
//!
//! The noise of a product of polynomials is the product of their slots. Where one factor belongs to a key it is the same in
//! every ciphertext, and a slot's noise is Gaussian only for a given key: its variance is multiplied by the squared magnitude
//! of the key's slot, which is exponentially distributed. `Noise` keeps these shares apart; `tail` needs them.

pub(crate) mod exact;
pub(crate) mod real;

mod tail;

use crate::claims::{Claims, Key};
use isopod_seal::Parameters;
use std::ops::AddAssign;

pub(crate) use tail::{deviations, largest, largest_spread, seldom};

/// Variance of the centred binomial error CBD(21).
const ERROR: f64 = 10.5;
/// Variance of a uniform ternary coefficient.
const TERNARY: f64 = 2.0 / 3.0;
/// Variance of rounding coefficients to integers that no one can foresee, as those of c0 and c1.
const ROUNDING: f64 = 1.0 / 12.0;
/// Variance of a rounding with a dither, at most: 1/4 for two neighbouring integers, and a little for dithers that share bytes.
const DITHER: f64 = 0.26;
/// Worst case of rounding to an integer.
pub(crate) const NEAREST: f64 = 0.5;

/// Variances of one noise, by what they are multiplied with.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Noise {
    /// Variance that no key changes.
    pub free: f64,
    /// Mean of the variance that a slot of the secret key multiplies.
    pub secret: f64,
    /// Mean of the variance that a slot of a published key's error multiplies.
    pub published: f64,
    /// Variance in a few slots next to the root 1; any sum of slots holds one of them.
    pub peak: f64,
}

impl Noise {
    pub fn total(&self) -> f64 {
        self.free + self.secret + self.published + self.peak
    }

    /// Noise times a number with this square.
    pub fn times(self, square: f64) -> Self {
        Self {
            free: self.free * square,
            secret: self.secret * square,
            published: self.published * square,
            peak: self.peak * square,
        }
    }

    /// Sum of `slots` slots of a ciphertext. Slots of white noise are uncorrelated.
    pub fn summed(self, slots: f64) -> Self {
        Self {
            peak: self.peak,
            ..self.times(slots)
        }
    }
}

impl AddAssign for Noise {
    /// Adds an independent noise.
    fn add_assign(&mut self, other: Self) {
        self.free += other.free;
        self.secret += other.secret;
        self.published += other.published;
        self.peak += other.peak;
    }
}

/// Degree of the ring as a float.
fn degree(parameters: &Parameters) -> f64 {
    parameters.ring_degree as f64
}

/// Secrets and errors of which those of the key are sums (spec/owners.md, section 2).
fn owners(parameters: &Parameters) -> f64 {
    f64::from(parameters.owners)
}

/// Coefficients of a fresh encryption: e by secret key, e0 + e1*s + e*u by public key (spec/ckks.md, section 6).
pub(crate) fn fresh(parameters: &Parameters, key: Key) -> Noise {
    let product = degree(parameters) * TERNARY * ERROR * owners(parameters);
    match key {
        Key::Secret => Noise {
            free: ERROR,
            ..Noise::default()
        },
        Key::Public => Noise {
            free: ERROR,
            secret: product,
            published: product,
            peak: 0.0,
        },
    }
}

/// Error that an encoding of real slots adds to one slot, in every frame of the same values alike: the transform, and rounding to
/// the nearest where no dither rounds.
pub(crate) fn encoding(parameters: &Parameters, claims: &Claims) -> f64 {
    let rounding = match claims.dithered {
        // An offset has 32 bits.
        true => degree(parameters) * (-32f64).exp2(),
        false => nearest(degree(parameters)),
    };
    transform(degree(parameters), (claims.scale * claims.bound).log2()) + rounding
}

/// A slot's worst error by the transform in fixed point of F bits behind the point (spec/ckks.md, section 4.1), in units of the
/// scale: n * 2^(L - 30) where F = 30, n * 2^(L - 60) where F = 62, L = log2(scale * bound).
///
/// With M = n/4, a unit 2^-F of a word of the FFT is 2^(L-F) units of a coefficient. A radix-4 pass whose blocks have B points
/// leaves at most sqrt(2) units in each of b, c and d, of which a slot sees B at most, since the inverse transform of one pass
/// after the other has entries of magnitude 1. B = M, M/4, M/16 ... sum to 4/3 M. Table entries and the twist are rounded to half
/// a unit each, the values when they are loaded; all together are below 0.97 n units of 2^(L-30).
fn transform(degree: f64, bits: f64) -> f64 {
    let fraction = if bits <= 30.0 { 30.0 } else { 60.0 };
    degree * (bits - fraction).exp2()
}

/// A slot's worst error by n coefficients that are rounded to the nearest: half a unit each, in the direction of the cosines,
/// whose magnitudes are 2/pi in the mean.
fn nearest(degree: f64) -> f64 {
    2.0 * NEAREST * degree / std::f64::consts::PI + 1.0
}

/// Slots of the rounding of an encoding with a dither. Real slots have n/2 independent words, and m_(n-t) = -m_t shares the
/// rounding of m_t: its error in a slot is twice that of one coefficient, hence n and not n/2 times the variance. Coefficients
/// near an integer vary less than by 1/4, which makes no slot and no sum of slots larger than here.
pub(crate) fn dither(parameters: &Parameters, claims: &Claims) -> Noise {
    let free = match claims.dithered {
        true => DITHER * degree(parameters),
        false => 0.0,
    };
    Noise {
        free,
        ..Noise::default()
    }
}

/// Coefficients of the rounding of c0 and c1 after a division: r0 + r1*s.
pub(crate) fn rounding(parameters: &Parameters) -> Noise {
    Noise {
        free: ROUNDING,
        secret: ROUNDING * TERNARY * owners(parameters) * degree(parameters),
        ..Noise::default()
    }
}

/// Sum of the secret key's coefficients, each with a sign.
pub(crate) fn secret(parameters: &Parameters) -> Noise {
    Noise {
        free: TERNARY * owners(parameters) * degree(parameters),
        ..Noise::default()
    }
}

/// Sum over the digits of (q_j / P)^2: SEAL takes c modulo each prime as a digit, multiplies it by a key with an error,
/// and divides by the special prime P.
fn digits(parameters: &Parameters, primes: usize) -> f64 {
    let special = parameters.special_prime.unwrap_or(1) as f64;
    let ratios = parameters.data_primes[..primes]
        .iter()
        .map(|&prime| prime as f64 / special);
    ratios.map(|ratio| ratio * ratio).sum()
}

/// Coefficients of a key switch at a level, without the rounding after it: digits from 0 to q_j have second moment q_j^2/3.
pub(crate) fn switched_coefficients(parameters: &Parameters, primes: usize) -> Noise {
    let n = degree(parameters);
    let mut noise = rounding(parameters);
    noise.published += digits(parameters, primes) * n * ERROR / 3.0;
    noise
}

/// Slots of a key switch at a level. Digits vary by q_j^2/12 around their mean, q_j/2, and the polynomial with that
/// mean in every coefficient is far from white: its slots at roots z are q_j/(1 - z), together n^2 * q_j^2 / 4 over n slots
/// by Parseval, nearly all in the two at the roots next to 1. For a key that part is constant.
pub(crate) fn switched(parameters: &Parameters, primes: usize) -> Noise {
    let n = degree(parameters);
    let errors = digits(parameters, primes) * n * ERROR / 2.0;
    let mut noise = slots(parameters, rounding(parameters));
    noise.published += errors * n / 12.0;
    noise.peak += errors * n * n / 8.0;
    noise
}

/// The largest share that a slot, with its conjugate, has of a sum of coefficients times weights: of a polynomial of the weights,
/// whose squared slots are the squared sum of the magnitudes at most, and n times the sum of the squares together.
pub(crate) fn slot_share(parameters: &Parameters, weights: &[f64]) -> f64 {
    let magnitudes: f64 = weights.iter().map(|weight| weight.abs()).sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let most = 2.0 * magnitudes * magnitudes / (degree(parameters) * squares);
    most.min(1.0)
}

/// Slots of a noise of coefficients.
pub(crate) fn slots(parameters: &Parameters, coefficients: Noise) -> Noise {
    coefficients.times(degree(parameters) / 2.0)
}

/// Euclidean norm, over the slots of one block, of what is wrong with weights that are encoded in floating point at a scale.
///
/// Weights that repeat every `block` slots are a polynomial in X^(n / (2 * block)), so that 2 * block coefficients are rounded,
/// in pairs m_t, -m_(n-t). By Parseval the squares of the slots sum to block * (r_0^2 + 2 * sum of r_t^2, t = 1 .. block - 1),
/// each r_t at most 1/2: below block^2 / 2. The transform of SEAL in doubles is off by log2(2n) * 2^-50 of the norm of what it
/// transforms.
pub(crate) fn weights(block: usize, norm: f64) -> f64 {
    const DOUBLES: f64 = 1.0 / (1u64 << 46) as f64;
    block as f64 * std::f64::consts::FRAC_1_SQRT_2 + DOUBLES * norm
}

/// Worst error of a number that is rounded to an integer in floating point.
pub(crate) fn integer(number: f64) -> f64 {
    NEAREST + number.abs() * f64::EPSILON
}

/// A slot's worst error by a decoding in words of 32 or 64 bits, relative to the largest value that is read: 8 * sqrt(n) units of
/// 2^-27 up to 28 bits, of 2^-59 beyond (spec/decryption.md, section 2).
pub(crate) fn decoding(parameters: &Parameters, bits: i32) -> f64 {
    let unit: f64 = if bits <= 28 { 27.0 } else { 59.0 };
    8.0 * degree(parameters).sqrt() * (-unit).exp2()
}

/// A coefficient's worst error by a decoding at the widest bound, two bits below the modulus: 2^(L - 58) units
/// (spec/coefficients.md, section 5).
pub(crate) fn decoding_coefficients(log2_modulus: f64) -> f64 {
    (log2_modulus.ceil() - 60.0).exp2()
}

#[cfg(test)]
mod tests {
    use super::{
        decoding, decoding_coefficients, dither, encoding, fresh, nearest, slots, switched,
        transform, weights, Key,
    };
    use crate::claims::Claims;
    use isopod_seal::Parameters;
    use isopod_wire::by_name;
    use std::f64::consts::PI;

    fn parameters(name: &str) -> Parameters {
        by_name(name).expect("a set of params.toml").into()
    }

    /// E e^(xY) <= e^(v x^2/2), for all x that matter and both signs; a little for what doubles lose.
    #[test]
    fn sampled_distributions_are_strictly_sub_gaussian() {
        let holds = |name: &str, x: f64, moment: f64, variance: f64| {
            let most = (variance * x * x / 2.0).exp();
            assert!(
                moment <= most * (1.0 + 1e-12),
                "{name} at {x}: {moment} {most}"
            );
        };
        for x in (1..=600).map(|step| f64::from(step) / 50.0) {
            holds("CBD(21)", x, (x / 2.0).cosh().powi(42), super::ERROR);
            holds("ternary", x, (1.0 + 2.0 * x.cosh()) / 3.0, super::TERNARY);
            let uniform = (x / 2.0).sinh() / (x / 2.0);
            holds("rounding", x, uniform, super::ROUNDING);
            for up in (0..=50).map(|share| f64::from(share) / 50.0) {
                let dithered = up * ((1.0 - up) * x).exp() + (1.0 - up) * (-up * x).exp();
                holds("dither", x, dithered, super::DITHER);
            }
        }
    }

    #[test]
    fn fresh_noise_is_that_of_the_derivation() {
        for (n, wanted) in [("ckks-1024x1-sum", 0.0103), ("ckks-2048x1-sum", 0.0207)] {
            let set = parameters(n);
            let found = slots(&set, fresh(&set, Key::Public)).total().sqrt() / 2f64.powi(18);
            assert!((found / wanted - 1.0).abs() < 0.01, "{n}: {found}");
        }
    }

    fn claims(scale: f64, bound: f64, dithered: bool) -> Claims {
        Claims {
            bound,
            scale,
            primes: 1,
            key: Key::Secret,
            dithered,
            rows: 1,
            columns: 1,
            stride: 1,
            buckets: 1,
            frames: 1,
        }
    }

    /// The share of coefficient t in the slot of the e-th power of the root.
    fn cosine(n: usize, t: usize, e: usize) -> f64 {
        (PI * (t * e % (2 * n)) as f64 / n as f64).cos()
    }

    #[test]
    fn rounding_to_the_nearest_is_half_a_unit_in_the_direction_of_every_cosine() {
        for n in [1024, 4096, 32768] {
            for e in [1, 5, 25, n - 1] {
                let worst: f64 = (0..n).map(|t| 0.5 * cosine(n, t, e).abs()).sum();
                let bound = nearest(n as f64);
                assert!(
                    worst <= bound && worst > 0.99 * bound - 1.0,
                    "{n} {e}: {worst}"
                );
            }
        }
    }

    #[test]
    fn a_dither_shares_the_rounding_of_mirrored_coefficients() {
        let set = parameters("ckks-1024x1-sum");
        let n = set.ring_degree;
        for e in [1, 5, 341] {
            let pairs: f64 = (1..n / 2).map(|t| (2.0 * cosine(n, t, e)).powi(2)).sum();
            let slot = 0.25 * (1.0 + pairs);
            let found = dither(&set, &claims(1.0, 1.0, true)).total();
            assert!(slot <= found && found < 1.05 * slot, "{e}: {slot} {found}");
        }
        assert!(dither(&set, &claims(1.0, 1.0, false)).total() == 0.0);
    }

    #[test]
    fn a_dither_leaves_the_transform_alone_in_step() {
        let set = parameters("ckks-1024x1-sum");
        for bound in [0.125, 1.0, 16.0] {
            let value = encoding(&set, &claims(2f64.powi(18), bound, true)) / 2f64.powi(18);
            let wanted = 1024.0 * (bound * 2f64.powi(-30) + 2f64.powi(-32 - 18));
            assert!((value / wanted - 1.0).abs() < 1e-12, "{value} {wanted}");
        }
        let both = [false, true].map(|dither| encoding(&set, &claims(2f64.powi(18), 1.0, dither)));
        assert!((both[0] - both[1] - nearest(1024.0)).abs() < 1e-6);
        assert!((transform(4096.0, 30.0) - 4096.0).abs() < 1e-9);
        assert!((transform(4096.0, 31.0) - 4096.0 / 2f64.powi(29)).abs() < 1e-12);
    }

    #[test]
    fn roundings_of_weights_have_at_most_their_norm() {
        let block = 16;
        // Signs of the roundings of m_0 .. m_(block - 1); each 2 * block coefficients hold them twice.
        for signs in [0u32, 0xffff, 0x5555, 0x1b2d, 0xc3a5] {
            let rounding = |t: usize| if signs >> t & 1 == 1 { 0.5 } else { -0.5 };
            let slot = |e: usize| -> f64 {
                let pairs = (1..block).map(|t| 2.0 * rounding(t) * cosine(2 * block, t, e));
                rounding(0) + pairs.sum::<f64>()
            };
            let squares = (0..block).map(|i| slot(4 * i + 1).powi(2));
            let norm = squares.sum::<f64>().sqrt();
            assert!(norm <= weights(block, 0.0), "{signs:x}: {norm}");
            assert!(norm > 0.95 * weights(block, 0.0), "{signs:x}: {norm}");
        }
        assert!(weights(block, 1e12) - weights(block, 0.0) > 0.01);
    }

    #[test]
    fn decodings_are_off_by_the_units_of_their_words() {
        let set = parameters("ckks-4096x2-linear");
        assert!((decoding(&set, 28) * 2f64.powi(27) - 512.0).abs() < 1e-9);
        assert!((decoding(&set, 29) * 2f64.powi(59) - 512.0).abs() < 1e-9);
        assert!((decoding_coefficients(53.2) - 2f64.powi(-6)).abs() < 1e-12);
    }

    #[test]
    fn the_peak_of_a_key_switch_is_the_sum_over_its_slots() {
        let set = parameters("ckks-4096x2-linear");
        let n = set.ring_degree;
        let at = |odd: usize| {
            let angle = std::f64::consts::PI * odd as f64 / n as f64;
            1.0 / (2.0 - 2.0 * angle.cos())
        };
        let all: f64 = (0..n / 2).map(|i| at(2 * i + 1)).sum();
        let wanted = (n * n) as f64 / 8.0;
        assert!((all / wanted - 1.0).abs() < 1e-9, "{all} {wanted}");
        assert!(at(1) > 0.8 * wanted);
        assert!(switched(&set, 2).peak > 1000.0 * switched(&set, 2).published);
    }
}
