//! Noise flooding (`[LMSS22]`): a Gaussian so wide that it hides the noise of the ciphertext.
//!
//! Against the noise of a circuit, of standard deviation s in each of N published slots, a Gaussian of deviation
//! sqrt(24 * N * q) * 2^(b/2) * s has a Kullback-Leibler divergence of N*s^2 / (2 * 24*N*q * 2^b * s^2) = 2^-b / (48 q), that is
//! 2^-b / 48 over q results. By Pinsker's inequality whoever sees them all tells two keys apart with an advantage of at most
//! sqrt(2^-b / 96), which is b bits in the sense of bit security (`[MW18]`), log2(1 / advantage^2), and less than 2^(-b/2) in
//! statistical distance: not 2^-b.

use crate::error::{Result, ShareError};
use crate::gaussian;
use crate::private::Private;

/// Binary digits that a published value keeps below the standard deviation of its error.
const GUARD_DIGITS: i32 = 3;

/// Protection of a key: bits of security against all that is published, and the number of published results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flooding {
    statistical_bits: u8,
    queries: u64,
}

/// Values that may be published.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Values in the order of the decryption, rounded to the precision that the error leaves.
    pub values: Vec<f64>,
    /// Standard deviation of the error in each value.
    pub error: f64,
}

impl Flooding {
    /// Allowed bits of statistical security.
    pub const STATISTICAL_BITS: std::ops::RangeInclusive<u8> = 30..=64;
    /// Largest number of queries under one key.
    pub const MOST_QUERIES: u64 = 1 << 32;

    /// Declares at most `queries` published results under one key.
    ///
    /// # Errors
    /// [`ShareError::OutOfRange`].
    pub fn new(statistical_bits: u8, queries: u64) -> Result<Self> {
        if !Self::STATISTICAL_BITS.contains(&statistical_bits) {
            let allowed = "30 to 64";
            return Err(ShareError::out_of_range(
                "statistical_bits",
                statistical_bits,
                allowed,
            ));
        }
        if !(1..=Self::MOST_QUERIES).contains(&queries) {
            let allowed = format!("1 to {}", Self::MOST_QUERIES);
            return Err(ShareError::out_of_range("queries", queries, allowed));
        }
        Ok(Self {
            statistical_bits,
            queries,
        })
    }

    /// Bits of statistical security.
    pub fn statistical_bits(self) -> u8 {
        self.statistical_bits
    }

    /// Results that may be published under the key.
    pub fn queries(self) -> u64 {
        self.queries
    }

    /// Standard deviation of the noise that hides errors of standard deviation `slot_error` in a result of `values` values:
    /// sqrt(24 * values * queries) * 2^(bits / 2) times as much.
    pub fn error(self, slot_error: f64, values: usize) -> f64 {
        let life = (24.0 * values as f64 * self.queries as f64).sqrt();
        life * (f64::from(self.statistical_bits) / 2.0).exp2() * slot_error
    }

    /// Floods a decryption of a circuit with `slot_error`. One call is one query: the caller counts it, durably, before
    /// the values are shown to anybody.
    ///
    /// # Errors
    /// [`ShareError::Precision`] if the error would be above `largest_error`; [`ShareError::OutOfRange`];
    /// [`ShareError::Entropy`].
    pub fn publish(
        self,
        decryption: &Private<Vec<f64>>,
        slot_error: f64,
        largest_error: f64,
    ) -> Result<Published> {
        let error = self.check(slot_error, largest_error, decryption.for_owner_only().len())?;
        let grid = f64::from(error.log2().floor() as i32 - GUARD_DIGITS).exp2();
        let values = decryption.for_owner_only();
        let noise = gaussian::normal(values.len())?;
        let flooded = values.iter().zip(noise);
        Ok(Published {
            values: flooded
                .map(|(value, deviate)| ((value + error * deviate) / grid).round() * grid)
                .collect(),
            error,
        })
    }

    /// The error that publishing a result of `values` values would cause, if it is at most `largest_error`.
    ///
    /// # Errors
    /// [`ShareError::Precision`], [`ShareError::OutOfRange`].
    pub fn check(self, slot_error: f64, largest_error: f64, values: usize) -> Result<f64> {
        if !(largest_error.is_finite() && largest_error > 0.0) {
            return Err(ShareError::out_of_range(
                "largest_error",
                largest_error,
                "positive and finite",
            ));
        }
        let error = self.error(slot_error, values);
        if error.is_finite() && error > 0.0 && error <= largest_error {
            return Ok(error);
        }
        Err(ShareError::Precision {
            error,
            allowed: largest_error,
        })
    }
}
