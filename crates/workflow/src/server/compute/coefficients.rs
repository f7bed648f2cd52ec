//! Requests on frames whose coefficients travel rounded (`spec/coefficients.md`): with kernels of our own, and no key at all.

use isopod_eval::{in_order, Answer, CoefficientJob, CoefficientPlan, Evaluation, Rounded};
use isopod_linear::{Accumulator, Machine, Ring};
use isopod_wire::{FrameHeader, Layout, ParameterSet, Partial, RoundedFrame};

use crate::progress::{Stage, Steps};
use crate::request::descriptor::{names, Layouts};
use crate::request::job::{Job, Request};
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::accumulate::frame::named;
use crate::server::accumulate::frame::Header;
use crate::server::accumulate::residues::ciphertext;
use crate::server::compute::claims::{
    check_equal_rows, claims_of, groups, largest, most_rows, rows_of_groups, taken_rows,
};
use crate::server::compute::summary::Summary;
use crate::server::compute::task::Task;
use crate::{Error, Frame, Result};

/// Answers of a job, as they are rounded.
pub(crate) struct CoefficientResults {
    pub set: &'static ParameterSet,
    pub answers: Vec<(CoefficientPlan, Answer)>,
}

impl CoefficientResults {
    pub(crate) fn check(request: &Request) -> Result<()> {
        request.coefficient_job(0).map(drop)
    }

    /// Computes on frames, or on their sum if they were added up.
    pub(crate) fn of(
        task: Task<'_, '_>,
        set: &'static ParameterSet,
        accumulated: Accumulated,
    ) -> Result<Self> {
        match &accumulated.sum {
            Some(sum) => Self::conclude(task.request, set, sum),
            None => Self::compute(task, set, accumulated),
        }
    }

    /// Computes on frames one by one, or on all of them where the job has one result.
    fn compute(
        task: Task<'_, '_>,
        set: &'static ParameterSet,
        accumulated: Accumulated,
    ) -> Result<Self> {
        let (request, threads) = (task.request, accumulated.threads.get());
        let frames: Vec<RoundedFrame> = accumulated
            .frames
            .into_iter()
            .map(Frame::rounded)
            .collect::<Result<_>>()?;
        let mut steps = Steps::new(task.report, Stage::Computing, frames.len());
        let answers = match request.job.name().is_per_frame() {
            true => each(request, set, &frames, threads, &mut steps)?,
            false => vec![weighted(
                &request.coefficient_job(0)?,
                set,
                &frames,
                &mut steps,
            )?],
        };
        Ok(Self { set, answers })
    }

    /// Makes the result of a sum of frames.
    fn conclude(request: &Request, set: &'static ParameterSet, sum: &Partial) -> Result<Self> {
        let primes = sum.c0.len();
        let (job, groups) = match request.job.rows() {
            Some(rows) => {
                let (taken, most) = (taken_rows(sum, &rows)?, most_rows(sum, &rows));
                let job = request.column_job(taken, most as usize);
                (job, rows_of_groups(sum, most, taken))
            }
            None => {
                // Nothing is known of rows that a frame lacks.
                check_equal_rows(request.job.name(), sum)?;
                (request.coefficient_job(0)?, groups(sum))
            }
        };
        let dropped = sum
            .header
            .rounding
            .map_or([0; 2], |rounding| rounding.dropped);
        let frames = groups.into_iter().map(|claims| Rounded { claims, dropped });
        let plan = job.plan(&set.into(), &frames.collect::<Vec<_>>())?;
        let ring = Ring::new(set, primes, Machine::best())?;
        let is_sum = !matches!(job, CoefficientJob::Runs { .. });
        let evaluation = Evaluation::new(&ring, plan, is_sum)?;
        let answer = evaluation.answer(&[sum.c0.clone(), sum.c1.clone()])?;
        let answers = vec![(evaluation.plan().clone(), answer)];
        Ok(Self { set, answers })
    }

    pub(crate) fn summary(&self) -> Summary {
        let plans = self.answers.iter().map(|(plan, _)| plan);
        let (error, in_step) = largest(plans.map(|plan| (plan.error, plan.in_step)));
        Summary::Seal {
            results: self.answers.len(),
            values: self.answers.iter().map(|(_, answer)| answer.c0.len()).sum(),
            remaining_primes: self
                .answers
                .iter()
                .map(|(plan, _)| plan.primes)
                .max()
                .unwrap_or(0),
            error,
            in_step,
        }
    }
}

/// Claims of a frame in the terms of jobs.
fn rounded(header: &FrameHeader) -> Rounded {
    let dropped = header.rounding.map_or([0; 2], |rounding| rounding.dropped);
    Rounded {
        claims: claims_of(header),
        dropped,
    }
}

/// An answer of each job to every frame, in threads. Frames of one description, as a fleet's are, share plans and weights. A
/// frame is transformed once for all jobs.
fn each(
    request: &Request,
    set: &'static ParameterSet,
    frames: &[RoundedFrame],
    threads: usize,
    steps: &mut Steps<'_, '_>,
) -> Result<Vec<(CoefficientPlan, Answer)>> {
    let jobs = request.coefficient_jobs()?;
    let mut answers = Vec::with_capacity(frames.len() * jobs.len());
    let mut left = frames.len();
    while let Some(first) = frames.get(frames.len() - left) {
        let claims = rounded(&first.header);
        let ring = Ring::new(set, first.header.parts.into(), Machine::best())?;
        let plans = jobs.iter().enumerate().map(|(output, job)| {
            let plan = job.plan(&set.into(), &[claims]);
            let plan = plan.map_err(|error| request.job.at_output(output, error.into()))?;
            Ok(Evaluation::new(&ring, plan, false)?)
        });
        let evaluations = plans.collect::<Result<Vec<_>>>()?;
        let rest = &frames[frames.len() - left..];
        let alike = rest
            .iter()
            .take_while(|frame| rounded(&frame.header) == claims)
            .count();
        let one = |at: usize| -> Result<_> {
            let ciphertext = ciphertext(&ring, &rest[at])?;
            let each = evaluations.iter().map(|evaluation| {
                let answer = evaluation.answer(&ciphertext)?;
                Ok((evaluation.plan().clone(), answer))
            });
            each.collect::<Result<Vec<_>>>()
        };
        let found = in_order(alike, threads, &one, &mut |_, _| steps.step())?;
        answers.extend(found.into_iter().flatten());
        left -= alike;
    }
    Ok(answers)
}

/// The weighted sum of all frames, which agree in everything that matters.
fn weighted(
    job: &CoefficientJob,
    set: &'static ParameterSet,
    frames: &[RoundedFrame],
    steps: &mut Steps<'_, '_>,
) -> Result<(CoefficientPlan, Answer)> {
    let claims: Vec<Rounded> = frames.iter().map(|frame| rounded(&frame.header)).collect();
    let plan = job.plan(&set.into(), &claims)?;
    let ring = Ring::new(set, claims[0].claims.primes, Machine::best())?;
    let mut sum = Sum::new(&ring);
    for (frame, weight) in frames.iter().zip(plan.weights()) {
        sum.add(ciphertext(&ring, frame)?, *weight)?;
        steps.step();
    }
    let evaluation = Evaluation::new(&ring, plan, true)?;
    let answer = evaluation.answer(&sum.residues())?;
    Ok((evaluation.plan().clone(), answer))
}

/// Both polynomials of a sum of weighted ciphertexts.
struct Sum([Vec<Accumulator>; 2]);

impl Sum {
    fn new(ring: &Ring) -> Self {
        let empty = || {
            let moduli = ring.moduli().iter();
            moduli
                .map(|&modulus| Accumulator::new(modulus, ring.degree(), Machine::best()))
                .collect()
        };
        Self([empty(), empty()])
    }

    fn add(&mut self, ciphertext: [Vec<Vec<u64>>; 2], weight: i64) -> Result<()> {
        for (sums, polynomial) in self.0.iter_mut().zip(ciphertext) {
            for (sum, residues) in sums.iter_mut().zip(polynomial) {
                sum.add_residues(&residues, weight)?;
            }
        }
        Ok(())
    }

    fn residues(self) -> [Vec<Vec<u64>>; 2] {
        self.0.map(|sums| {
            sums.into_iter()
                .map(|mut sum| sum.residues().to_vec())
                .collect()
        })
    }
}

/// Refuses frames of slots beside frames of coefficients, and where the job takes coefficients alone.
pub(crate) fn check_layouts(request: &Request, frames: &[Frame]) -> Result<()> {
    let Some(first) = frames.first() else {
        return Ok(());
    };
    let (job, layout) = (request.job.name(), layout(first));
    if job.takes_coefficients_alone() && layout != Some(Layout::CoefficientsRounded) {
        return Err(Error::Layout {
            frame: named(first.id()),
            layout: layout.map_or("none", Layout::name),
            allowed: Layout::CoefficientsRounded.name(),
        });
    }
    let is_rounded = |frame: &Frame| matches!(frame, Frame::Rounded(_));
    let differs = |frame: &&Frame| is_rounded(frame) != is_rounded(first);
    match frames.iter().find(differs) {
        None => Ok(()),
        Some(other) => Err(Error::Differs {
            job: job.name(),
            field: "layout",
            frame: named(other.id()),
            found: self::layout(other).map_or("none", Layout::name).to_owned(),
            other: format!(
                "{} has {}",
                named(first.id()),
                layout.map_or("none", Layout::name)
            ),
        }),
    }
}

fn layout(frame: &Frame) -> Option<Layout> {
    match frame.header() {
        Header::Rns(header) => Some(header.layout),
        Header::Tfhe(_) | Header::Pad(_) => None,
    }
}

impl Request {
    /// The job on columns whose rows are added up already.
    fn column_job(&self, taken: u64, rows: usize) -> CoefficientJob {
        CoefficientJob::Columns {
            name: self.job.name().name(),
            divisor: self.column_divisor(taken),
            rows,
        }
    }

    /// Divisor of the sums of columns over so many rows.
    pub(crate) fn column_divisor(&self, taken: u64) -> f64 {
        match self.job {
            Job::ColumnMean(_) => taken as f64,
            _ => 1.0,
        }
    }

    /// The job on coefficients, once for each output.
    fn coefficient_jobs(&self) -> Result<Vec<CoefficientJob>> {
        let outputs = 0..self.job.outputs();
        outputs.map(|output| self.coefficient_job(output)).collect()
    }

    /// The job on coefficients that gives the output of that number.
    fn coefficient_job(&self, output: usize) -> Result<CoefficientJob> {
        let name = self.job.name().name();
        let runs = |weights: Option<Vec<f64>>, constant| CoefficientJob::Runs {
            name,
            weights,
            constant,
            expected: None,
        };
        Ok(match &self.job {
            Job::ColumnSum(_) | Job::ColumnMean(_) => self.column_job(1, 1),
            Job::Sum => CoefficientJob::Sum,
            Job::Mean => CoefficientJob::Mean,
            Job::Weighted(weights) => CoefficientJob::Weighted(weights.clone()),
            Job::Total => runs(None, 0.0),
            Job::Inner(model) | Job::Linear(model) | Job::Logistic(model) => CoefficientJob::Runs {
                name,
                weights: Some(model.outputs[output].weights.clone()),
                constant: model.outputs[output].bias,
                expected: model.largest_score,
            },
            Job::Dot(weights) => runs(Some(weights.clone()), 0.0),
            Job::Filter(taps) => runs(Some(taps.iter().rev().copied().collect()), 0.0),
            Job::Correlation(template) => runs(Some(template.clone()), 0.0),
            Job::MovingAverage(window) => {
                let window = *window as usize;
                runs(Some(vec![1.0 / window as f64; window]), 0.0)
            }
            other => return Err(takes_slots(other)),
        })
    }
}

fn takes_slots(job: &Job) -> Error {
    if let Job::Weighed(_) = job {
        let problem = "weights that come with the frames take slots; allowed on coefficients is a list of weights";
        return Error::parameter("layout", problem.to_owned());
    }
    let problem = format!(
        "{} takes slots; allowed on coefficients are {}",
        job.name().name(),
        names(|job| matches!(
            job.descriptor().layouts,
            Layouts::Coefficients | Layouts::Either
        ))
    );
    Error::parameter("job", problem)
}
