//! Linear scores of rows by an output of a linear or logistic model.

use crate::claims::Claims;
use crate::model::linear::ModelOutput;
use crate::plan::Plan;
use crate::slots::inner_product::InnerProduct;
use crate::slots::job::{Input, Job, Output, Workspace};
use crate::Error;
use isopod_seal::Parameters;

/// Job for the linear score of every row, for linear and logistic models alike: the owner applies the sigmoid after
/// decryption, exactly and at no cost; the sign alone decides already.
#[derive(Debug, Clone)]
pub struct Scoring {
    product: InnerProduct,
}

impl Scoring {
    /// Prepares rows of standardised features.
    pub fn new(output: &ModelOutput) -> Self {
        Scoring {
            product: InnerProduct {
                weights: output.weights.clone(),
                bias: output.bias,
            },
        }
    }

    pub(crate) fn product(&self) -> &InnerProduct {
        &self.product
    }
}

impl Job for Scoring {
    fn name(&self) -> &'static str {
        "score"
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        self.product.rotations(parameters, frames)
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        self.product.plan_as(self.name(), parameters, frames)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        self.product.work(workspace, inputs, plans)
    }
}
