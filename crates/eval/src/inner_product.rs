//! Inner products of weights with rows of real numbers: one plaintext product, then a sum by rotations.

use crate::bounds::{Precision, Reach};
use crate::job::{Input, Job, Output, Workspace};
use crate::total::{check_stride, for_each, rotations, rows, sum_blocks};
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator, Plaintext};

/// Job for the inner product of `weights` with each block of `stride` slots, plus `bias`.
#[derive(Debug, Clone)]
pub struct InnerProduct {
    /// Weights, at most `stride` of them.
    pub weights: Vec<f64>,
    /// Constant that is added to every product.
    pub bias: f64,
    /// Distance between rows in slots, a power of two from 2 to n/2.
    pub stride: usize,
    /// Bounds of the values, and the weight scale.
    pub precision: Precision,
}

impl Job for InnerProduct {
    fn name(&self) -> &'static str {
        "inner product"
    }

    fn required_rotations(&self) -> Vec<i32> {
        rotations(self.stride)
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.precision.check()?;
        check_stride(
            self.stride,
            self.weights.len().max(2),
            workspace.parameters().slots(),
        )?;
        self.precision.check_weights(self.name(), &self.weights)?;
        self.reach().check(self.name(), workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let evaluator = workspace.evaluator;
        let mut products = self.rows(evaluator, workspace.keys(self)?);
        for_each(workspace, inputs, |input| {
            let mut ciphertext = products.of(input.ciphertext)?;
            self.reach().shrink(evaluator, &mut ciphertext)?;
            let slots = rows(self.stride, input.count);
            Ok(Output { ciphertext, slots })
        })
    }
}

impl InnerProduct {
    fn reach(&self) -> Reach {
        let largest = self.precision.largest_product(&self.weights) + self.bias.abs();
        self.precision.reach(self.precision.weight_scale(), largest)
    }

    /// Prepares the multiplication of rows.
    pub(crate) fn rows<'work>(
        &'work self,
        evaluator: Evaluator<'work>,
        keys: &'work EvaluationKeys,
    ) -> RowProducts<'work> {
        let repeated = self.repeated(evaluator.context().parameters().slots());
        RowProducts {
            product: self,
            evaluator,
            keys,
            repeated,
            encoded: None,
        }
    }

    /// Weights, repeated in every block.
    fn repeated(&self, slots: usize) -> Vec<f64> {
        let mut block = self.weights.clone();
        block.resize(self.stride, 0.0);
        block.into_iter().cycle().take(slots).collect()
    }
}

/// Products with bias, still at product scale, since rotations come before any rescale.
pub(crate) struct RowProducts<'work> {
    product: &'work InnerProduct,
    evaluator: Evaluator<'work>,
    keys: &'work EvaluationKeys,
    repeated: Vec<f64>,
    /// Weights encoded at the level of the last ciphertext.
    encoded: Option<(usize, Plaintext)>,
}

impl RowProducts<'_> {
    pub(crate) fn of(&mut self, input: &Ciphertext) -> Result<Ciphertext, Error> {
        let (evaluator, scale) = (self.evaluator, self.product.precision.weight_scale());
        let primes = input.primes();
        let weights = match self.encoded.take() {
            Some((level, weights)) if level == primes => weights,
            _ => evaluator.context().encode(&self.repeated, scale, primes)?,
        };
        let mut product = input.clone();
        evaluator.multiply_encoded(&mut product, &weights, scale)?;
        self.encoded = Some((primes, weights));
        sum_blocks(evaluator, &mut product, self.product.stride, self.keys)?;
        evaluator.add_constant(&mut product, self.product.bias)?;
        Ok(product)
    }
}
