//! Inner products of weights with the sum of all frames, row by row: one plaintext product for any number of frames.

use crate::claims::Claims;
use crate::plan::{Plan, Shape};
use crate::slots::inner_product::InnerProduct;
use crate::slots::job::{add_all, Aggregate, Input, Job, Output, Workspace};
use crate::slots::sums::{real_sum, shrunk};
use crate::slots::total::row_rotations;
use crate::Error;
use isopod_seal::{Ciphertext, Parameters};

/// Job for the inner product of weights, one per column, with each row of the sum of all ciphertexts.
#[derive(Debug, Clone)]
pub struct Dot {
    /// Weights, one per column of a row.
    pub weights: Vec<f64>,
}

impl Dot {
    fn product(&self) -> InnerProduct {
        InnerProduct {
            weights: self.weights.clone(),
            bias: 0.0,
        }
    }
}

/// Claims of the first frame, with the most rows of all.
fn longest(frames: &[Claims]) -> Claims {
    Claims {
        rows: Shape::longest(frames).rows,
        ..frames[0]
    }
}

impl Job for Dot {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, _parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        row_rotations(&[longest(frames)])
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        crate::slots::job::check_alike(self.name(), frames, crate::slots::job::SLOT_BY_SLOT)?;
        let product = self.product();
        product.check(self.name(), parameters, frames)?;
        let sum = real_sum(parameters, frames)?;
        let plan = product.plan_rows(self.name(), sum, &longest(frames))?;
        Ok(vec![plan])
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        let frames: Vec<Claims> = inputs.iter().map(|input| input.claims).collect();
        let sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        Ok(vec![self.finish(workspace, sum, &frames, &plans[0])?])
    }
}

impl Aggregate for Dot {
    fn finish(
        &self,
        workspace: &mut Workspace<'_>,
        sum: Ciphertext,
        frames: &[Claims],
        plan: &Plan,
    ) -> Result<Output, Error> {
        let product = self.product();
        let mut rows = product.rows(workspace.evaluator, workspace.keys);
        let input = Input {
            ciphertext: &sum,
            claims: longest(frames),
        };
        let product = rows.of(&input, plan.weight_scale)?;
        shrunk(workspace, product, plan)
    }
}
