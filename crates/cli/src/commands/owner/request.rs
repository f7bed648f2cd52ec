//! `isopod request`: what an owner asks of the server, with a challenge that only fresh results repeat.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::Requester;
use serde::Serialize;

use crate::input::jobs::JobChoice;
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::report::Output;
use crate::output::table::hex;

const EXPLANATION: &str =
    "Give the file to the server for `isopod evaluate --request`, and keep it for `isopod decrypt \
--request`, which refuses results of other requests and of earlier evaluations.";

/// Arguments of `isopod request`.
#[derive(Debug, Args)]
#[command(after_help = EXPLANATION)]
pub struct Request {
    /// The folder of the owner, or of a holder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    #[command(flatten)]
    pub choice: JobChoice,
    /// File of the request to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    job: &'static str,
    set: &'static str,
    request: String,
}

impl Request {
    /// Writes the request with a fresh challenge.
    pub fn run(&self) -> Result<Output> {
        self.check_out()?;
        let requester = Requester::open(&self.keys, || self.passphrase.existing())?;
        let set = requester.set();
        let request = self.choice.request(set)?.challenged()?;
        let file = NewFile::new(&self.out, self.force)?;
        let text = requester.file(&request)?;
        file.publish_with(text.as_bytes())?;
        let facts = Facts {
            file: self.out.display().to_string(),
            job: request.job.name().name(),
            set: set.name(),
            request: hex(&request.digest(set)),
        };
        let text = format!(
            "{}: {} under {}, request {}\n",
            escaped::text(&facts.file),
            facts.job,
            facts.set,
            facts.request
        );
        Ok(Output::new(text, &facts)?.beside(&self.out))
    }

    fn check_out(&self) -> Result<()> {
        let choice = [&self.choice.model, &self.choice.tree];
        let inputs = choice.into_iter().flatten().chain([&self.keys]);
        check_apart(&self.out, inputs.map(PathBuf::as_path))
    }
}
