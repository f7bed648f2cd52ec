//! Bound on the noise that a declared linear circuit leaves in a slot, for application-aware security (`[AAFHE24]`).

use isopod_wire::ParameterSet;

use crate::error::{Result, ShareError};

/// Variance of the centred binomial error CBD(21).
const ERROR_VARIANCE: f64 = 10.5;
/// Variance of a uniform ternary coefficient.
const TERNARY_VARIANCE: f64 = 2.0 / 3.0;
/// Variance of rounding to an integer.
const ROUNDING_VARIANCE: f64 = 1.0 / 12.0;

/// Key under which devices encrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Public key: c0 = pk0 u + m + e0, c1 = pk1 u + e1.
    PublicKey,
    /// Secret key: c0 = m + e0 - a s, c1 = a.
    SecretKey,
}

/// A linear circuit, declared by the owner before anything is published: each of its results is a sum of at most
/// `frames` ciphertexts, times a weight of magnitude at most `largest_weight` in each slot, then summed over `stride`
/// slots by rotations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circuit {
    /// The key under which the frames are encrypted.
    pub encryption: Encryption,
    /// log2 of the scale of the frames, within the set's range.
    pub log2_scale: u8,
    /// Number of ciphertexts added slot by slot, at least 1.
    pub frames: u32,
    /// Number of slots of a ciphertext added by rotations: 1 .. n/2, a power of two; 1 without rotations.
    pub stride: u32,
    /// Largest magnitude of a plaintext factor; None without a product.
    pub largest_weight: Option<f64>,
}

impl Circuit {
    /// Standard deviation of the error of one slot of a result at scale `result_scale`, in units of the values. Dependent
    /// errors are added as magnitudes, their worst case.
    ///
    /// # Errors
    /// [`ShareError::OutOfRange`] names the field.
    pub fn slot_error(&self, set: &ParameterSet, result_scale: f64) -> Result<f64> {
        self.check(set, result_scale)?;
        let scale = f64::from(self.log2_scale).exp2();
        let stride = f64::from(self.stride);
        let fresh = f64::from(self.frames) * self.fresh(set) / scale;
        let switched = stride.log2() * key_switching(set) / scale.min(result_scale);
        let weight = self.largest_weight.unwrap_or(1.0);
        let mut error = weight * fresh + weight.max(1.0) * switched;
        if self.largest_weight.is_some() || result_scale < scale {
            error += set.data_primes.len() as f64 * rounding(set) / result_scale;
        }
        Ok(stride * error)
    }

    /// Standard deviation of a fresh ciphertext's error in a slot, times its scale.
    fn fresh(&self, set: &ParameterSet) -> f64 {
        let terms = match self.encryption {
            Encryption::SecretKey => 1.0,
            Encryption::PublicKey => 1.0 + 2.0 * TERNARY_VARIANCE * set.ring_degree as f64,
        };
        slot(set, ERROR_VARIANCE * terms + ROUNDING_VARIANCE)
    }

    fn check(&self, set: &ParameterSet, result_scale: f64) -> Result<()> {
        let (least, most) = (set.log2_scale.min, set.log2_scale.max);
        let slots = set.slots();
        let refused =
            |field, value: String, allowed| Err(ShareError::out_of_range(field, value, allowed));
        if !(least..=most).contains(&self.log2_scale) {
            let allowed = format!("{least} to {most} for {}", set.name);
            return refused("log2_scale", self.log2_scale.to_string(), allowed);
        }
        if self.frames == 0 {
            return refused("frames", "0".into(), "at least 1".into());
        }
        if !self.stride.is_power_of_two() || self.stride as usize > slots {
            let allowed = format!("a power of two, 1 to {slots}");
            return refused("stride", self.stride.to_string(), allowed);
        }
        let weight = self.largest_weight.unwrap_or(1.0);
        if !(weight.is_finite() && weight > 0.0) {
            let value = weight.to_string();
            return refused("largest_weight", value, "positive and finite".into());
        }
        if !(result_scale.is_finite() && result_scale >= 1.0) {
            let value = result_scale.to_string();
            return refused("scale", value, "a result's scale, at least 1".into());
        }
        Ok(())
    }
}

/// Standard deviation of a slot's real part: n coefficients times roots of unity, half of whose energy is real.
fn slot(set: &ParameterSet, variance: f64) -> f64 {
    (variance * set.ring_degree as f64 / 2.0).sqrt()
}

/// Error of one key switch in a slot: k digits below q_j times key errors, divided by the special prime, then rounded.
fn key_switching(set: &ParameterSet) -> f64 {
    let special = set.special_prime.unwrap_or(1) as f64;
    let n = set.ring_degree as f64;
    let digits: f64 = set
        .data_primes
        .iter()
        .map(|&prime| (prime as f64 / special).powi(2))
        .sum();
    slot(set, digits * n * ROUNDING_VARIANCE * ERROR_VARIANCE) + rounding(set)
}

/// Error in a slot of one rounded division by a prime, of c0 and of c1 * s.
fn rounding(set: &ParameterSet) -> f64 {
    slot(
        set,
        ROUNDING_VARIANCE * (1.0 + TERNARY_VARIANCE * set.ring_degree as f64),
    )
}
