//! Sums of the rows of each ciphertext, of real numbers or integers, by rotation.

use crate::claims::Claims;
use crate::noise::exact::Exact;
use crate::noise::real::Real;
use crate::plan::{Plan, Shape};
use crate::slots::job::{Input, Job, Output, Workspace};
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator, Parameters};

/// Job for the sum of each row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Total;

impl Total {
    fn plan_frame(&self, parameters: &Parameters, frame: &Claims) -> Result<Plan, Error> {
        check_stride(parameters, frame)?;
        let (job, shape) = (self.name(), Shape::of_rows(frame));
        if parameters.plain_modulus.is_some() {
            let mut sum = Exact::fresh(parameters, frame);
            sum.sum_slots(frame.columns, frame.block());
            return sum.plan(job, shape);
        }
        let mut sum = Real::fresh(parameters, frame);
        sum.sum_rows(frame.columns, frame.block());
        sum.plan(job, shape, 1.0)
    }
}

impl Job for Total {
    fn name(&self) -> &'static str {
        "total"
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, _parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        row_rotations(frames)
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        let plans = frames
            .iter()
            .map(|frame| self.plan_frame(parameters, frame));
        plans.collect()
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        let (evaluator, keys) = (workspace.evaluator, workspace.keys);
        for_each(workspace, inputs, plans, |input, _| {
            let mut ciphertext = input.ciphertext.clone();
            sum_blocks(evaluator, &mut ciphertext, input.claims.block(), keys)?;
            Ok(ciphertext)
        })
    }
}

/// Makes one output per ciphertext, with progress.
pub(crate) fn for_each(
    workspace: &mut Workspace<'_>,
    inputs: &[Input<'_>],
    plans: &[Plan],
    mut one: impl FnMut(&Input<'_>, &Plan) -> Result<Ciphertext, Error>,
) -> Result<Vec<Output>, Error> {
    let mut outputs = Vec::with_capacity(inputs.len());
    for (input, plan) in inputs.iter().zip(plans) {
        let mut ciphertext = one(input, plan)?;
        plan.shrink(workspace.evaluator, &mut ciphertext)?;
        outputs.push(Output::new(ciphertext, plan));
        (workspace.progress)(outputs.len(), inputs.len());
    }
    Ok(outputs)
}

/// Rotations for the sums of rows: 1, 2, 4 ... up to half of the longest block.
pub(crate) fn row_rotations(frames: &[Claims]) -> Vec<i32> {
    let longest = frames.iter().map(Claims::block).max();
    rotations(longest.unwrap_or(1))
}

/// Rotations 1, 2, 4 ... block/2.
pub(crate) fn rotations(block: usize) -> Vec<i32> {
    (0..block.max(1).ilog2()).map(|bit| 1 << bit).collect()
}

/// Refuses rows that rotations cannot add up. A rotation moves the slots of n/2 in both schemes.
pub(crate) fn check_stride(parameters: &Parameters, frame: &Claims) -> Result<(), Error> {
    let (stride, most) = (frame.block(), parameters.ring_degree / 2);
    if stride.is_power_of_two() && stride <= most {
        return Ok(());
    }
    let least = frame.columns.next_power_of_two();
    Err(Error::Stride {
        stride,
        least,
        most,
    })
}

/// Adds up blocks: afterwards slot i holds the sum of slots i .. i + block - 1 (around the end).
pub(crate) fn sum_blocks(
    evaluator: Evaluator<'_>,
    ciphertext: &mut Ciphertext,
    block: usize,
    keys: Option<&EvaluationKeys>,
) -> Result<(), Error> {
    add_rotated(evaluator, ciphertext, rotations(block), keys)
}

/// Adds to a ciphertext what it is, rotated by each step in turn.
pub(crate) fn add_rotated(
    evaluator: Evaluator<'_>,
    ciphertext: &mut Ciphertext,
    steps: impl IntoIterator<Item = i32>,
    keys: Option<&EvaluationKeys>,
) -> Result<(), Error> {
    for step in steps {
        let (job, rotations) = ("total", Vec::new());
        let keys = keys.ok_or(Error::KeysMissing { job, rotations })?;
        let mut rotated = ciphertext.clone();
        evaluator.rotate(&mut rotated, step, keys)?;
        evaluator.add(ciphertext, &rotated)?;
    }
    Ok(())
}
