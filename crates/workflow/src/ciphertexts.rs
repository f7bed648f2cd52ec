//! Requests on CKKS and BFV frames, with Microsoft SEAL.

use std::collections::BTreeSet;

use isopod_eval::{
    Claims, Histogram, InnerProduct, Input, Job as SealJob, Key, Mean, Model, Output, Scoring,
    SigmoidScoring, Sum, Total, WeightedSum, Workspace,
};
use isopod_seal::{galois_element, Ciphertext, Context, EvaluationKeys, KeyMaterial};
use isopod_wire::{AnySet, EncryptedResult, FrameHeader, Layout, Mask, ParameterSet, Scheme};

use crate::job::{Job, JobName, Request};
use crate::progress::{counter, Report, Stage, Steps};
use crate::{Error, Frame, Result, Server};

/// Results of a job as SEAL ciphertexts.
pub(crate) struct Ciphertexts {
    context: Context,
    set: &'static ParameterSet,
    outputs: Vec<Output>,
}

impl Ciphertexts {
    pub(crate) fn check(request: &Request, set: &ParameterSet) -> Result<()> {
        request.seal_job(set).map(drop)
    }

    pub(crate) fn compute(
        request: &Request,
        (server, set): (&Server, &'static ParameterSet),
        frames: Vec<Frame>,
        report: &mut Report<'_>,
    ) -> Result<Self> {
        let job = request.seal_job(set)?;
        let context = Context::for_set(set)?;
        let loaded = load(&context, request, frames, report)?;
        let claims: Vec<Claims> = loaded.iter().map(|(_, claims)| *claims).collect();
        let keys = evaluation_keys(server, &context, (&*job, &claims))?;
        let inputs = loaded.iter().map(|(ciphertext, claims)| Input {
            ciphertext,
            claims: *claims,
        });
        let inputs: Vec<Input<'_>> = inputs.collect();
        let mut progress = counter(report, Stage::Computing, inputs.len());
        let mut workspace = Workspace::new(&context, &mut progress);
        workspace.keys = keys.as_ref();
        let outputs = job.run(&mut workspace, &inputs)?;
        Ok(Self {
            context,
            set,
            outputs,
        })
    }

    pub(crate) fn outputs(&self) -> impl ExactSizeIterator<Item = &Output> {
        self.outputs.iter()
    }

    pub(crate) fn sealed(self, server: &Server, job: JobName) -> Result<Vec<Vec<u8>>> {
        let sealed = self.outputs.iter().map(|output| {
            let result = self.result(output, server, job)?;
            Ok(server.link().seal(result.encode()?))
        });
        sealed.collect()
    }

    fn result(&self, output: &Output, server: &Server, job: JobName) -> Result<EncryptedResult> {
        let residues = self.context.residues(&output.ciphertext)?;
        let shape = output.shape;
        let (step, count) = match shape.columns {
            1 => (shape.stride, shape.rows),
            columns => (1, (shape.rows - 1) * shape.stride + columns),
        };
        Ok(EncryptedResult {
            params: self.set,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            job: job.name().to_owned(),
            scale: residues.scale,
            // At most n = 32768 slots.
            first: 0,
            step: step as u32,
            count: count as u32,
            c0: residues.c0,
            c1: residues.c1,
        })
    }
}

/// Each frame as a ciphertext, with its claims.
fn load(
    context: &Context,
    request: &Request,
    frames: Vec<Frame>,
    report: &mut Report<'_>,
) -> Result<Vec<(Ciphertext, Claims)>> {
    let mut steps = Steps::new(report, Stage::Loading, frames.len());
    let mut loaded = Vec::with_capacity(frames.len());
    for frame in frames {
        let frame = frame.rns()?;
        let header = &frame.header;
        let count = match header.layout {
            Layout::Slots => header.count as usize,
            Layout::SlotsRepeated => header.params.slots(),
            other => {
                return Err(Error::Layout {
                    sequence: header.id.sequence,
                    device: header.id.device,
                    layout: other.name(),
                })
            }
        };
        let key = match frame.mask {
            Mask::Polynomials(_) => Key::Public,
            Mask::Seed { .. } => Key::Secret,
        };
        let claims = request.claims(header, count, key);
        loaded.push((context.frame(&frame)?, claims));
        steps.step();
    }
    Ok(loaded)
}

/// The job's evaluation keys, if it needs any and the folder has them; the job names what is missing.
fn evaluation_keys(
    server: &Server,
    context: &Context,
    (job, frames): (&dyn SealJob, &[Claims]),
) -> Result<Option<EvaluationKeys>> {
    let switches = job.needs_key_switching() && context.parameters().can_switch_keys();
    if !switches || !server.evaluation_file().exists() {
        return Ok(None);
    }
    let material = server.evaluation_keys(|item| {
        let keys = item.evaluation_keys()?;
        server.check_pair(keys.header().key_id, AnySet::Rns(keys.header().params))?;
        Ok(wanted(context, (job, frames)).and_then(|elements| {
            KeyMaterial::decode(&keys, job.needs_relinearization(), &elements)
        }))
    })??;
    Ok(Some(EvaluationKeys::from_material(context, &material)?))
}

/// The Galois elements of the job's rotations.
fn wanted(
    context: &Context,
    (job, frames): (&dyn SealJob, &[Claims]),
) -> std::result::Result<BTreeSet<u32>, isopod_seal::Error> {
    let parameters = context.parameters();
    job.rotations(parameters, frames)
        .into_iter()
        .map(|step| galois_element(parameters.ring_degree, step))
        .collect()
}

impl Request {
    /// Assumptions of the request about a frame of `count` slots.
    fn claims(&self, header: &FrameHeader, count: usize, key: Key) -> Claims {
        let (stride, columns) = match &self.job {
            Job::Inner(model) | Job::Linear(model) | Job::Logistic(model) | Job::Sigmoid(model) => {
                let columns = model.weights.len();
                (columns.next_power_of_two().max(2), columns)
            }
            Job::Total(Some(stride)) => (*stride, *stride),
            _ => (count, count),
        };
        Claims {
            bound: f64::from(self.bound_bits).exp2(),
            scale: f64::from(header.log2_scale).exp2(),
            primes: usize::from(header.parts),
            key,
            rows: count.div_ceil(stride.max(1)),
            columns,
            stride,
            buckets: match &self.job {
                Job::Buckets(buckets) => *buckets,
                _ => 1,
            },
        }
    }

    /// The job in SEAL's terms.
    fn seal_job(&self, set: &ParameterSet) -> Result<Box<dyn SealJob>> {
        Ok(match &self.job {
            Job::Sum => Box::new(Sum),
            Job::Mean => Box::new(Mean),
            Job::Weighted(weights) => Box::new(weighted(weights, set.scheme())?),
            Job::Total(_) => Box::new(Total),
            Job::Buckets(_) => Box::new(Histogram),
            Job::Inner(model) => Box::new(inner(model)),
            Job::Linear(model) | Job::Logistic(model) => Box::new(Scoring::new(model)),
            Job::Sigmoid(model) => Box::new(SigmoidScoring {
                scoring: Scoring::new(model),
            }),
            other => {
                let name = other.name().name();
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

fn inner(model: &Model) -> InnerProduct {
    InnerProduct {
        weights: model.weights.clone(),
        bias: model.bias,
    }
}
