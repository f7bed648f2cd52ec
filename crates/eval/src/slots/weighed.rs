//! Sums whose frames were multiplied by integers as they were added up: weights over a power of two.

use crate::claims::Claims;
use crate::noise::exact::Exact;
use crate::noise::real::Real;
use crate::plan::{Plan, Shape};
use crate::slots::job::{check_alike, Aggregate, Input, Job, Output, Workspace, SLOT_BY_SLOT};
use crate::slots::sums::shrunk;
use crate::Error;
use isopod_seal::{Ciphertext, Parameters};

/// Most bits behind the point of a weight.
pub const WEIGHT_BITS: u8 = 24;

/// Job for the slot-wise sum of weight times ciphertext, where a sum of integers times ciphertexts is at hand.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// Integer of each group of frames with the same claims.
    pub weights: Vec<i32>,
    /// The weights are these integers over 2^bits; 0 in BFV.
    pub bits: u8,
}

impl Weighed {
    fn real(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Plan, Error> {
        let scale = f64::from(self.bits).exp2();
        let terms = frames.iter().zip(&self.weights).map(|(frame, &weight)| {
            let mut term = Real::fresh(parameters, frame);
            let message = term.bound * term.scale;
            term.times_constant(f64::from(weight) / scale, scale);
            // An integer is at most half a unit off the weight that it stands for.
            if self.bits > 0 {
                term.bias += 0.5 * message;
                term.bound += 0.5 * message / term.scale;
            }
            term
        });
        let sum = terms.reduce(|mut sum, term| {
            sum.add(&term);
            sum
        });
        let sum = sum.ok_or(Error::NoInputs { job: self.name() })?;
        sum.plan(self.name(), Shape::longest(frames), 1.0)
    }

    fn exact(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Plan, Error> {
        let terms = frames.iter().zip(&self.weights).map(|(frame, &weight)| {
            let mut term = Exact::fresh(parameters, frame);
            term.times(f64::from(weight));
            term
        });
        let sum = terms.reduce(|mut sum, term| {
            sum.add(&term);
            sum
        });
        let sum = sum.ok_or(Error::NoInputs { job: self.name() })?;
        sum.plan(self.name(), Shape::longest(frames))
    }
}

impl Job for Weighed {
    fn name(&self) -> &'static str {
        "weighted"
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        if frames.len() != self.weights.len() {
            return Err(Error::InputCount {
                job: self.name(),
                weights: self.weights.len(),
                inputs: frames.len(),
            });
        }
        check_alike(self.name(), frames, SLOT_BY_SLOT)?;
        let plan = match parameters.plain_modulus {
            Some(_) => self.exact(parameters, frames),
            None => self.real(parameters, frames),
        };
        Ok(vec![plan?])
    }

    fn work(
        &self,
        _workspace: &mut Workspace<'_>,
        _inputs: &[Input<'_>],
        _plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        // Weights enter as frames are added up, before SEAL sees them.
        Err(Error::NoInputs { job: self.name() })
    }
}

impl Aggregate for Weighed {
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
