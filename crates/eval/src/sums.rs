//! Sums over ciphertexts, slot by slot, of real numbers or integers. No keys are needed.

use crate::bounds::{check_alike, Bounds, Precision, Reach};
use crate::job::{Input, Job, Output, Slots, Workspace};
use crate::noise::NoiseBound;
use crate::Error;
use isopod_seal::Ciphertext;

/// Job for the slot-wise sum. Of a precision it uses only `largest_value` and `tolerance`.
#[derive(Debug, Clone, Copy)]
pub struct Sum {
    /// Bounds of the values.
    pub bounds: Bounds,
}

/// Job for the slot-wise mean over all ciphertexts of real numbers: the sum under a scale that is multiplied by their number,
/// which divides every slot exactly, without noise and without using up a prime.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean {
    /// Bounds of the values.
    pub precision: Precision,
}

/// Job for the slot-wise sum of weight times ciphertext, with one weight per ciphertext.
#[derive(Debug, Clone)]
pub enum WeightedSum {
    /// Weights of real numbers; one that vanishes at the weight scale leaves its ciphertext out.
    Real(Vec<f64>, Precision),
    /// Weights of integers and the largest magnitude of the values; a weight of zero leaves its ciphertext out.
    Integers(Vec<i64>, u64),
}

impl Sum {
    fn reach(&self, inputs: usize) -> Reach {
        match self.bounds {
            Bounds::Real(precision) => {
                precision.reach(1.0, precision.largest_value * inputs as f64)
            }
            Bounds::Integers(largest) => Reach::Exact {
                largest: (inputs as u64).saturating_mul(largest),
                noise: NoiseBound::scaled(inputs as u64),
            },
        }
    }
}

impl Job for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.bounds.check(inputs)?;
        self.reach(inputs.len())
            .check(self.name(), workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let mut sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        self.reach(inputs.len())
            .shrink(workspace.evaluator, &mut sum)?;
        Ok(output(sum, inputs))
    }
}

impl Job for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        Bounds::Real(self.precision).check(inputs)?;
        self.precision
            .reach(inputs.len() as f64, self.precision.largest_value)
            .check(self.name(), workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let mut mean = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        workspace.evaluator.divide(&mut mean, inputs.len() as f64)?;
        self.precision
            .reach(1.0, self.precision.largest_value)
            .shrink(workspace.evaluator, &mut mean)?;
        Ok(output(mean, inputs))
    }
}

impl WeightedSum {
    fn weights(&self) -> usize {
        match self {
            Self::Real(weights, _) => weights.len(),
            Self::Integers(weights, _) => weights.len(),
        }
    }

    fn reach(&self) -> Reach {
        match self {
            Self::Real(weights, precision) => {
                precision.reach(precision.weight_scale(), precision.largest_product(weights))
            }
            Self::Integers(weights, largest) => {
                let growth = magnitude(weights);
                Reach::Exact {
                    largest: growth.saturating_mul(*largest),
                    noise: NoiseBound::scaled(growth),
                }
            }
        }
    }

    fn check_weights(&self) -> Result<(), Error> {
        match self {
            Self::Real(weights, precision) => precision.check_weights(self.name(), weights),
            Self::Integers(weights, _) if magnitude(weights) == 0 => Err(Error::Setting {
                field: "weights",
                problem: "are all zero; at least one must not be".into(),
            }),
            Self::Integers(..) => Ok(()),
        }
    }

    fn bounds(&self) -> Bounds {
        match *self {
            Self::Real(_, precision) => Bounds::Real(precision),
            Self::Integers(_, largest) => Bounds::Integers(largest),
        }
    }
}

fn magnitude(weights: &[i64]) -> u64 {
    let magnitudes = weights.iter().map(|weight| weight.unsigned_abs());
    magnitudes.fold(0, u64::saturating_add)
}

impl Job for WeightedSum {
    fn name(&self) -> &'static str {
        match self {
            Self::Real(..) => "weighted sum",
            Self::Integers(..) => "weighted",
        }
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        if inputs.len() != self.weights() {
            return Err(Error::InputCount {
                job: self.name(),
                weights: self.weights(),
                inputs: inputs.len(),
            });
        }
        self.check_weights()?;
        self.bounds().check(inputs)?;
        self.reach().check(self.name(), workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let evaluator = workspace.evaluator;
        let mut sum = add_all(workspace, inputs, |index, mut ciphertext| {
            match self {
                Self::Real(weights, precision) if precision.keeps(weights[index]) => {
                    let scale = precision.weight_scale();
                    evaluator.multiply_constant(&mut ciphertext, weights[index], scale)?;
                }
                Self::Integers(weights, _) if weights[index] != 0 => {
                    evaluator.multiply_integer(&mut ciphertext, weights[index])?;
                }
                _ => return Ok(None),
            }
            Ok(Some(ciphertext))
        })?;
        self.reach().shrink(evaluator, &mut sum)?;
        Ok(output(sum, inputs))
    }
}

impl Bounds {
    /// Checks settings, and that real numbers have one level and scale. [`Reach`] covers integers.
    fn check(&self, inputs: &[Input<'_>]) -> Result<(), Error> {
        match self {
            Self::Real(precision) => {
                precision.check()?;
                check_alike(inputs)
            }
            Self::Integers(_) => Ok(()),
        }
    }
}

/// Adds the terms that `term` makes of ciphertexts; it may leave out some of them, but not all.
pub(crate) fn add_all(
    workspace: &mut Workspace<'_>,
    inputs: &[Input<'_>],
    term: impl Fn(usize, Ciphertext) -> Result<Option<Ciphertext>, Error>,
) -> Result<Ciphertext, Error> {
    let mut sum: Option<Ciphertext> = None;
    for (index, input) in inputs.iter().enumerate() {
        if let Some(next) = term(index, input.ciphertext.clone())? {
            match sum.as_mut() {
                Some(sum) => workspace.evaluator.add(sum, &next)?,
                None => sum = Some(next),
            }
        }
        (workspace.progress)(index + 1, inputs.len());
    }
    sum.ok_or(Error::NoInputs { job: "sum" })
}

fn output(ciphertext: Ciphertext, inputs: &[Input<'_>]) -> Vec<Output> {
    let count = inputs.iter().map(|input| input.count).max().unwrap_or(0);
    let (first, step) = (0, 1);
    let slots = Slots { first, step, count };
    vec![Output { ciphertext, slots }]
}
