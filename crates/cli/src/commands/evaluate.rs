//! `isopod evaluate`: a named job on frames, with evaluation keys only.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::{Request, Server, Summary};
use serde::Serialize;

use crate::describe::schema;
use crate::input;
use crate::jobs::JobChoice;
use crate::label::LabelChoice;
use crate::new_file::{check_apart, NewFile};
use crate::output::Output;
use crate::progress::Bars;
use crate::shown;

/// Arguments of `isopod evaluate`.
#[derive(Debug, Args)]
pub struct Evaluate {
    /// The server's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    #[command(flatten)]
    pub choice: JobChoice,
    /// The owner's request, of `isopod request`, in place of a job
    #[arg(long, value_name = "FILE", conflicts_with_all = ["job", "model", "weights", "unnamed_columns", "above", "below",
          "each", "edges", "tree"])]
    pub request: Option<PathBuf>,
    /// Compute over frames that entered an answer to the same request before
    #[arg(long)]
    pub again: bool,
    /// Files of frames
    #[arg(long = "in", value_name = "FILE", num_args = 1.., required = true)]
    pub input: Vec<PathBuf>,
    /// File of results to write; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub label: LabelChoice,
}

#[derive(Default, Serialize)]
struct Facts {
    file: String,
    job: &'static str,
    #[serde(rename = "engine", skip_serializing_if = "Option::is_none")]
    evaluator: Option<&'static str>,
    set: &'static str,
    label: &'static str,
    /// Number of the server's answer.
    sequence: u64,
    frames: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<usize>,
    values: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_primes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<String>,
    bytes: usize,
}

impl Evaluate {
    /// Authenticates and assembles all frames, computes, and writes the results, whole or not at all. Frames are remembered
    /// before an answer leaves.
    pub fn run(&self) -> Result<Output> {
        self.check_out()?;
        let server = Server::open(&self.keys)?;
        let set = server.set();
        self.label.check(set)?;
        let request = self.request(&server)?;
        request.check(set)?;
        let frames = input::frames(&self.input, &server)?;
        let mut facts = Facts {
            file: self.out.display().to_string(),
            job: request.job.name().name(),
            set: set.name(),
            label: set.label().name(),
            frames: frames.len(),
            ..Facts::default()
        };
        let mut file = NewFile::new(&self.out, self.force)?;
        let mut bars = Bars::default();
        let mut report = |progress| bars.show(progress);
        let answer = server.answer(&request, frames, self.again, &mut report)?;
        facts.sequence = answer.sequence;
        facts.add(answer.summary);
        for item in answer.items {
            file.write(&item)?;
            facts.bytes += item.len();
        }
        file.publish()?;
        Ok(Output::new(facts.text(), &facts)?.beside(&self.out))
    }

    fn check_out(&self) -> Result<()> {
        let choice = [&self.choice.model, &self.choice.tree, &self.request];
        let choice = choice.into_iter().flatten();
        let inputs = self.input.iter().chain([&self.keys]).chain(choice);
        check_apart(&self.out, inputs.map(PathBuf::as_path))
    }

    fn request(&self, server: &Server) -> Result<Request> {
        match &self.request {
            Some(path) => input::request(path, server.set(), server.key_id()),
            None => self.choice.request(server.set()),
        }
    }
}

impl Facts {
    fn add(&mut self, summary: Summary) {
        match summary {
            Summary::Seal {
                results,
                values,
                remaining_primes,
            } => {
                self.values = values;
                self.results = Some(results);
                self.remaining_primes = Some(remaining_primes);
            }
            Summary::TfheRs { inputs, schema: of } => {
                self.values = inputs;
                self.evaluator = Some("tfhe-rs");
                self.holds = Some(schema(&of));
            }
        }
    }

    fn text(&self) -> String {
        let (file, job, frames) = (shown::text(&self.file), self.job, self.frames);
        let (values, bytes) = (self.values, self.bytes);
        let of = match &self.holds {
            Some(holds) => format!(
                "{values} value(s) in {frames} frame(s), by tfhe-rs; the result holds {holds}, {bytes} bytes"
            ),
            None => format!(
                "{frames} frame(s) in {} result(s) with {values} value(s), {bytes} bytes, {} prime(s) left",
                self.results.unwrap_or(0),
                self.remaining_primes.unwrap_or(0),
            ),
        };
        format!(
            "{file}: {job} of {of}; set {} (label {})\n",
            self.set, self.label
        )
    }
}
