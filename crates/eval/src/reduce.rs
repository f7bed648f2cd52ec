//! Bits: what fits a modulus, and how far a result can shrink.

use crate::Error;
use isopod_seal::{Ciphertext, Evaluator, Parameters};

/// What a job may assume of values and must keep of precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// No encrypted value is larger than this in absolute value; positive. Larger ones give wrong answers, unnoticed.
    pub largest_value: f64,
    /// log2 of the scale at which weights are encoded, from 1 to 60.
    pub log2_weight_scale: u32,
    /// The error that rescaling a result may add to a slot; positive. Smaller answers travel if it is larger.
    pub tolerance: f64,
}

impl Default for Precision {
    /// Values within +-8, weights at 2^22, 2^-12 of tolerance: for standardised readings.
    fn default() -> Self {
        Precision {
            largest_value: 8.0,
            log2_weight_scale: 22,
            tolerance: 2f64.powi(-12),
        }
    }
}

impl Precision {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if !positive(self.largest_value) {
            return Err(Error::Setting {
                field: "largest_value",
                problem: "must be a positive number",
            });
        }
        if !positive(self.tolerance) {
            return Err(Error::Setting {
                field: "tolerance",
                problem: "must be a positive number",
            });
        }
        if !(1..=60).contains(&self.log2_weight_scale) {
            return Err(Error::Setting {
                field: "log2_weight_scale",
                problem: "must be from 1 to 60",
            });
        }
        Ok(())
    }

    pub(crate) fn weight_scale(&self) -> f64 {
        2f64.powi(self.log2_weight_scale as i32)
    }

    /// Weights that vanish at the weight scale give a product without a mask.
    pub(crate) fn check_weights(&self, job: &'static str, weights: &[f64]) -> Result<(), Error> {
        if weights.iter().any(|weight| self.keeps(*weight)) {
            Ok(())
        } else {
            Err(Error::ZeroWeights {
                job,
                log2_weight_scale: self.log2_weight_scale,
            })
        }
    }

    pub(crate) fn keeps(&self, weight: f64) -> bool {
        (weight * self.weight_scale()).abs() >= 1.0
    }

    /// The largest possible |sum of weights * values|.
    pub(crate) fn largest_product(&self, weights: &[f64]) -> f64 {
        self.largest_value * weights.iter().map(|weight| weight.abs()).sum::<f64>()
    }
}

/// Coefficients are at most scale * largest slot in absolute value; one more bit is the sign.
fn needed_bits(scale: f64, largest: f64) -> f64 {
    (scale * largest.max(1.0)).log2() + 1.0
}

/// That values up to `largest` at `scale` fit `primes` data primes.
pub(crate) fn check_fit(
    job: &'static str,
    parameters: &Parameters,
    primes: usize,
    scale: f64,
    largest: f64,
) -> Result<(), Error> {
    let (needed, has) = (needed_bits(scale, largest), parameters.log2_modulus(primes));
    if needed <= has {
        Ok(())
    } else {
        Err(Error::Overflow {
            job,
            set: parameters.name.clone(),
            needed,
            has,
        })
    }
}

/// Rescales while the rounding stays tolerable, then drops every prime that the value does not need.
pub(crate) fn shrink(
    evaluator: Evaluator<'_>,
    ciphertext: &mut Ciphertext,
    largest: f64,
    tolerance: f64,
) -> Result<(), Error> {
    let parameters = evaluator.context().parameters();
    let rounding = rescaling_error(parameters.ring_degree);
    while ciphertext.primes() > 1 {
        let last = parameters.data_primes[ciphertext.primes() - 1] as f64;
        if rounding * last / ciphertext.scale() > tolerance {
            break;
        }
        evaluator.rescale(ciphertext)?;
    }
    let fits = |&primes: &usize| {
        needed_bits(ciphertext.scale(), largest) <= parameters.log2_modulus(primes)
    };
    if let Some(primes) = (1..ciphertext.primes()).find(fits) {
        evaluator.switch_to(ciphertext, primes)?;
    }
    Ok(())
}

/// Six standard deviations, per slot and at scale 1, of the rounding by a rescale: each coefficient of c0 + c1*s is off
/// by a sum of 1 + 2n/3 terms of variance 1/12 (s is ternary), and a slot sums n coefficients.
fn rescaling_error(ring_degree: usize) -> f64 {
    let n = ring_degree as f64;
    6.0 * (n * (1.0 + 2.0 * n / 3.0) / 12.0).sqrt()
}
