//! Scores by rotations as a server makes them, beside the same operations of SEAL on loaded ciphertexts.

use crate::fleet::{Fleet, SET};
use crate::record::{Measured, Record};
use crate::throughput::{images, secret};
use anyhow::{Context as _, Result};
use cpu_time::ProcessTime;
use isopod_eval::{Claims, Input, Job as _, Key, Scoring, Workspace};
use isopod_seal::peer::Peer;
use isopod_seal::{Context, EvaluationKeys};
use isopod_wire::by_name;
use isopod_workflow::{Inbox, Job, Model, Request};
use std::num::NonZero;

pub const CASE: &str = "linear-scores";
const FEATURES: usize = 16;
const STEPS: [i32; 4] = [1, 2, 4, 8];
const FRAMES: usize = 512;
const RUNS: usize = 3;
const LIMIT: f64 = 1.15;
const METHOD: &str = "512 frames of 128 rows of 16 features, in memory: read by an Inbox in one thread and answered (tags, \
ciphertexts of SEAL, evaluation keys and SEAL's context loaded, scores, entered, sealed); beside it the same products, \
rotations and modulus switches of SEAL on the same ciphertexts, loaded from SEAL's uncompressed format, keys and context at \
hand. ratio_to_seal is the least CPU time of ours over the least of SEAL's, of 3 runs.";

/// Measures, and makes the record.
pub fn record() -> Result<Record> {
    let fleet = Fleet::with_rotations(&STEPS, FEATURES as u32)?;
    let frames = fleet.frames(FRAMES)?;
    let model = model()?;
    let request = Request {
        unnamed_columns: true,
        ..Request::new(Job::Linear(model.clone()))
    };
    let context = Context::for_set(by_name(SET).context("no such set")?)?;
    let images = images(&context, (&fleet, &frames))?;
    let raw = Raw::new(&context, &model)?;
    let file = frames.concat();
    let (mut ours, mut seals) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let start = ProcessTime::now();
        let inbox = Inbox::for_request(fleet.server(), &request, true)?;
        let mut inbox = inbox.with_threads(NonZero::<usize>::MIN);
        inbox.read(&file[..])?;
        inbox.answer(&mut |_| {})?;
        ours = ours.min(start.elapsed().as_secs_f64());
        let start = ProcessTime::now();
        raw.scores(&images)?;
        seals = seals.min(start.elapsed().as_secs_f64());
    }
    let ratio = ours / seals;
    let measured = Measured {
        frames_per_cpu_second: Some(FRAMES as f64 / ours),
        ratio_to_seal: Some(ratio),
        ..Measured::within(ratio <= LIMIT)
    };
    Ok(Record::measured(
        (CASE, SET),
        FRAMES,
        RUNS,
        measured,
        METHOD,
    ))
}

fn model() -> Result<Model> {
    let names: Vec<String> = (0..FEATURES).map(|at| format!("\"f{at}\"")).collect();
    let weights: Vec<String> = (0..FEATURES)
        .map(|at| format!("{}", 0.25 * (at as f64 - 8.0)))
        .collect();
    let (names, weights) = (names.join(","), weights.join(","));
    let text =
        format!(r#"{{"kind":"linear","features":[{names}],"weights":[{weights}],"bias":0.5}}"#);
    Ok(Model::from_json(&text)?)
}

/// SEAL with keys of its own.
struct Raw<'a> {
    context: &'a Context,
    peer: Peer<'a>,
    job: Scoring,
    keys: EvaluationKeys,
}

impl<'a> Raw<'a> {
    fn new(context: &'a Context, model: &Model) -> Result<Self> {
        let secret = secret(context)?;
        Ok(Self {
            peer: Peer::new(context, &secret)?,
            keys: EvaluationKeys::generate(context, &secret, false, &STEPS)?,
            job: Scoring::new(&model.outputs[0]),
            context,
        })
    }

    fn scores(&self, images: &[Vec<u8>]) -> Result<()> {
        let slots = self.context.parameters().slots();
        for image in images {
            let ciphertext = self.peer.load(image)?;
            let claims = Claims {
                bound: 8.0,
                scale: ciphertext.scale(),
                primes: ciphertext.primes(),
                key: Key::Public,
                dithered: false,
                rows: slots / FEATURES,
                columns: FEATURES,
                stride: FEATURES,
                buckets: 1,
                frames: 1,
            };
            let ciphertext = &ciphertext;
            let mut progress = |_, _| {};
            let mut workspace = Workspace::new(self.context, &mut progress).with_keys(&self.keys);
            self.job
                .run(&mut workspace, &[Input { ciphertext, claims }])?;
        }
        Ok(())
    }
}
