//! Scores followed by a cubic in place of the sigmoid, for probabilities under encryption.

use crate::bounds::check_fit;
use crate::inner_product::InnerProduct;
use crate::job::{Input, Job, Output, Workspace};
use crate::scoring::Scoring;
use crate::total::{for_each, rows};
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator};

/// The cubic 1/2 + a*x + b*x^3, [a, b]: the least-squares fit of the sigmoid on +-[`SIGMOID_RANGE`]; a test derives it.
pub const SIGMOID_CUBIC: [f64; 2] = [0.150_120_41, -0.001_593_017];
/// Largest magnitude of a score for which the cubic is meaningful.
pub const SIGMOID_RANGE: f64 = 8.0;
/// Largest difference between cubic and sigmoid in that range.
pub const SIGMOID_ERROR: f64 = 0.115;

/// Job of [`Scoring`] followed by the cubic. Uses up three primes; the weight scale should be near the size of a prime.
#[derive(Debug, Clone)]
pub struct SigmoidScoring {
    /// Linear part.
    pub scoring: Scoring,
}

impl Job for SigmoidScoring {
    fn name(&self) -> &'static str {
        "sigmoid score"
    }

    fn required_rotations(&self) -> Vec<i32> {
        self.scoring.required_rotations()
    }

    fn needs_relinearization(&self) -> bool {
        true
    }

    fn levels(&self) -> usize {
        3
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.scoring.check_own(workspace, inputs)?;
        inputs
            .iter()
            .try_for_each(|input| self.check_scales(workspace, input.ciphertext))
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let (evaluator, keys, product) = (
            workspace.evaluator,
            workspace.keys(self)?,
            self.scoring.product(),
        );
        let mut products = product.rows(evaluator, keys);
        for_each(workspace, inputs, |input| {
            let score = products.of(input.ciphertext)?;
            let mut ciphertext = Cubic {
                evaluator,
                keys,
                product,
            }
            .of(score)?;
            let reach = product.precision.reach(1.0, 1.0 + SIGMOID_ERROR);
            reach.shrink(evaluator, &mut ciphertext)?;
            let slots = rows(product.stride, input.count);
            Ok(Output { ciphertext, slots })
        })
    }
}

impl SigmoidScoring {
    /// Checks scales; the square is the largest number on the way, one prime below the top.
    fn check_scales(
        &self,
        workspace: &Workspace<'_>,
        ciphertext: &Ciphertext,
    ) -> Result<(), Error> {
        let parameters = workspace.parameters();
        let primes = ciphertext.primes();
        let last = parameters.data_primes[primes - 1] as f64;
        let score = ciphertext.scale() * self.scoring.product().precision.weight_scale() / last;
        check_fit(
            self.name(),
            parameters,
            primes - 1,
            (score * score, SIGMOID_RANGE * SIGMOID_RANGE),
        )
    }
}

struct Cubic<'work> {
    evaluator: Evaluator<'work>,
    keys: &'work EvaluationKeys,
    product: &'work InnerProduct,
}

impl Cubic<'_> {
    /// Computes 1/2 + a*x + (b*x) * x^2, at depth three with the rescale of x itself.
    fn of(&self, mut x: Ciphertext) -> Result<Ciphertext, Error> {
        let evaluator = self.evaluator;
        evaluator.rescale(&mut x)?;
        let mut square = x.clone();
        evaluator.square(&mut square)?;
        evaluator.relinearize(&mut square, self.keys)?;
        evaluator.rescale(&mut square)?;
        let mut cube = x.clone();
        evaluator.multiply_constant(
            &mut cube,
            SIGMOID_CUBIC[1],
            self.product.precision.weight_scale(),
        )?;
        evaluator.rescale(&mut cube)?;
        evaluator.multiply(&mut cube, &square)?;
        evaluator.relinearize(&mut cube, self.keys)?;
        evaluator.rescale(&mut cube)?;
        let linear = self.linear_term(x, &cube)?;
        evaluator.add(&mut cube, &linear)?;
        evaluator.add_constant(&mut cube, 0.5)?;
        Ok(cube)
    }

    /// Computes a*x, with a encoded at the scale that brings the product to the scale and level of the cube.
    fn linear_term(&self, mut x: Ciphertext, cube: &Ciphertext) -> Result<Ciphertext, Error> {
        let last = self.evaluator.context().parameters().data_primes[x.primes() - 1] as f64;
        let scale = cube.scale() * last / x.scale();
        self.evaluator
            .multiply_constant(&mut x, SIGMOID_CUBIC[0], scale)?;
        self.evaluator.rescale(&mut x)?;
        self.evaluator.switch_to(&mut x, cube.primes())?;
        Ok(x)
    }
}

#[cfg(test)]
mod tests {
    use super::{SIGMOID_CUBIC, SIGMOID_ERROR, SIGMOID_RANGE};

    const POINTS: i32 = 100_000;

    fn residual(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp()) - 0.5 - SIGMOID_CUBIC[0] * x - SIGMOID_CUBIC[1] * x.powi(3)
    }

    /// Residual of the least-squares fit, which is orthogonal to x and to x^3.
    #[test]
    fn the_cubic_is_the_least_squares_fit() {
        let points = || {
            (0..POINTS).map(|i| SIGMOID_RANGE * (f64::from(2 * i + 1) / f64::from(POINTS) - 1.0))
        };
        for power in [1, 3] {
            let product: f64 = points().map(|x| residual(x) * x.powi(power)).sum();
            let size: f64 = points().map(|x| x.powi(2 * power)).sum();
            assert!(
                (product / size).abs() < 1e-6 / SIGMOID_RANGE.powi(power - 1),
                "x^{power}: {product}"
            );
        }
        assert!(points().all(|x| residual(x).abs() < SIGMOID_ERROR));
        assert!(points().any(|x| residual(x).abs() > SIGMOID_ERROR - 0.001));
    }
}
