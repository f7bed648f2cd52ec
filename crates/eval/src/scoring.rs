//! Linear scores of rows by a linear or logistic model.

use crate::bounds::Precision;
use crate::inner_product::InnerProduct;
use crate::job::{Input, Job, Output, Workspace};
use crate::model::Model;
use crate::Error;

/// Job for the linear score of every row, for linear and logistic models alike: the owner applies the sigmoid after
/// decryption, exactly and at no cost; the sign alone decides already.
#[derive(Debug, Clone)]
pub struct Scoring {
    product: InnerProduct,
}

impl Scoring {
    /// Prepares rows of standardised features, padded to the next power of two.
    pub fn new(model: &Model, precision: Precision) -> Self {
        let stride = model.weights.len().next_power_of_two().max(2);
        Scoring {
            product: InnerProduct {
                weights: model.weights.clone(),
                bias: model.bias,
                stride,
                precision,
            },
        }
    }

    /// Distance between rows, in slots.
    pub fn stride(&self) -> usize {
        self.product.stride
    }

    pub(crate) fn product(&self) -> &InnerProduct {
        &self.product
    }
}

impl Job for Scoring {
    fn name(&self) -> &'static str {
        "score"
    }

    fn required_rotations(&self) -> Vec<i32> {
        self.product.required_rotations()
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.product.check_own(workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        self.product.work(workspace, inputs)
    }
}
