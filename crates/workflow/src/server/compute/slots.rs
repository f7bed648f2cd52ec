//! Requests on CKKS and BFV frames, with Microsoft SEAL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use isopod_eval::{
    run_each, Aggregate, Claims, ColumnSum, Dot, Histogram, InnerProduct, Input, Job as SealJob,
    Mean, ModelOutput, Output, Scoring, SigmoidScoring, Sum, Total, Weighed, WeightedSum,
    Workspace,
};
use isopod_seal::{galois_element, Ciphertext, Context, EvaluationKeys, KeyMaterial, Parameters};
use isopod_wire::{AnySet, Layout, ParameterSet, Partial, Scheme};

use crate::progress::{counter, Stage};
use crate::request::descriptor::JobName;
use crate::request::job::{Job, Request};
use crate::request::merged::check_single;
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::accumulate::frame::named;
use crate::server::compute::claims::{check_equal_rows, claims_of, groups, largest, taken_rows};
use crate::server::compute::summary::Summary;
use crate::server::compute::task::Task;
use crate::{Error, Frame, Result, Server};

/// Results of a job as SEAL ciphertexts.
pub(crate) struct SlotResults {
    pub context: Arc<Context>,
    pub set: &'static ParameterSet,
    pub outputs: Vec<Output>,
}

impl SlotResults {
    pub(crate) fn check(request: &Request, set: &ParameterSet) -> Result<()> {
        request.seal_job(set, 0).map(drop)
    }

    /// Computes on frames, or on their sum if they were added up.
    pub(crate) fn of(
        task: Task<'_, '_>,
        set: &'static ParameterSet,
        accumulated: Accumulated,
    ) -> Result<Self> {
        match &accumulated.sum {
            Some(sum) => Self::conclude(task, set, sum),
            None => Self::compute(task, set, accumulated),
        }
    }

    /// Computes on frames one by one, or on all of them where the job has one result.
    fn compute(
        task: Task<'_, '_>,
        set: &'static ParameterSet,
        accumulated: Accumulated,
    ) -> Result<Self> {
        let request = task.request;
        let parameters = task.server.parameters(set);
        let jobs = (0..request.job.outputs()).map(|output| request.seal_job(set, output));
        let jobs = jobs.collect::<Result<Vec<_>>>()?;
        // All outputs of a model rotate alike.
        let job = &*jobs[0];
        let context = tables(&parameters)?;
        let (frames, claims) = with_claims(accumulated.frames)?;
        let keys = evaluation_keys(task.server, &context, job, &claims)?;
        let mut progress = counter(task.report, Stage::Computing, frames.len());
        let mut workspace = Workspace::new(&context, &mut progress);
        workspace.keys = keys.as_ref();
        let load = |at: usize| context.frame(&frames[at]);
        let threads = accumulated.threads.get();
        let outputs = match request.job.name().is_per_frame() {
            true => run_each(&jobs, &mut workspace, &claims, threads, &load).map_err(|error| {
                let mut plans = jobs
                    .iter()
                    .map(|job| job.plan(context.parameters(), &claims));
                let output = plans.position(|plan| plan.is_err()).unwrap_or(0);
                request.job.at_output(output, error.into())
            })?,
            false => together(job, &mut workspace, &claims, &load)?,
        };
        Ok(Self {
            context,
            set,
            outputs,
        })
    }

    /// Makes the result of a sum of frames.
    fn conclude(task: Task<'_, '_>, set: &'static ParameterSet, sum: &Partial) -> Result<Self> {
        let request = task.request;
        let parameters = task.server.parameters(set);
        let job = request.aggregate(sum)?;
        if request.job.name() == JobName::Mean {
            check_equal_rows(request.job.name(), sum)?;
        }
        check_layout(sum.header.layout, || "the sum's first frame".to_owned())?;
        let groups = groups(sum);
        // A scale that the modulus does not hold is no ciphertext of SEAL.
        job.advise(&parameters, &groups)?;
        let context = tables(&parameters)?;
        let scale = f64::from(sum.header.log2_scale + request.job.weight_bits()).exp2();
        let ciphertext = context.ciphertext(&sum.c0, &sum.c1, scale)?;
        let keys = evaluation_keys(task.server, &context, &*job, &groups)?;
        let mut progress = counter(task.report, Stage::Computing, 1);
        let mut workspace = Workspace::new(&context, &mut progress);
        workspace.keys = keys.as_ref();
        let outputs = vec![job.conclude(&mut workspace, ciphertext, &groups)?];
        Ok(Self {
            context,
            set,
            outputs,
        })
    }

    pub(crate) fn summary(&self) -> Summary {
        let primes = self.outputs.iter().map(|output| output.ciphertext.primes());
        let errors = self
            .outputs
            .iter()
            .map(|output| (output.error, output.in_step));
        let (error, in_step) = largest(errors);
        Summary::Seal {
            results: self.outputs.len(),
            values: self
                .outputs
                .iter()
                .map(|output| output.shape.values())
                .sum(),
            remaining_primes: primes.max().unwrap_or(0),
            error,
            in_step,
        }
    }
}

/// Runs a job that combines frames, with all of them in memory.
fn together(
    job: &dyn SealJob,
    workspace: &mut Workspace<'_>,
    claims: &[Claims],
    load: &dyn Fn(usize) -> std::result::Result<Ciphertext, isopod_seal::Error>,
) -> Result<Vec<Output>> {
    let loaded = (0..claims.len()).map(load);
    let loaded: Vec<Ciphertext> = loaded.collect::<std::result::Result<_, _>>()?;
    let inputs = loaded.iter().zip(claims);
    let inputs = inputs.map(|(ciphertext, &claims)| Input { ciphertext, claims });
    Ok(job.run(workspace, &inputs.collect::<Vec<_>>())?)
}

/// SEAL's tables of a set, made once in a process and kept: up to a second at ring degree 16384, which every job of a service
/// would spend again.
fn tables(parameters: &Parameters) -> Result<Arc<Context>> {
    static MADE: Mutex<BTreeMap<(String, u32), Arc<Context>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (parameters.name.clone(), parameters.owners);
    if let Some(context) = made.get(&key) {
        return Ok(context.clone());
    }
    let context = Arc::new(Context::new(parameters)?);
    made.insert(key, context.clone());
    Ok(context)
}

fn with_claims(frames: Vec<Frame>) -> Result<(Vec<isopod_wire::Frame>, Vec<Claims>)> {
    let claimed = frames.into_iter().map(|frame| {
        let frame = frame.rns()?;
        check_layout(frame.header.layout, || named(frame.header.id))?;
        let claims = claims_of(&frame.header);
        Ok((frame, claims))
    });
    claimed.collect()
}

fn check_layout(layout: Layout, frame: impl Fn() -> String) -> Result<()> {
    match layout {
        Layout::Slots | Layout::SlotsRepeated => Ok(()),
        _ => Err(Error::Layout {
            frame: frame(),
            layout: layout.name(),
            allowed: "slots and slots repeated",
        }),
    }
}

/// The job's evaluation keys, if it needs any and the folder has them; the job names a missing one.
fn evaluation_keys(
    server: &Server,
    context: &Context,
    job: &dyn SealJob,
    frames: &[Claims],
) -> Result<Option<EvaluationKeys>> {
    let parameters = context.parameters();
    let switches = job.needs_key_switching() && parameters.can_switch_keys();
    if !switches || !server.evaluation_file().exists() {
        return Ok(None);
    }
    let rotations = job.rotations(parameters, frames);
    let material = server.evaluation_keys(|item| {
        let keys = item.evaluation_keys()?;
        server.check_pair(keys.header().key_id, AnySet::Rns(keys.header().params))?;
        Ok(elements(context, rotations).and_then(|elements| {
            KeyMaterial::decode(&keys, job.needs_relinearization(), &elements)
        }))
    })??;
    Ok(Some(EvaluationKeys::from_material(context, &material)?))
}

/// The Galois elements of rotations.
fn elements(
    context: &Context,
    rotations: Vec<i32>,
) -> std::result::Result<BTreeSet<u32>, isopod_seal::Error> {
    let degree = context.parameters().ring_degree;
    let element = |step| galois_element(degree, step);
    rotations.into_iter().map(element).collect()
}

impl Request {
    /// The job on a sum of frames.
    fn aggregate(&self, sum: &Partial) -> Result<Box<dyn Aggregate>> {
        if let Some(rows) = self.job.rows() {
            return Ok(Box::new(self.column_sum(taken_rows(sum, &rows)?)));
        }
        Ok(match &self.job {
            Job::Sum => Box::new(Sum),
            Job::Mean => Box::new(Mean),
            Job::Buckets => Box::new(Histogram),
            Job::Dot(weights) => Box::new(dot(weights)),
            Job::Weighed(bits) => Box::new(Weighed {
                weights: sum.terms.iter().map(|term| term.weight).collect(),
                bits: *bits,
            }),
            _ => return Err(Error::NoStates),
        })
    }

    /// The job on columns over so many rows.
    fn column_sum(&self, taken: u64) -> ColumnSum {
        ColumnSum {
            name: self.job.name().name(),
            rows: self.job.rows().unwrap_or_default(),
            divisor: self.column_divisor(taken),
        }
    }

    /// The job in SEAL's terms that gives the output of that number.
    pub(crate) fn seal_job(&self, set: &ParameterSet, output: usize) -> Result<Box<dyn SealJob>> {
        Ok(match &self.job {
            Job::ColumnSum(_) | Job::ColumnMean(_) => Box::new(self.column_sum(1)),
            Job::Sum => Box::new(Sum),
            Job::Mean => Box::new(Mean),
            Job::Buckets => Box::new(Histogram),
            Job::Dot(weights) => Box::new(dot(weights)),
            Job::Weighted(weights) => Box::new(weighted(weights, set.scheme())?),
            Job::Total => Box::new(Total),
            Job::Inner(model) => Box::new(inner(&model.outputs[output])),
            Job::Linear(model) | Job::Logistic(model) => {
                Box::new(Scoring::new(&model.outputs[output]))
            }
            Job::Sigmoid(model) => {
                check_single(model)?;
                Box::new(SigmoidScoring {
                    scoring: Scoring::new(&model.outputs[output]),
                })
            }
            Job::Weighed(_) => return Err(Error::NoStates),
            Job::Network(_)
            | Job::Forest(_)
            | Job::Classify(_)
            | Job::Variance(_)
            | Job::Covariance(_)
            | Job::Table(_) => {
                let name = self.job.name().name();
                let problem = format!("{name}; allowed are frames that are merged");
                return Err(Error::parameter("job", problem));
            }
            // Each by name, so that the compiler asks for a new one.
            Job::Filter(_)
            | Job::Correlation(_)
            | Job::MovingAverage(_)
            | Job::Histogram(_)
            | Job::HistogramReal(_)
            | Job::Alarm(..)
            | Job::AlarmReal(..)
            | Job::Minimum
            | Job::Maximum
            | Job::Argmin
            | Job::Argmax
            | Job::Count(_)
            | Job::CountReal(_)
            | Job::Tree(_) => {
                let name = self.job.name().name();
                let problem = format!("{name} with these parameters is a job of tfhe-rs");
                return Err(Error::parameter("job", problem));
            }
        })
    }
}

fn weighted(weights: &[f64], scheme: Scheme) -> Result<WeightedSum> {
    Ok(match scheme {
        Scheme::Ckks => WeightedSum::Real(weights.to_vec()),
        Scheme::Bfv => {
            let weights = weights.iter().map(integer);
            WeightedSum::Integers(weights.collect::<Result<_>>()?)
        }
    })
}

/// The integer of a weight; beyond 2^53 not every integer is a float.
fn integer(weight: &f64) -> Result<i64> {
    if weight.fract() == 0.0 && weight.abs() <= 9_007_199_254_740_992.0 {
        return Ok(*weight as i64);
    }
    let problem =
        format!("{weight} is no integer; allowed under a set of integers are integers up to 2^53");
    Err(Error::parameter("weights", problem))
}

fn dot(weights: &[f64]) -> Dot {
    Dot {
        weights: weights.to_vec(),
    }
}

fn inner(output: &ModelOutput) -> InnerProduct {
    InnerProduct {
        weights: output.weights.clone(),
        bias: output.bias,
    }
}
