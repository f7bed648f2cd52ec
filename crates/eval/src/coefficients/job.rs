//! Jobs and their plans, made of the claims of frames alone.

use super::estimate::Estimate;
use super::rounded::Rounded;
use crate::advice::Advice;
use crate::bound::rounded_up;
use crate::claims::{Claims, Key};
use crate::plan::Shape;
use crate::Error;
use isopod_seal::Parameters;

/// Scales of weights that are tried, down to this share of the largest that fits: one at which their rounding is least.
const SCALES: u32 = 16384;
/// Scales that are tried where only whether an answer fits is asked, of a hundred variants of the frames.
const SCALES_OF_ADVICE: u32 = 64;
const LEAST_SCALE: f64 = 0.5;
/// Largest integer that stands for a weight.
const LARGEST_WEIGHT: f64 = (1u64 << 40) as f64;

/// Low bits that a device can drop of a coefficient (`ISOPOD_ROUNDED_DROPPED` of `isopod/rounded.h`).
const LARGEST_DROPPED: u8 = 31;

/// Low bits that frames with these claims may lose of c0 and c1: with an error of every value up to `precision` in the answer to
/// one frame, or those that noise has spoilt already.
///
/// # Errors
/// [`Error::Setting`] for a precision that the set cannot give at this scale.
pub fn droppable(
    parameters: &Parameters,
    claims: Claims,
    precision: Option<f64>,
) -> Result<[u8; 2], Error> {
    let frame = |dropped| Rounded { claims, dropped };
    let fresh = Estimate::fresh(parameters, &frame([0; 2]));
    let Some(precision) = precision.filter(|_| parameters.plain_modulus.is_none()) else {
        return Ok(fresh.droppable(claims.key));
    };
    // An answer loses low bits as well before the owner reads it.
    let error = |dropped| {
        let sum = Estimate::fresh(parameters, &frame(dropped));
        let answer = sum.rounded(sum.droppable(Key::Public));
        answer.error(claims.count()).largest
    };
    let least = error([0; 2]);
    if precision.is_nan() || precision < least {
        let problem = format!(
            "is {precision:e}; allowed under {} at scale 2^{} is {} or more",
            parameters.name,
            claims.scale.log2(),
            rounded_up(least, 1)
        );
        return Err(Error::Setting {
            field: "precision",
            problem: problem.into(),
        });
    }
    let most = LARGEST_DROPPED.min(parameters.log2_modulus(claims.primes) as u8);
    let most_of_second = if claims.key == Key::Public { most } else { 0 };
    let pairs =
        (0..=most).flat_map(|first| (0..=most_of_second).map(move |second| [first, second]));
    let fitting = pairs.filter(|&pair| error(pair) <= precision);
    // The least error decides between pairs with equally few bytes.
    let better = |one: &[u8; 2], other: &[u8; 2]| {
        let bits = |pair: &[u8; 2]| pair[0] + pair[1];
        (bits(one).cmp(&bits(other))).then(error(*other).total_cmp(&error(*one)))
    };
    Ok(fitting.max_by(better).unwrap_or([0; 2]))
}

/// A job on coefficients.
#[derive(Debug, Clone, PartialEq)]
pub enum CoefficientJob {
    /// Sums of columns over rows, which are added up already: claims are of one row, as many frames as rows. A number other
    /// than 1 divides them.
    Columns {
        /// Name of the job.
        name: &'static str,
        /// Divisor of the sums.
        divisor: f64,
        /// The most rows of one frame that are added up: noise of one frame lies in few slots of their sum.
        rows: usize,
    },
    /// The sum of all frames.
    Sum,
    /// The mean of all frames of real numbers.
    Mean,
    /// The sum of weight times frame, with a weight for each frame.
    Weighted(Vec<f64>),
    /// Sums of weight times value over every run of as many neighbours in a row, plus a constant: an inner product where there
    /// are as many weights as columns, a filter otherwise.
    Runs {
        /// Name of the job.
        name: &'static str,
        /// Weights of neighbours, in the order of the values. None: 1 for every column.
        weights: Option<Vec<f64>>,
        /// Constant of real numbers.
        constant: f64,
        /// Largest |value| that is expected of real numbers, where the bounds allow more. A larger one is still noticed.
        expected: Option<f64>,
    },
}

/// Coefficients that hold the values of an answer: value (r, c) is at first + stride*r + c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The first coefficient.
    pub first: usize,
    /// Rows, columns and stride from there.
    pub shape: Shape,
}

/// One answer, before it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct CoefficientPlan {
    /// Bound on every |value|.
    pub bound: f64,
    /// Distance that no value is off by but with a probability of 2 e^-18; 0 for integers.
    pub error: f64,
    /// The share of it that is a worst case: of roundings alike in all frames, which add up in step.
    pub in_step: f64,
    /// Primes that the answer is under.
    pub primes: usize,
    /// Factor of the values.
    pub scale: f64,
    /// Where the values are.
    pub places: Places,
    /// Low bits that c0 and c1 of the answer lose.
    pub dropped: [u8; 2],
    /// Integers by which frames or neighbours are multiplied.
    pub(crate) weights: Vec<i64>,
    /// Number that is added at every place.
    pub(crate) constant: i64,
}

impl CoefficientPlan {
    /// Integers by which frames are multiplied that are added up.
    pub fn weights(&self) -> &[i64] {
        &self.weights
    }
}

/// Weights of neighbours, a constant, the largest value that is expected, and the number of scales that are tried.
struct Run {
    weights: Vec<f64>,
    constant: f64,
    expected: Option<f64>,
    scales: u32,
}

/// Integers in place of weights, and the scale at which they are closest to them.
struct Integers {
    values: Vec<i64>,
    scale: f64,
}

impl CoefficientJob {
    /// Name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Columns { name, .. } => name,
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Weighted(_) => "weighted",
            Self::Runs { name, .. } => name,
        }
    }

    /// Plans the answer to frames that are added up, or to one frame.
    ///
    /// # Errors
    /// [`Error::NoInputs`], [`Error::Claim`], [`Error::Differs`], [`Error::InputCount`], [`Error::Columns`], [`Error::Scheme`],
    /// [`Error::Setting`], [`Error::ZeroWeights`]; [`Error::Overflow`], [`Error::Drowned`], [`Error::PlainModulus`] and
    /// [`Error::Noise`] with what would be possible.
    pub fn plan(
        &self,
        parameters: &Parameters,
        frames: &[Rounded],
    ) -> Result<CoefficientPlan, Error> {
        self.plan_once(parameters, frames, SCALES)
            .map_err(|mut error| {
                if let Some(advice) = error.advice_mut() {
                    let claims: Vec<Claims> = frames.iter().map(|frame| frame.claims).collect();
                    let dropped = frames[0].dropped;
                    *advice = Advice::by(parameters, &claims, &|parameters, claims| {
                        let frames = claims.iter().map(|&claims| Rounded { claims, dropped });
                        let frames: Vec<_> = frames.collect();
                        let planned = self.plan_once(parameters, &frames, SCALES_OF_ADVICE);
                        planned.is_ok()
                    });
                }
                error
            })
    }

    fn plan_once(
        &self,
        parameters: &Parameters,
        frames: &[Rounded],
        scales: u32,
    ) -> Result<CoefficientPlan, Error> {
        self.check_frames(parameters, frames)?;
        let first = frames[0].claims;
        let every = Places {
            first: 0,
            shape: Shape {
                rows: first.rows,
                columns: first.columns,
                stride: first.stride,
            },
        };
        match self {
            Self::Sum => self.finish(self.sum(parameters, frames)?, every, Vec::new(), 0),
            Self::Mean => {
                let count = frames.iter().map(|frame| frame.claims.frames as f64).sum();
                self.divided(self.sum(parameters, frames)?, count, every)
            }
            Self::Columns { divisor, rows, .. } => {
                let sum = self.sum(parameters, frames)?.of_rows(*rows);
                self.divided(sum, *divisor, every)
            }
            Self::Weighted(weights) => {
                let (sum, integers) = self.weighted(frames, weights, (parameters, scales))?;
                self.finish(sum, every, integers, 0)
            }
            Self::Runs {
                weights,
                constant,
                expected,
                ..
            } => {
                let ones = vec![1.0; first.columns];
                let run = Run {
                    weights: weights.clone().unwrap_or(ones),
                    constant: *constant,
                    expected: *expected,
                    scales,
                };
                self.plan_runs(self.sum(parameters, frames)?, &first, &run)
            }
        }
    }

    /// A sum that the scale divides. It must fit before it is divided.
    fn divided(
        &self,
        sum: Estimate<'_>,
        divisor: f64,
        places: Places,
    ) -> Result<CoefficientPlan, Error> {
        sum.check(self.name(), places.shape.values())?;
        self.finish(sum.divide(divisor), places, Vec::new(), 0)
    }

    /// The sum of all frames.
    fn sum<'set>(
        &self,
        parameters: &'set Parameters,
        frames: &[Rounded],
    ) -> Result<Estimate<'set>, Error> {
        let each = frames.iter();
        let each = each.map(|frame| Estimate::fresh(parameters, frame));
        let sum = each.reduce(Estimate::add);
        sum.ok_or(Error::NoInputs { job: self.name() })
    }

    /// The sum of weighted frames, and the integers in place of their weights.
    fn weighted<'set>(
        &self,
        frames: &[Rounded],
        weights: &[f64],
        (parameters, scales): (&'set Parameters, u32),
    ) -> Result<(Estimate<'set>, Vec<i64>), Error> {
        let fresh = |frame: &Rounded| Estimate::fresh(parameters, frame);
        let pairs = frames.iter().zip(weights);
        let bounds = pairs.map(|(frame, weight)| frame.claims.bound * weight.abs());
        let first = fresh(&frames[0]);
        let most = first.weight_scale(bounds.sum(), weights);
        let integers = self.integers(&first, weights, (most, scales))?;
        let terms = frames.iter().zip(weights).zip(&integers.values);
        let terms = terms.map(|((frame, &weight), &integer)| {
            fresh(frame).times(&[weight], &[integer], integers.scale)
        });
        let sum = terms.reduce(Estimate::add);
        let sum = sum.ok_or(Error::NoInputs { job: self.name() })?;
        Ok((sum, integers.values))
    }

    fn plan_runs(
        &self,
        fresh: Estimate<'_>,
        frame: &Claims,
        run: &Run,
    ) -> Result<CoefficientPlan, Error> {
        let (weights, constant) = (&run.weights, run.constant);
        let magnitudes: f64 = weights.iter().map(|weight| weight.abs()).sum();
        let bound = fresh.bound * magnitudes + constant.abs();
        let expected = run.expected.unwrap_or(bound).min(bound);
        let most = fresh.weight_scale(Estimate::reach(bound, expected), weights);
        let integers = self.integers(&fresh, weights, (most, run.scales))?;
        let mut runs = fresh.times(weights, &integers.values, integers.scale);
        if constant != 0.0 {
            runs = runs.plus(constant);
        }
        let runs = runs.expecting(expected);
        let columns = frame.columns + 1 - weights.len();
        let shape = Shape {
            rows: frame.rows,
            columns,
            stride: frame.stride,
        };
        let places = Places {
            first: weights.len() - 1,
            shape,
        };
        let scaled = (constant * runs.scale).round() as i64;
        self.finish(runs, places, integers.values, scaled)
    }

    fn finish(
        &self,
        estimate: Estimate<'_>,
        places: Places,
        weights: Vec<i64>,
        constant: i64,
    ) -> Result<CoefficientPlan, Error> {
        // c1 of an answer is always sent.
        let dropped = estimate.droppable(Key::Public);
        let estimate = estimate.rounded(dropped);
        let error = estimate.check(self.name(), places.shape.values())?;
        Ok(CoefficientPlan {
            error: error.largest,
            in_step: error.in_step,
            bound: estimate.taken(),
            primes: estimate.primes,
            scale: estimate.scale,
            places,
            dropped,
            weights,
            constant,
        })
    }

    /// Integers in place of weights of such frames, at the scale up to `most` where the sum of their roundings is least. Under a
    /// set of integers they are the weights.
    fn integers(
        &self,
        frame: &Estimate<'_>,
        weights: &[f64],
        (most, scales): (f64, u32),
    ) -> Result<Integers, Error> {
        if frame.parameters().plain_modulus.is_some() {
            return exact(weights);
        }
        let largest = weights
            .iter()
            .fold(0.0, |most: f64, weight| most.max(weight.abs()));
        let least = frame.least_weight_scale();
        let most = most.min(LARGEST_WEIGHT / largest.max(f64::MIN_POSITIVE));
        let rounding = |scale: f64| -> f64 {
            let each = weights.iter().map(|weight| rounding_error(weight * scale));
            each.sum::<f64>() / scale
        };
        let scales = (0..scales)
            .map(|at| most * (1.0 - (1.0 - LEAST_SCALE) * f64::from(at) / f64::from(scales)))
            .map(|scale| scale.max(least));
        let rated = scales.map(|scale| (rounding(scale), scale));
        let best = rated.min_by(|one, other| one.0.total_cmp(&other.0));
        let scale = best.map_or(most, |(_, scale)| scale);
        let values: Vec<i64> = weights
            .iter()
            .map(|weight| (weight * scale).round() as i64)
            .collect();
        match values.iter().all(|&value| value == 0) {
            true => Err(Error::ZeroWeights {
                job: self.name(),
                weight_scale: scale,
            }),
            false => Ok(Integers { values, scale }),
        }
    }

    fn check_frames(&self, parameters: &Parameters, frames: &[Rounded]) -> Result<(), Error> {
        let job = self.name();
        let claims: Vec<Claims> = frames.iter().map(|frame| frame.claims).collect();
        if claims.is_empty() {
            return Err(Error::NoInputs { job });
        }
        for (index, frame) in claims.iter().enumerate() {
            crate::slots::job::check_claims(parameters.ring_degree, index, frame)?;
        }
        crate::slots::job::check_alike(job, &claims, crate::slots::job::SLOT_BY_SLOT)?;
        // Nothing is known of coefficients that a frame does not send.
        crate::slots::job::check_alike(job, &claims, &[("rows", |frame| frame.rows as f64)])?;
        self.check_parameters(parameters, &claims)
    }

    /// Refuses weights that do not fit the frames, and real results under a set of integers.
    fn check_parameters(&self, parameters: &Parameters, claims: &[Claims]) -> Result<(), Error> {
        let job = self.name();
        match self {
            Self::Sum => Ok(()),
            Self::Columns { divisor, .. } if *divisor == 1.0 => Ok(()),
            Self::Columns { .. } | Self::Mean => crate::slots::job::check_reals(job, parameters),
            Self::Weighted(weights) if weights.len() == claims.len() => Ok(()),
            Self::Weighted(weights) => Err(Error::InputCount {
                job,
                weights: weights.len(),
                inputs: claims.len(),
            }),
            Self::Runs { weights: None, .. } => Ok(()),
            Self::Runs {
                weights: Some(weights),
                constant,
                ..
            } => {
                if *constant != 0.0 {
                    crate::slots::job::check_reals(job, parameters)?;
                }
                check_length(job, weights.len(), &claims[0])
            }
        }
    }
}

/// Distance of a weight from the nearest integer, which a sum with 3 * 2^51 rounds to: a plan computes it a million times.
fn rounding_error(weight: f64) -> f64 {
    const SHIFT: f64 = 3.0 * (1u64 << 51) as f64;
    (weight - ((weight + SHIFT) - SHIFT)).abs()
}

/// Refuses weights that are more than the values of a row, or none.
fn check_length(job: &'static str, found: usize, frame: &Claims) -> Result<(), Error> {
    if (1..=frame.columns).contains(&found) {
        return Ok(());
    }
    let problem = format!(
        "of {job} are {found}; allowed are 1 to {}, the values of a row",
        frame.columns
    );
    Err(Error::Setting {
        field: "weights",
        problem: problem.into(),
    })
}

fn exact(weights: &[f64]) -> Result<Integers, Error> {
    let is_integer = |weight: &&f64| weight.fract() == 0.0 && weight.abs() <= LARGEST_WEIGHT;
    if let Some(other) = weights.iter().find(|weight| !is_integer(weight)) {
        let problem =
            format!("have {other}; allowed under a set of integers are integers up to 2^40");
        return Err(Error::Setting {
            field: "weights",
            problem: problem.into(),
        });
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        let problem = "are all zero; at least one must not be".into();
        return Err(Error::Setting {
            field: "weights",
            problem,
        });
    }
    let values = weights.iter().map(|&weight| weight as i64).collect();
    Ok(Integers { values, scale: 1.0 })
}
