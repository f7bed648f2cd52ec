//! Requests on CKKS and BFV frames, with Microsoft SEAL.

use std::collections::BTreeSet;

use isopod_eval::{
    Claims, Histogram, InnerProduct, Input, Job as SealJob, Key, Mean, Model, Output, Scoring,
    SigmoidScoring, Sum, Total, WeightedSum, Workspace,
};
use isopod_seal::{galois_element, Ciphertext, Context, EvaluationKeys, KeyMaterial};
use isopod_wire::{
    AnySet, EncryptedResult, FrameHeader, Grid, Kind, Layout, ParameterSet, Provenance, Scheme,
};

use crate::alike::named;
use crate::evaluate::Summary;
use crate::job::{Job, Request};
use crate::progress::{counter, Report, Stage, Steps};
use crate::stamp::{Entered, Stamp};
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

    pub(crate) fn summary(&self) -> Summary {
        let primes = self.outputs.iter().map(|output| output.ciphertext.primes());
        Summary::Seal {
            results: self.outputs.len(),
            values: self
                .outputs
                .iter()
                .map(|output| output.shape.values())
                .sum(),
            remaining_primes: primes.max().unwrap_or(0),
        }
    }

    pub(crate) fn sealed(
        self,
        server: &Server,
        entered: &Entered,
        stamp: &Stamp,
    ) -> Result<Vec<Vec<u8>>> {
        let total = self.outputs.len();
        let sealed = self.outputs.iter().enumerate().map(|(index, output)| {
            let provenance = entered.provenance(stamp, index, total)?;
            let result = self.result(output, server, provenance)?;
            Ok(server.link().seal(result.encode()?))
        });
        sealed.collect()
    }

    fn result(
        &self,
        output: &Output,
        server: &Server,
        provenance: Provenance,
    ) -> Result<EncryptedResult> {
        let residues = self.context.residues(&output.ciphertext)?;
        Ok(EncryptedResult {
            params: self.set,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            provenance,
            bound: output.bound,
            error: output.error,
            scale: residues.scale,
            first: 0,
            // At most n = 32768 slots.
            grid: Grid {
                rows: output.shape.rows as u32,
                columns: output.shape.columns as u32,
                stride: output.shape.stride as u32,
            },
            c0: residues.c0,
            c1: residues.c1,
        })
    }
}

/// Each frame as a ciphertext, with what it says about its values.
fn load(
    context: &Context,
    frames: Vec<Frame>,
    report: &mut Report<'_>,
) -> Result<Vec<(Ciphertext, Claims)>> {
    let mut steps = Steps::new(report, Stage::Loading, frames.len());
    let mut loaded = Vec::with_capacity(frames.len());
    for frame in frames {
        let frame = frame.rns()?;
        let claims = claims(&frame.header)?;
        loaded.push((context.frame(&frame)?, claims));
        steps.step();
    }
    Ok(loaded)
}

/// A frame's claims in the terms of jobs; refuses values that are not in slots.
fn claims(header: &FrameHeader) -> Result<Claims> {
    if !matches!(header.layout, Layout::Slots | Layout::SlotsRepeated) {
        return Err(Error::Layout {
            frame: named(header.id),
            layout: header.layout.name(),
        });
    }
    let grid = header.grid();
    Ok(Claims {
        bound: header.claims.largest(header.params),
        scale: f64::from(header.log2_scale).exp2(),
        primes: header.parts.into(),
        key: match header.kind {
            Kind::PublicKey => Key::Public,
            Kind::SecretKey => Key::Secret,
        },
        rows: grid.rows as usize,
        columns: grid.columns as usize,
        stride: grid.stride as usize,
        buckets: header.claims.buckets as usize,
    })
}

/// The job's evaluation keys, if it needs any and the folder has them; the job names what is missing.
fn evaluation_keys(
    server: &Server,
    context: &Context,
    (job, frames): (&dyn SealJob, &[Claims]),
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
    /// The job in SEAL's terms.
    fn seal_job(&self, set: &ParameterSet) -> Result<Box<dyn SealJob>> {
        Ok(match &self.job {
            Job::Sum => Box::new(Sum),
            Job::Mean => Box::new(Mean),
            Job::Weighted(weights) => Box::new(weighted(weights, set.scheme())?),
            Job::Total => Box::new(Total),
            Job::Buckets => Box::new(Histogram),
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
