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

/// Most ciphertexts of one count: `deep/circuit/count.go`.
pub(crate) const MOST_CIPHERTEXTS: usize = 1 << 12;

/// How many readings of merged ciphertexts are on one side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// The threshold, in the unit of the readings.
    pub threshold: f64,
    /// Which readings are counted.
    pub side: Side,
    /// The gap that is asked for; None for whatever the bounds of the readings give.
    pub gap: Option<f64>,
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
    /// Bounds what the count of merged ciphertexts will be.
    ///
    /// # Errors
    /// [`Error::Allowed`] for a threshold that no reading can reach, a gap that is not reached, ciphertexts that differ in a
    /// field of their headers, and for more or fewer than are counted together.
    pub fn plan(&self, merged: &[Merged]) -> Result<CountPlan> {
        let first = match merged {
            [first, ..] if merged.len() <= MOST_CIPHERTEXTS => first,
            _ => {
                let allowed = format!("1 to {MOST_CIPHERTEXTS}");
                return Err(Error::allowed("ciphertexts", merged.len(), allowed));
            }
        };
        let mut others = merged.iter();
        if let Some(field) = others.find_map(|other| first.header.difference(&other.header)) {
            return Err(Error::allowed(field, "another", "that of the first"));
        }
        let log2_bound = merged.iter().map(Merged::log2_bound).max();
        let bound = f64::from(log2_bound.unwrap_or(i32::MIN)).exp2();
        if self.threshold.is_nan() || self.threshold.abs() > bound {
            let allowed = format!("-{bound} to {bound}, the bound of the readings");
            return Err(Error::allowed("threshold", self.threshold, allowed));
        }
        let unit = f64::from(first.header.log2_scale).exp2();
        // A reading is rounded to half a unit.
        let noise = merged.iter().map(|one| one.noise).fold(0.0, f64::max) + 0.5;
        let range = (bound * unit + self.threshold.abs() * unit + noise) * MARGIN;
        let gap = self.reached((range * GAP + noise) / unit)?;
        let readings = merged.iter().map(|one| one.readings().count()).sum();
        Ok(CountPlan {
            readings,
            gap,
            error: readings as f64 * SIGN_ERROR / 2.0 + answer_noise(first, merged.len()),
            range,
            threshold: self.threshold * unit,
        })
    }

    /// The gap, unless a smaller one was asked for.
    fn reached(&self, gap: f64) -> Result<f64> {
        match self.gap {
            Some(asked) if asked.is_nan() || asked < gap => {
                let allowed =
                    format!("{gap:.3e} or more, by the bound, scale and noise of the frames");
                Err(Error::allowed("gap", asked, allowed))
            }
            _ => Ok(gap),
        }
    }
}

/// Noise of a count: roundings of coefficients, under the keys of both rings, in units of the scale times two over the slots. The
/// scale halves with twice as many ciphertexts.
fn answer_noise(like: &Merged, ciphertexts: usize) -> f64 {
    let rounding = |degree: usize| (ROUNDING * (1.0 + TERNARY * degree as f64)).sqrt();
    let units = DEVIATIONS * (rounding(like.large.degree) + 2.0 * rounding(like.degree));
    let slots = like.large.degree as f64 / 2.0;
    let smaller = ciphertexts.next_power_of_two() as f64;
    units * slots / 2.0 / f64::from(LOG_ANSWER_SCALE).exp2() * smaller
}
