//! Bounds on results: the check before the work that they fit the modulus, and the smallest modulus after it.

use crate::job::{Input, Workspace};
use crate::noise::NoiseBound;
use crate::Error;
use isopod_seal::{Ciphertext, Evaluator, Parameters};

/// Bounds on real values, and the precision that a job keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Largest magnitude of an encrypted value; positive. Larger values give wrong results, unnoticed.
    pub largest_value: f64,
    /// log2 of the scale at which weights are encoded, from 1 to 60.
    pub log2_weight_scale: u32,
    /// Error that rescaling a result may add to a slot; positive. A larger one lets smaller results travel.
    pub tolerance: f64,
}

impl Default for Precision {
    /// For standardised readings: values within +-8, weights at 2^22, a tolerance of 2^-12.
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
                problem: "must be a positive number".into(),
            });
        }
        if !positive(self.tolerance) {
            return Err(Error::Setting {
                field: "tolerance",
                problem: "must be a positive number".into(),
            });
        }
        if !(1..=60).contains(&self.log2_weight_scale) {
            return Err(Error::Setting {
                field: "log2_weight_scale",
                problem: "must be from 1 to 60".into(),
            });
        }
        Ok(())
    }

    /// Reach of values up to `largest` at the inputs' scale times `growth`.
    pub(crate) fn reach(&self, growth: f64, largest: f64) -> Reach {
        Reach::Real {
            growth,
            largest,
            tolerance: self.tolerance,
        }
    }

    pub(crate) fn weight_scale(&self) -> f64 {
        2f64.powi(self.log2_weight_scale as i32)
    }

    /// Refuses weights that all vanish at the weight scale, since the product would have no mask.
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

    /// Largest possible |sum of weights * values|.
    pub(crate) fn largest_product(&self, weights: &[f64]) -> f64 {
        self.largest_value * weights.iter().map(|weight| weight.abs()).sum::<f64>()
    }
}

/// Bits of a coefficient: at most scale * largest slot in absolute value, and one more bit for the sign.
fn needed_bits(scale: f64, largest: f64) -> f64 {
    (scale * largest.max(1.0)).log2() + 1.0
}

/// Bounds on a job's inputs, by kind of number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// Real numbers (CKKS).
    Real(Precision),
    /// Integers (BFV), with the largest magnitude. Larger values give wrong results, unnoticed.
    Integers(u64),
}

/// Worst case of an output.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach {
    /// Values up to `largest` at the scale of the inputs times `growth`; rescaling may add an error of `tolerance`.
    Real {
        growth: f64,
        largest: f64,
        tolerance: f64,
    },
    /// Integers up to `largest`, with their noise.
    Exact { largest: u64, noise: NoiseBound },
}

impl Reach {
    /// Checks that the outputs are readable for these inputs, each alone or all at one level.
    pub(crate) fn check(
        &self,
        job: &'static str,
        workspace: &Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<(), Error> {
        let parameters = workspace.parameters();
        match *self {
            Self::Real {
                growth, largest, ..
            } => inputs.iter().try_for_each(|input| {
                let (primes, scale) = (input.ciphertext.primes(), input.ciphertext.scale());
                check_fit(job, parameters, primes, (scale * growth, largest))
            }),
            Self::Exact { largest, noise } => {
                let most = (workspace.context().plain_modulus()? - 1) / 2;
                if largest > most {
                    return Err(Error::PlainModulus { job, largest, most });
                }
                check_alike(inputs)?;
                let primes = inputs[0].ciphertext.primes();
                if noise.decrypts(parameters, primes, primes) {
                    return Ok(());
                }
                let set = parameters.name.clone();
                Err(Error::Noise { job, set })
            }
        }
    }

    /// Drops to the smallest modulus that holds an output.
    pub(crate) fn shrink(
        &self,
        evaluator: Evaluator<'_>,
        ciphertext: &mut Ciphertext,
    ) -> Result<(), Error> {
        match *self {
            Self::Real {
                largest, tolerance, ..
            } => shrink(evaluator, ciphertext, largest, tolerance),
            Self::Exact { noise, .. } => noise.shrink(evaluator, ciphertext),
        }
    }
}

/// Checks that all inputs have one level and one scale.
pub(crate) fn check_alike(inputs: &[Input<'_>]) -> Result<(), Error> {
    let of = |input: &Input<'_>| (input.ciphertext.primes(), input.ciphertext.scale());
    match inputs.iter().position(|input| of(input) != of(&inputs[0])) {
        Some(index) => Err(Error::Unequal { index }),
        None => Ok(()),
    }
}

/// Checks that values up to the largest, at a scale, fit `primes` data primes.
pub(crate) fn check_fit(
    job: &'static str,
    parameters: &Parameters,
    primes: usize,
    (scale, largest): (f64, f64),
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

/// Rescales while the rounding is tolerable, then drops every prime that the value does not need.
fn shrink(
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

/// Six standard deviations, per slot and at scale 1, of a rescale's rounding: the error of each coefficient of c0 + c1*s is
/// a sum of 1 + 2n/3 terms of variance 1/12 (s is ternary), and a slot sums n coefficients.
fn rescaling_error(ring_degree: usize) -> f64 {
    let n = ring_degree as f64;
    6.0 * (n * (1.0 + 2.0 * n / 3.0) / 12.0).sqrt()
}
