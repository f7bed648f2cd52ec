//! Sums over ciphertexts, slot by slot, of real numbers or integers. No keys are needed.

use crate::claims::Claims;
use crate::noise::exact::Exact;
use crate::noise::real::Real;
use crate::plan::{Plan, Shape};
use crate::slots::job::{
    add_all, check_alike, check_integers, check_reals, Aggregate, Input, Job, Output, Workspace,
    SLOT_BY_SLOT,
};
use crate::Error;
use isopod_seal::{Ciphertext, Parameters};

/// Job for the slot-wise sum.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum;

/// Job for the slot-wise mean over all ciphertexts of real numbers: the sum under a scale that is multiplied by their number,
/// which divides every slot exactly, without noise and without using up a prime.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

/// Job for the slot-wise sum of weight times ciphertext, with one weight per ciphertext.
#[derive(Debug, Clone)]
pub enum WeightedSum {
    /// Weights of real numbers; one that vanishes at the weight scale leaves its ciphertext out.
    Real(Vec<f64>),
    /// Weights of integers; one of zero leaves its ciphertext out.
    Integers(Vec<i64>),
}

impl Job for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        check_alike(self.name(), frames, SLOT_BY_SLOT)?;
        let shape = Shape::longest(frames);
        let plan = if parameters.plain_modulus.is_some() {
            exact_sum(parameters, frames)?.plan(self.name(), shape)
        } else {
            real_sum(parameters, frames)?.plan(self.name(), shape, 1.0)
        };
        Ok(vec![plan?])
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        self.add_and_finish(workspace, inputs, plans)
    }
}

impl Aggregate for Sum {
    fn finish(
        &self,
        workspace: &mut Workspace<'_>,
        sum: Ciphertext,
        _frames: &[Claims],
        plan: &Plan,
    ) -> Result<Output, Error> {
        shrunk(workspace, sum, plan)
    }
}

impl Job for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        check_alike(self.name(), frames, SLOT_BY_SLOT)?;
        check_alike(self.name(), frames, &[("rows", |frame| frame.rows as f64)])?;
        check_reals(self.name(), parameters)?;
        let mut mean = real_sum(parameters, frames)?;
        mean.check_fit(self.name())?;
        mean.divide(number(frames));
        Ok(vec![mean.plan(self.name(), Shape::longest(frames), 1.0)?])
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        self.add_and_finish(workspace, inputs, plans)
    }
}

impl Aggregate for Mean {
    fn finish(
        &self,
        workspace: &mut Workspace<'_>,
        mut mean: Ciphertext,
        frames: &[Claims],
        plan: &Plan,
    ) -> Result<Output, Error> {
        workspace.evaluator.divide(&mut mean, number(frames))?;
        shrunk(workspace, mean, plan)
    }
}

/// Number of frames in a sum.
fn number(frames: &[Claims]) -> f64 {
    frames.iter().map(|group| group.frames as f64).sum()
}

impl WeightedSum {
    fn weights(&self) -> usize {
        match self {
            Self::Real(weights) => weights.len(),
            Self::Integers(weights) => weights.len(),
        }
    }

    fn plan_real(
        &self,
        parameters: &Parameters,
        frames: &[Claims],
        weights: &[f64],
    ) -> Result<Plan, Error> {
        let first = Real::fresh(parameters, &frames[0]);
        let bounds = frames.iter().zip(weights);
        let bound: f64 = bounds
            .map(|(frame, weight)| frame.bound * weight.abs())
            .sum();
        let scale = first.weight_scale(self.name(), bound.max(f64::MIN_POSITIVE))?;
        if !weights.iter().any(|&weight| keeps(weight, scale)) {
            let (job, weight_scale) = (self.name(), scale);
            return Err(Error::ZeroWeights { job, weight_scale });
        }
        let terms = frames.iter().zip(weights).map(|(frame, &weight)| {
            let mut term = Real::fresh(parameters, frame);
            term.times_constant(weight, scale);
            term
        });
        total(terms, Real::add)?.plan(self.name(), Shape::longest(frames), scale)
    }

    fn plan_exact(
        &self,
        parameters: &Parameters,
        frames: &[Claims],
        weights: &[i64],
    ) -> Result<Plan, Error> {
        if weights.iter().all(|&weight| weight == 0) {
            return Err(Error::Setting {
                field: "weights",
                problem: "are all zero; at least one must not be".into(),
            });
        }
        let terms = frames.iter().zip(weights).map(|(frame, &weight)| {
            let mut term = Exact::fresh(parameters, frame);
            term.times(weight as f64);
            term
        });
        total(terms, Exact::add)?.plan(self.name(), Shape::longest(frames))
    }
}

impl Job for WeightedSum {
    fn name(&self) -> &'static str {
        match self {
            Self::Real(..) => "weighted sum",
            Self::Integers(..) => "weighted",
        }
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        if frames.len() != self.weights() {
            return Err(Error::InputCount {
                job: self.name(),
                weights: self.weights(),
                inputs: frames.len(),
            });
        }
        check_alike(self.name(), frames, SLOT_BY_SLOT)?;
        let plan = match self {
            Self::Real(weights) => {
                check_reals(self.name(), parameters)?;
                self.plan_real(parameters, frames, weights)
            }
            Self::Integers(weights) => {
                check_integers(self.name(), parameters)?;
                self.plan_exact(parameters, frames, weights)
            }
        };
        Ok(vec![plan?])
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        let (evaluator, scale) = (workspace.evaluator, plans[0].weight_scale);
        let sum = add_all(workspace, inputs, |index, mut ciphertext| {
            match self {
                Self::Real(weights) if keeps(weights[index], scale) => {
                    evaluator.multiply_constant(&mut ciphertext, weights[index], scale)?;
                }
                Self::Integers(weights) if weights[index] != 0 => {
                    evaluator.multiply_integer(&mut ciphertext, weights[index])?;
                }
                _ => return Ok(None),
            }
            Ok(Some(ciphertext))
        })?;
        Ok(vec![shrunk(workspace, sum, &plans[0])?])
    }
}

/// Whether a weight is not zero at a scale.
pub(crate) fn keeps(weight: f64, scale: f64) -> bool {
    (weight * scale).round() != 0.0
}

/// Adds up estimates of independent terms.
fn total<T>(terms: impl Iterator<Item = T>, add: impl Fn(&mut T, &T)) -> Result<T, Error> {
    let sum = terms.reduce(|mut sum, term| {
        add(&mut sum, &term);
        sum
    });
    sum.ok_or(Error::NoInputs { job: "sum" })
}

pub(crate) fn real_sum<'set>(
    parameters: &'set Parameters,
    frames: &[Claims],
) -> Result<Real<'set>, Error> {
    let terms = frames.iter().map(|frame| Real::fresh(parameters, frame));
    total(terms, Real::add)
}

pub(crate) fn exact_sum<'set>(
    parameters: &'set Parameters,
    frames: &[Claims],
) -> Result<Exact<'set>, Error> {
    let terms = frames.iter().map(|frame| Exact::fresh(parameters, frame));
    total(terms, Exact::add)
}

/// The output of a sum, as small as planned.
pub(crate) fn shrunk(
    workspace: &Workspace<'_>,
    mut sum: Ciphertext,
    plan: &Plan,
) -> Result<Output, Error> {
    plan.shrink(workspace.evaluator, &mut sum)?;
    Ok(Output::new(sum, plan))
}
