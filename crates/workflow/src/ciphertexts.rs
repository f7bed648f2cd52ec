//! Requests on CKKS and BFV frames, with Microsoft SEAL.

use std::collections::BTreeSet;

use isopod_eval::{
    Bounds, Histogram, InnerProduct, Input, Job as SealJob, Mean, Model, Output, Precision,
    Scoring, SigmoidScoring, Sum, Total, WeightedSum, Workspace,
};
use isopod_seal::{galois_element, Ciphertext, Context, EvaluationKeys, KeyMaterial};
use isopod_wire::{AnySet, EncryptedResult, Layout, ParameterSet, Scheme};

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
        let loaded = load(&context, frames, report)?;
        let keys = evaluation_keys(server, &context, &*job)?;
        let inputs = loaded.iter().map(|(ciphertext, count)| Input {
            ciphertext,
            count: *count,
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
        Ok(EncryptedResult {
            params: self.set,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            job: job.name().to_owned(),
            scale: residues.scale,
            // At most n = 32768 slots.
            first: output.slots.first as u32,
            step: output.slots.step as u32,
            count: output.slots.count as u32,
            c0: residues.c0,
            c1: residues.c1,
        })
    }
}

/// Each frame as a ciphertext, with the number of values in its first slots.
fn load(
    context: &Context,
    frames: Vec<Frame>,
    report: &mut Report<'_>,
) -> Result<Vec<(Ciphertext, usize)>> {
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
        loaded.push((context.frame(&frame)?, count));
        steps.step();
    }
    Ok(loaded)
}

/// The job's evaluation keys, if it needs any and the folder has them; the job names what is missing.
fn evaluation_keys(
    server: &Server,
    context: &Context,
    job: &dyn SealJob,
) -> Result<Option<EvaluationKeys>> {
    let switches = job.needs_key_switching() && context.parameters().can_switch_keys();
    if !switches || !server.evaluation_file().exists() {
        return Ok(None);
    }
    let material = server.evaluation_keys(|item| {
        let keys = item.evaluation_keys()?;
        server.check_pair(keys.header().key_id, AnySet::Rns(keys.header().params))?;
        Ok(wanted(context, job).and_then(|elements| {
            KeyMaterial::decode(&keys, job.needs_relinearization(), &elements)
        }))
    })??;
    Ok(Some(EvaluationKeys::from_material(context, &material)?))
}

/// The Galois elements of the job's rotations.
fn wanted(
    context: &Context,
    job: &dyn SealJob,
) -> std::result::Result<BTreeSet<u32>, isopod_seal::Error> {
    let parameters = context.parameters();
    job.rotations_for(parameters.slots())
        .into_iter()
        .map(|step| galois_element(parameters.ring_degree, step))
        .collect()
}

impl Request {
    /// The job in SEAL's terms.
    fn seal_job(&self, set: &ParameterSet) -> Result<Box<dyn SealJob>> {
        let precision = Precision {
            largest_value: f64::from(self.bound_bits).exp2(),
            log2_weight_scale: self.weight_bits,
            ..Precision::default()
        };
        let bounds = match set.scheme() {
            Scheme::Ckks => Bounds::Real(precision),
            Scheme::Bfv => Bounds::Integers(precision.largest_value as u64),
        };
        Ok(match &self.job {
            Job::Sum => Box::new(Sum { bounds }),
            Job::Mean => Box::new(Mean { precision }),
            Job::Weighted(weights) => Box::new(weighted(weights, bounds)?),
            Job::Total(stride) => Box::new(Total {
                stride: stride.unwrap_or(set.ring_degree / 2),
                bounds,
            }),
            Job::Buckets(buckets) => Box::new(Histogram { buckets: *buckets }),
            Job::Inner(model) => Box::new(inner(model, precision)),
            Job::Linear(model) | Job::Logistic(model) => Box::new(Scoring::new(model, precision)),
            Job::Sigmoid(model) => Box::new(SigmoidScoring {
                scoring: Scoring::new(model, precision),
            }),
            other => {
                let name = other.name().name();
                let problem = format!("{name} with these parameters is a job of tfhe-rs");
                return Err(Error::parameter("job", problem));
            }
        })
    }
}

fn weighted(weights: &[f64], bounds: Bounds) -> Result<WeightedSum> {
    Ok(match bounds {
        Bounds::Real(precision) => WeightedSum::Real(weights.to_vec(), precision),
        Bounds::Integers(largest) => {
            let weights = weights.iter().map(integer);
            WeightedSum::Integers(weights.collect::<Result<_>>()?, largest)
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

fn inner(model: &Model, precision: Precision) -> InnerProduct {
    InnerProduct {
        weights: model.weights.clone(),
        bias: model.bias,
        stride: model.weights.len().next_power_of_two().max(2),
        precision,
    }
}
