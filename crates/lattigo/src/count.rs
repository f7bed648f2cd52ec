//! How many readings are above or below a threshold: what is asked, within which gap, and how far the answer may be off.

use crate::{Error, Result};
use isopod_linear::Merged;

/// Smallest distance from the threshold, as a share of the range, at which a sign is right: `deep/circuit/sign.go`.
const GAP: f64 = 1.0 / 256.0;
/// Bound on the error of a sign outside of the gap, likewise.
const SIGN_ERROR: f64 = 2e-4;
/// Room of the range for noise of the bootstrapping, which is below 2^-20 of it.
const MARGIN: f64 = 1.0 + 1.0 / 1024.0;
/// log2 of the scale at which a mean of slots leaves: `deep/circuit/count.go`.
const LOG_ANSWER_SCALE: i32 = 25;
/// Variance of a ternary coefficient; that of a rounding.
const TERNARY: f64 = 2.0 / 3.0;
const ROUNDING: f64 = 1.0 / 12.0;
/// Deviations that noise exceeds with probability 2^-29.
const DEVIATIONS: f64 = 6.0;

/// Direction of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Readings above it.
    Above,
    /// Readings below it.
    Below,
}

/// How many readings of a merged ciphertext are on one side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// The threshold, in the unit of the readings.
    pub threshold: f64,
    /// Which readings are counted.
    pub side: Side,
}

/// Promise of a count, made before it is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountPlan {
    /// Readings that are counted or not.
    pub readings: usize,
    /// Readings further from the threshold than this are counted right. Each that is nearer may be off by 1 by itself.
    pub gap: f64,
    /// Bound on the error of the count, apart from readings within the gap.
    pub error: f64,
    /// Largest |coefficient - threshold|, in units of the frames' coefficients.
    pub(crate) range: f64,
    pub(crate) threshold: f64,
}

impl Count {
    /// Bounds what the count of a merged ciphertext will be.
    ///
    /// # Errors
    /// [`Error::Allowed`] for a threshold that no reading can reach.
    pub fn plan(&self, merged: &Merged) -> Result<CountPlan> {
        let bound = f64::from(merged.log2_bound()).exp2();
        if self.threshold.is_nan() || self.threshold.abs() > bound {
            let allowed = format!("-{bound} to {bound}, the bound of the readings");
            return Err(Error::allowed("threshold", self.threshold, allowed));
        }
        let unit = f64::from(merged.header.log2_scale).exp2();
        // A reading is rounded to half a unit.
        let noise = merged.noise + 0.5;
        let range = (bound * unit + self.threshold.abs() * unit + noise) * MARGIN;
        let readings = merged.readings().count();
        Ok(CountPlan {
            readings,
            gap: (range * GAP + noise) / unit,
            error: readings as f64 * SIGN_ERROR / 2.0 + answer_noise(merged),
            range,
            threshold: self.threshold * unit,
        })
    }
}

/// Noise of a count: roundings of coefficients, under the keys of both rings, in units of 2^25 times two over the slots.
fn answer_noise(merged: &Merged) -> f64 {
    let rounding = |degree: usize| (ROUNDING * (1.0 + TERNARY * degree as f64)).sqrt();
    let units = DEVIATIONS * (rounding(merged.large.degree) + 2.0 * rounding(merged.degree));
    let slots = merged.large.degree as f64 / 2.0;
    units * slots / 2.0 / f64::from(LOG_ANSWER_SCALE).exp2()
}
