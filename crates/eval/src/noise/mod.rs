//! Noise of ciphertexts as variances, one source per function.
//!
//! Every coefficient of the sources is sub-Gaussian with the variance below: CBD(21) for errors, uniform ternary for the
//! secret key and for u, uniform in an interval of one for roundings. A slot of CKKS is the real part of a sum of n
//! coefficients times unit roots, hence n/2 times the variance of a coefficient (`[CKKS16]`).
//!
//! The noise of a product of polynomials is the product of their slots. Where one factor belongs to a key it is the same in
//! every ciphertext, and a slot's noise is Gaussian only for a given key: its variance is multiplied by the squared magnitude
//! of the key's slot, which is exponentially distributed. `Noise` keeps these shares apart; `tail` needs them.

mod tail;

use crate::claims::{Claims, Key};
use isopod_seal::Parameters;
use std::ops::AddAssign;

pub(crate) use tail::{deviations, largest};

/// Variance of the centred binomial error CBD(21).
const ERROR: f64 = 10.5;
/// Variance of a uniform ternary coefficient.
const TERNARY: f64 = 2.0 / 3.0;
/// Variance of rounding to an integer.
const ROUNDING: f64 = 1.0 / 12.0;

/// Variances of one noise, by what they are multiplied with.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Noise {
    /// Variance that no key changes.
    pub free: f64,
    /// Mean of the variance that a slot of the secret key multiplies.
    pub secret: f64,
    /// Mean of the variance that a slot of a published key's error multiplies.
    pub published: f64,
    /// Variance in a few slots next to the root 1, of which any sum of slots holds one.
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

/// Coefficients of a fresh encryption: e by secret key, e0 + e1*s + e*u by public key (spec/ckks.md, section 6).
pub(crate) fn fresh(parameters: &Parameters, key: Key) -> Noise {
    let product = degree(parameters) * TERNARY * ERROR;
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

/// Coefficients of an encoding in fixed point: a rounding, and the error of the transform in words of 32 or 64 bits
/// (spec/ckks.md, section 4.1: |error| <= 1/2 + 4 * 2^(L - 30), or 2^(L - 57) beyond L = 30, L = log2(scale * bound)).
pub(crate) fn encoding(claims: &Claims) -> Noise {
    let bits = (claims.scale * claims.bound).log2();
    let fraction = if bits <= 30.0 { 30.0 } else { 57.0 };
    let transform = 4.0 * (bits - fraction).exp2();
    Noise {
        free: ROUNDING + transform * transform,
        ..Noise::default()
    }
}

/// Variance of the rounding of a reading to the scale; integers are not rounded.
pub(crate) fn reading(exact: bool) -> f64 {
    if exact {
        0.0
    } else {
        ROUNDING
    }
}

/// Coefficients of the rounding of c0 and c1 after a division: r0 + r1*s.
pub(crate) fn rounding(parameters: &Parameters) -> Noise {
    Noise {
        free: ROUNDING,
        secret: ROUNDING * TERNARY * degree(parameters),
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

/// Slots of a noise of coefficients.
pub(crate) fn slots(parameters: &Parameters, coefficients: Noise) -> Noise {
    coefficients.times(degree(parameters) / 2.0)
}

/// Slots of the rounding of encoded weights, at their scale. Weights that repeat every `block` slots are a polynomial in
/// X^(n / (2 * block)), so that only 2 * block coefficients are rounded.
pub(crate) fn weights(block: usize) -> f64 {
    ROUNDING * block as f64
}

/// Slots of a decoding in words of 32 or 64 bits, relative to the largest value that is read: sqrt(n) units of 2^-27 up to 28
/// bits, of 2^-59 beyond (spec/decryption.md, section 2).
pub(crate) fn decoding(parameters: &Parameters, bits: i32) -> f64 {
    let unit: f64 = if bits <= 28 { 27.0 } else { 59.0 };
    degree(parameters) * (-2.0 * unit).exp2()
}

#[cfg(test)]
mod tests {
    use super::{fresh, slots, switched, Key};
    use isopod_seal::Parameters;
    use isopod_wire::by_name;

    fn parameters(name: &str) -> Parameters {
        by_name(name).expect("a set of params.toml").into()
    }

    #[test]
    fn fresh_noise_is_that_of_the_derivation() {
        for (n, wanted) in [("ckks-1024x1-sum", 0.0103), ("ckks-2048x1-sum", 0.0207)] {
            let set = parameters(n);
            let found = slots(&set, fresh(&set, Key::Public)).total().sqrt() / 2f64.powi(18);
            assert!((found / wanted - 1.0).abs() < 0.01, "{n}: {found}");
        }
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
