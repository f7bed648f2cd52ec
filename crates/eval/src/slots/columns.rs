//! Sums of columns over all rows of all ciphertexts, of real numbers or integers, by rotations. Unused slots are zero, so that
//! frames may differ in their rows.

use isopod_linear::RowMask;
use isopod_seal::{Ciphertext, Parameters};

use crate::claims::Claims;
use crate::noise::real::Real;
use crate::plan::{Plan, Shape};
use crate::slots::job::{
    check_alike, check_reals, Aggregate, Input, Job, Output, Workspace, SLOT_BY_SLOT,
};
use crate::slots::sums::{exact_sum, real_sum, shrunk};
use crate::slots::total::{add_rotated, check_stride};
use crate::Error;

/// Job for the sum of each column.
#[derive(Debug, Clone)]
pub struct ColumnSum {
    /// Name of the job.
    pub name: &'static str,
    /// Rows that are added up. A mask takes a plaintext product, which only real numbers have.
    pub rows: RowMask,
    /// Divisor of the sums of real numbers; 1 for the sums.
    pub divisor: f64,
}

/// Rows that are added up by rotations: the most of any frame, and the power of two that holds them.
fn blocks(frames: &[Claims]) -> (usize, usize) {
    let rows = Shape::longest(frames).rows;
    (rows, rows.next_power_of_two())
}

fn steps(frames: &[Claims]) -> impl Iterator<Item = i32> {
    let (_, block) = blocks(frames);
    let stride = frames.first().map_or(1, |frame| frame.stride);
    (0..block.ilog2()).map(move |bit| (stride << bit) as i32)
}

impl ColumnSum {
    /// Refuses rows that rotations cannot add up.
    fn check_rows(&self, parameters: &Parameters, frames: &[Claims]) -> Result<(), Error> {
        check_alike(self.name, frames, SLOT_BY_SLOT)?;
        let most = parameters.ring_degree / 2;
        for (index, frame) in frames.iter().enumerate() {
            if frame.rows > 1 {
                check_stride(parameters, frame)?;
            }
            let count = frame.count();
            if count > most {
                return Err(Error::Count { index, count, most });
            }
        }
        if self.divisor != 1.0 {
            check_reals(self.name, parameters)?;
        }
        match self.rows.entries().is_empty() || parameters.plain_modulus.is_none() {
            true => Ok(()),
            false => Err(Error::Setting {
                field: "rows",
                problem: "select some of the rows; allowed for integers in slots are all rows"
                    .into(),
            }),
        }
    }

    /// The mask as weights of the rows of a block; None if it takes every row.
    fn weights(&self, rows: usize) -> Option<Vec<f64>> {
        let weight = |row| f64::from(u8::from(self.rows.takes(row)));
        (!self.rows.entries().is_empty()).then(|| (0..rows).map(weight).collect())
    }

    fn plan_real(&self, mut sum: Real<'_>, frames: &[Claims], shape: Shape) -> Result<Plan, Error> {
        let (rows, block) = blocks(frames);
        let mut scale = 1.0;
        match self.weights(rows) {
            None => sum.sum_rows(rows, block),
            Some(weights) => {
                let taken: f64 = weights.iter().sum();
                // A divisor makes the scale no power of two, which costs up to a bit.
                let room = if self.divisor == 1.0 { 1.0 } else { 2.0 };
                scale = sum.weight_scale(self.name, room * sum.bound * taken)?;
                sum.times_rows(&weights, scale, block);
            }
        }
        sum.check_fit(self.name)?;
        sum.divide(self.divisor);
        sum.plan(self.name, shape, scale)
    }
}

impl Job for ColumnSum {
    fn name(&self) -> &'static str {
        self.name
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, _parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        steps(frames).collect()
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        self.check_rows(parameters, frames)?;
        let shape = Shape {
            rows: 1,
            columns: frames[0].columns,
            stride: frames[0].columns,
        };
        if parameters.plain_modulus.is_none() {
            let sum = real_sum(parameters, frames)?;
            return Ok(vec![self.plan_real(sum, frames, shape)?]);
        }
        let (rows, block) = blocks(frames);
        let mut sum = exact_sum(parameters, frames)?;
        sum.sum_slots(rows, block);
        Ok(vec![sum.plan(self.name, shape)?])
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

impl Aggregate for ColumnSum {
    fn finish(
        &self,
        workspace: &mut Workspace<'_>,
        mut sum: Ciphertext,
        frames: &[Claims],
        plan: &Plan,
    ) -> Result<Output, Error> {
        let (evaluator, stride) = (workspace.evaluator, frames[0].stride);
        if let Some(weights) = self.weights(Shape::longest(frames).rows) {
            let slots = workspace.parameters().slots();
            let weight = |slot: usize| weights.get(slot / stride).copied().unwrap_or(0.0);
            let mask: Vec<f64> = (0..slots).map(weight).collect();
            let context = evaluator.context();
            let mask = context.encode(&mask, plan.weight_scale, sum.primes())?;
            evaluator.multiply_encoded(&mut sum, &mask, plan.weight_scale)?;
        }
        add_rotated(evaluator, &mut sum, steps(frames), workspace.keys)?;
        if self.divisor != 1.0 {
            evaluator.divide(&mut sum, self.divisor)?;
        }
        shrunk(workspace, sum, plan)
    }
}
