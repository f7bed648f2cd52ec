//! Scores followed by a cubic in place of the sigmoid, for probabilities under encryption.

use crate::advice::Advice;
use crate::claims::Claims;
use crate::noise::real::Real;
use crate::plan::{Plan, Shape};
use crate::slots::job::{Input, Job, Output, Workspace};
use crate::slots::scoring::Scoring;
use crate::slots::total::for_each;
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator, Parameters};

/// The cubic 1/2 + a*x + b*x^3, [a, b]: the least-squares fit of the sigmoid on +-[`SIGMOID_RANGE`]; a test derives it.
pub const SIGMOID_CUBIC: [f64; 2] = [0.150_120_41, -0.001_593_017];
/// Data primes of a frame at least: three are used up.
pub const SIGMOID_PRIMES: usize = 4;
/// Largest magnitude of a score for which the cubic is meaningful.
pub const SIGMOID_RANGE: f64 = 8.0;
/// Largest difference between cubic and sigmoid in that range.
pub const SIGMOID_ERROR: f64 = 0.115;

/// Job of [`Scoring`] followed by the cubic. Uses up three primes. The error of an output counts the distance of the cubic
/// from the sigmoid.
#[derive(Debug, Clone)]
pub struct SigmoidScoring {
    /// Linear part.
    pub scoring: Scoring,
}

impl SigmoidScoring {
    fn plan_frame(&self, parameters: &Parameters, frame: &Claims) -> Result<Plan, Error> {
        let (job, product) = (self.name(), self.scoring.product());
        let rows = Real::fresh(parameters, frame);
        let largest = product.bound(rows.bound);
        if largest > SIGMOID_RANGE {
            return Err(Error::ScoreRange {
                job,
                largest,
                most: SIGMOID_RANGE,
                advice: Advice::default(),
            });
        }
        let scale = weight_scale(parameters, frame);
        let mut score = product.score(job, rows, frame.block(), scale)?;
        score.check_fit(job)?;
        score.rescale();
        cubic(job, parameters, score)?.plan(job, Shape::of_rows(frame), scale)
    }
}

/// Scale of the weights after which the score, once rescaled, is at the scale of the next prime, so that later products keep
/// it; or at that of the frame if this is larger.
fn weight_scale(parameters: &Parameters, frame: &Claims) -> f64 {
    let prime = |behind: usize| parameters.data_primes[frame.primes - behind] as f64;
    prime(1) * (prime(2) / frame.scale).max(1.0)
}

/// Estimate of [`Cubic::of`]: the steps with their own noise, then the error of the score times the largest slope up to where it
/// may be, since the errors of x, x^2 and x^3 are one.
fn cubic<'set>(
    job: &'static str,
    parameters: &'set Parameters,
    score: Real<'set>,
) -> Result<Real<'set>, Error> {
    let mut x = score;
    (x.noise, x.bias) = Default::default();
    let mut square = x;
    square.multiply(&x);
    square.check_fit(job)?;
    square.relinearize();
    square.rescale();
    let prime = |primes: usize| parameters.data_primes[primes - 1] as f64;
    let mut cube = x;
    cube.times_constant(SIGMOID_CUBIC[1], prime(x.primes));
    cube.rescale();
    cube.multiply(&square);
    cube.check_fit(job)?;
    cube.relinearize();
    cube.rescale();
    let mut result = x;
    result.times_constant(SIGMOID_CUBIC[0], cube.scale * prime(x.primes) / x.scale);
    result.check_fit(job)?;
    result.rescale();
    result.primes = cube.primes;
    result.add(&cube);
    let reach = score.bound + score.largest_error();
    let slope = steepest(reach) * result.scale / score.scale;
    result.noise += score.noise.times(slope * slope);
    result.bias += slope * score.bias + SIGMOID_ERROR * result.scale;
    result.add_constant(0.5);
    result.bound = 1.0 + SIGMOID_ERROR;
    Ok(result)
}

/// Largest |slope| of the cubic within a bound; the slope falls from the middle outwards.
fn steepest(bound: f64) -> f64 {
    let [a, b] = SIGMOID_CUBIC;
    a.max((a + 3.0 * b * bound * bound).abs())
}

impl Job for SigmoidScoring {
    fn name(&self) -> &'static str {
        "sigmoid score"
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        self.scoring.rotations(parameters, frames)
    }

    fn needs_relinearization(&self) -> bool {
        true
    }

    fn levels(&self) -> usize {
        SIGMOID_PRIMES - 1
    }

    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        let product = self.scoring.product();
        product.check(self.name(), parameters, frames)?;
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
        let (evaluator, keys) = (workspace.evaluator, workspace.keys(self)?);
        let mut products = self.scoring.product().rows(evaluator, Some(keys));
        for_each(workspace, inputs, plans, |input, plan| {
            let score = products.of(input, plan.weight_scale)?;
            Cubic { evaluator, keys }.of(score)
        })
    }
}

struct Cubic<'work> {
    evaluator: Evaluator<'work>,
    keys: &'work EvaluationKeys,
}

impl Cubic<'_> {
    /// Computes 1/2 + a*x + (b*x) * x^2, at depth three with the rescale of x itself.
    fn of(&self, mut x: Ciphertext) -> Result<Ciphertext, Error> {
        let evaluator = self.evaluator;
        evaluator.rescale(&mut x)?;
        let square = self.square(&x)?;
        let mut cube = x.clone();
        evaluator.multiply_constant(&mut cube, SIGMOID_CUBIC[1], self.last_prime(&x))?;
        evaluator.rescale(&mut cube)?;
        evaluator.multiply(&mut cube, &square)?;
        self.settle(&mut cube)?;
        let linear = self.linear_term(x, &cube)?;
        evaluator.add(&mut cube, &linear)?;
        evaluator.add_constant(&mut cube, 0.5)?;
        Ok(cube)
    }

    fn square(&self, x: &Ciphertext) -> Result<Ciphertext, Error> {
        let mut square = x.clone();
        self.evaluator.square(&mut square)?;
        self.settle(&mut square)?;
        Ok(square)
    }

    /// Brings a product back to two polynomials and to the scale of its factors.
    fn settle(&self, product: &mut Ciphertext) -> Result<(), Error> {
        self.evaluator.relinearize(product, self.keys)?;
        Ok(self.evaluator.rescale(product)?)
    }

    /// Computes a*x, with a encoded at the scale that brings the product to the scale and level of the cube.
    fn linear_term(&self, mut x: Ciphertext, cube: &Ciphertext) -> Result<Ciphertext, Error> {
        let scale = cube.scale() * self.last_prime(&x) / x.scale();
        self.evaluator
            .multiply_constant(&mut x, SIGMOID_CUBIC[0], scale)?;
        self.evaluator.rescale(&mut x)?;
        self.evaluator.switch_to(&mut x, cube.primes())?;
        Ok(x)
    }

    /// The prime by which a ciphertext is rescaled next.
    fn last_prime(&self, x: &Ciphertext) -> f64 {
        self.evaluator.context().parameters().data_primes[x.primes() - 1] as f64
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
