//! `isopod evaluate`: a named job on frames, with evaluation keys only.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context as _, Result};
use clap::Args;
use isopod_eval::{Answer as Computed, Input, Job, Workspace};
use isopod_keys::{ServerKeys, EVALUATION_KEYS_FILE};
use isopod_seal::{Ciphertext, Context, EvaluationKeys};
use isopod_wire::{Envelope, Frame, Layout, WireError};
use serde::Serialize;

use crate::answer::Answer;
use crate::jobs::JobChoice;
use crate::label::LabelChoice;
use crate::new_file::NewFile;
use crate::{engine, frames, progress};

/// Arguments of `isopod evaluate`.
#[derive(Debug, Args)]
pub struct Evaluate {
    /// The server's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    #[command(flatten)]
    pub choice: JobChoice,
    /// Files of frames
    #[arg(long = "in", value_name = "FILE", num_args = 1.., required = true)]
    pub input: Vec<PathBuf>,
    /// Where the results go
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub label: LabelChoice,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    job: &'static str,
    set: &'static str,
    label: &'static str,
    frames: usize,
    results: usize,
    values: usize,
    remaining_primes: usize,
    bytes: usize,
}

impl Evaluate {
    /// Authenticates and assembles all frames, computes, and writes the results, whole or not at all.
    pub fn run(&self) -> Result<Answer> {
        let keys = ServerKeys::open(&self.keys)?;
        let set = keys.params();
        self.label.check(set)?;
        let job = self.choice.job(set)?;
        let frames = frames::read(&self.input, &keys)?;
        frames.iter().try_for_each(check_layout)?;
        let mut file = NewFile::new(&self.out, self.force)?;
        let context = Context::for_set(set)?;
        let answers = self.compute(&context, &*job, &keys, &frames)?;
        let bytes = self.write(&context, &mut file, &keys, &answers)?;
        file.publish()?;
        let facts = Facts {
            file: self.out.display().to_string(),
            job: self.choice.job.name(),
            set: set.name,
            label: set.label.name(),
            frames: frames.len(),
            results: answers.len(),
            values: answers.iter().map(|answer| answer.layout.count).sum(),
            remaining_primes: answers
                .iter()
                .map(|answer| answer.ciphertext.primes())
                .max()
                .unwrap_or(0),
            bytes,
        };
        Answer::new(text(&facts), &facts)
    }

    fn compute(
        &self,
        context: &Context,
        job: &dyn Job,
        keys: &ServerKeys,
        frames: &[Frame],
    ) -> Result<Vec<Computed>> {
        let ciphertexts = load(context, frames)?;
        let evaluation = evaluation_keys(&self.keys, keys, context, job)?;
        let inputs: Vec<Input<'_>> = ciphertexts.iter().zip(frames).map(input).collect();
        let bar = progress::bar("computing", inputs.len() as u64);
        let mut report = |done: usize, _: usize| bar.set_position(done as u64);
        let mut workspace = Workspace::new(context, &mut report);
        if let Some(evaluation) = &evaluation {
            workspace = workspace.with_keys(evaluation);
        }
        let answers = job.run(&mut workspace, &inputs);
        bar.finish_and_clear();
        Ok(answers?)
    }

    fn write(
        &self,
        context: &Context,
        file: &mut NewFile,
        keys: &ServerKeys,
        answers: &[Computed],
    ) -> Result<usize> {
        let mut bytes = 0;
        for answer in answers {
            let result = engine::result(
                context,
                (keys.params(), keys.key_id()),
                self.choice.job.name(),
                answer,
            )?;
            let sealed = keys.link().seal(result.encode()?);
            file.write(&sealed)?;
            bytes += sealed.len();
        }
        Ok(bytes)
    }
}

fn load(context: &Context, frames: &[Frame]) -> Result<Vec<Ciphertext>> {
    let bar = progress::bar("loading frames", frames.len() as u64);
    let ciphertexts = frames.iter().map(|frame| {
        bar.inc(1);
        Ok(context.frame(frame)?)
    });
    let ciphertexts = ciphertexts.collect();
    bar.finish_and_clear();
    ciphertexts
}

/// Jobs compute slot by slot on real numbers or integers.
fn check_layout(frame: &Frame) -> Result<()> {
    let layout = frame.header.layout;
    ensure!(
        matches!(layout, Layout::Slots | Layout::SlotsRepeated),
        "frame {} of device {}: layout: {}; allowed for jobs are slots and slots repeated",
        frame.header.id.sequence,
        frame.header.id.device,
        layout.name()
    );
    Ok(())
}

fn input<'a>((ciphertext, frame): (&'a Ciphertext, &Frame)) -> Input<'a> {
    let count = match frame.header.layout {
        Layout::SlotsRepeated => frame.header.params.slots(),
        _ => frame.header.count as usize,
    };
    Input { ciphertext, count }
}

/// The job's evaluation keys, if it needs any and the folder has them, authenticated by the link key.
fn evaluation_keys(
    folder: &Path,
    server: &ServerKeys,
    context: &Context,
    job: &dyn Job,
) -> Result<Option<EvaluationKeys>> {
    let path = folder.join(EVALUATION_KEYS_FILE);
    if !job.needs_key_switching() || !context.parameters().can_switch_keys() || !path.exists() {
        return Ok(None);
    }
    let name = || path.display().to_string();
    let bytes = std::fs::read(&path).with_context(name)?;
    let authentic = Envelope::read_only(&bytes)
        .and_then(|envelope| envelope.authenticate(server))
        .with_context(name)?;
    let keys = authentic.evaluation_keys().with_context(name)?;
    if (keys.header().key_id, keys.header().params) != (server.key_id(), server.params()) {
        return Err(WireError::Mismatch { field: "key" }).with_context(name);
    }
    Ok(Some(EvaluationKeys::from_material(
        context,
        &engine::key_material(&keys, job)?,
    )?))
}

fn text(facts: &Facts) -> String {
    format!(
        "{}: {} of {} frame(s) in {} result(s) with {} value(s), {} bytes, {} prime(s) left; set {} (label {})\n",
        facts.file,
        facts.job,
        facts.frames,
        facts.results,
        facts.values,
        facts.bytes,
        facts.remaining_primes,
        facts.set,
        facts.label,
    )
}
