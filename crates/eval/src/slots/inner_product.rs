//! Inner products of weights with rows of real numbers: one plaintext product, then a sum by rotations.

use crate::claims::Claims;
use crate::noise::real::Real;
use crate::plan::{Plan, Shape};
use crate::slots::job::{check_reals, Input, Job, Output, Workspace};
use crate::slots::sums::keeps;
use crate::slots::total::{check_stride, for_each, row_rotations, sum_blocks};
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator, Parameters, Plaintext};

/// Job for the inner product of `weights` with each row, plus `bias`.
#[derive(Debug, Clone)]
pub struct InnerProduct {
    /// Weights, one per column of a row.
    pub weights: Vec<f64>,
    /// Constant that is added to every product.
    pub bias: f64,
}

impl Job for InnerProduct {
    fn name(&self) -> &'static str {
        "inner product"
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, _parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        row_rotations(frames)
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        self.plan_as(self.name(), parameters, frames)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        let mut products = self.rows(workspace.evaluator, workspace.keys);
        for_each(workspace, inputs, plans, |input, plan| {
            products.of(input, plan.weight_scale)
        })
    }
}

impl InnerProduct {
    /// Plans every frame under the name of another job.
    pub(crate) fn plan_as(
        &self,
        job: &'static str,
        parameters: &Parameters,
        frames: &[Claims],
    ) -> Result<Vec<Plan>, Error> {
        self.check(job, parameters, frames)?;
        let plan = |frame| {
            let rows = Real::fresh(parameters, frame);
            self.plan_rows(job, rows, frame)
        };
        frames.iter().map(plan).collect()
    }

    /// Plans rows as they arrive, or the sum of such.
    pub(crate) fn plan_rows(
        &self,
        job: &'static str,
        rows: Real<'_>,
        frame: &Claims,
    ) -> Result<Plan, Error> {
        let scale = rows.weight_scale(job, self.bound(rows.bound))?;
        let score = self.score(job, rows, frame.block(), scale)?;
        score.plan(job, Shape::of_rows(frame), scale)
    }

    pub(crate) fn check(
        &self,
        job: &'static str,
        parameters: &Parameters,
        frames: &[Claims],
    ) -> Result<(), Error> {
        check_reals(job, parameters)?;
        for (index, frame) in frames.iter().enumerate() {
            check_stride(parameters, frame)?;
            let (found, wanted) = (frame.columns, self.weights.len());
            if found != wanted {
                return Err(Error::Columns {
                    job,
                    index,
                    found,
                    wanted,
                });
            }
        }
        Ok(())
    }

    /// Bound on the product of values with a bound, with the constant.
    pub(crate) fn bound(&self, values: f64) -> f64 {
        let weights = self.weights.iter().map(|weight| weight.abs());
        let bound = values * weights.sum::<f64>();
        (bound + self.bias.abs()).max(f64::MIN_POSITIVE)
    }

    /// Estimate of the product with the constant, at product scale.
    pub(crate) fn score<'set>(
        &self,
        job: &'static str,
        mut rows: Real<'set>,
        block: usize,
        scale: f64,
    ) -> Result<Real<'set>, Error> {
        if !self.weights.iter().any(|&weight| keeps(weight, scale)) {
            let weight_scale = scale;
            return Err(Error::ZeroWeights { job, weight_scale });
        }
        rows.times_rows(&self.weights, scale, block);
        rows.add_constant(self.bias);
        Ok(rows)
    }

    /// Prepares the multiplication of rows.
    pub(crate) fn rows<'work>(
        &'work self,
        evaluator: Evaluator<'work>,
        keys: Option<&'work EvaluationKeys>,
    ) -> RowProducts<'work> {
        RowProducts {
            product: self,
            evaluator,
            keys,
            encoded: None,
        }
    }

    /// Weights, repeated in every block.
    fn repeated(&self, block: usize, slots: usize) -> Vec<f64> {
        let mut row = self.weights.clone();
        row.resize(block, 0.0);
        row.into_iter().cycle().take(slots).collect()
    }
}

/// Dependences of encoded weights: level, slots of a block, scale.
type Encoding = (usize, usize, f64);

/// Products with bias, still at product scale, since rotations come before any rescale.
pub(crate) struct RowProducts<'work> {
    product: &'work InnerProduct,
    evaluator: Evaluator<'work>,
    keys: Option<&'work EvaluationKeys>,
    /// Weights as they were encoded for the last ciphertext.
    encoded: Option<(Encoding, Plaintext)>,
}

impl RowProducts<'_> {
    pub(crate) fn of(&mut self, input: &Input<'_>, scale: f64) -> Result<Ciphertext, Error> {
        let (context, block) = (self.evaluator.context(), input.claims.block());
        let encoding = (input.ciphertext.primes(), block, scale);
        let weights = match self.encoded.take() {
            Some((before, weights)) if before == encoding => weights,
            _ => {
                let repeated = self.product.repeated(block, context.parameters().slots());
                context.encode(&repeated, scale, encoding.0)?
            }
        };
        let mut product = input.ciphertext.clone();
        self.evaluator
            .multiply_encoded(&mut product, &weights, scale)?;
        self.encoded = Some((encoding, weights));
        sum_blocks(self.evaluator, &mut product, block, self.keys)?;
        self.evaluator
            .add_constant(&mut product, self.product.bias)?;
        Ok(product)
    }
}
