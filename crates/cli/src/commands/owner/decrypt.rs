//! `isopod decrypt`: results to numbers, with the owner's key.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Result};
use clap::Args;
use isopod_wire::{AnySet, Gap, Manifest};
use isopod_workflow::{Grant, JobName, Missing, Model, Novelty, Owner, Request, Results, Verified};
use serde::Serialize;

use crate::input::files;
use crate::input::passphrase::PassphraseSource;
use crate::input::row_ids;
use crate::output::classes::Classes;
use crate::output::decrypted_rows::{DecryptedTable, Value, ValueNames};
use crate::output::escaped;
use crate::output::progress::Bars;
use crate::output::report::Output;

const PRIVATE: &str = "Decrypted values are approximate and carry traces of the secret key, however they are rounded: keep them; \
`isopod share` publishes. Only results sealed by the server of this key are opened.";

/// Arguments of `isopod decrypt`.
#[derive(Debug, Args)]
#[command(after_help = PRIVATE)]
pub struct Decrypt {
    /// The owner's folder
    #[arg(long, value_name = "DIR", required_unless_present = "grant")]
    pub keys: Option<PathBuf>,
    /// A grant of `isopod pads grant`, in place of the owner's key: opens sums that the server sealed for its reader
    #[arg(long, value_name = "FILE", conflicts_with_all = ["keys", "request", "model", "ids"])]
    pub grant: Option<PathBuf>,
    /// Results of `isopod evaluate`
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// Print CSV, the default
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// The request that the results answer: those of others are refused
    #[arg(long, value_name = "FILE")]
    pub request: Option<PathBuf>,
    /// The model that the server computed: class, margin and probability are printed beside the scores, and results of others are
    /// refused
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Names of the columns, of `isopod encrypt --write-packing`; results of other columns are refused
    #[arg(long, value_name = "FILE")]
    pub packing: Option<PathBuf>,
    /// Refuse results without linear tags; those with tags are always verified, and refused if they are not the sum of just the
    /// frames that they name. Keep the refusal from the server
    #[arg(long, conflicts_with = "grant")]
    pub verify: bool,
    /// Readings of CKKS were multiples of 2^BITS, encrypted with --grid-bits: sums with linear tags are rounded to this grid and
    /// verified, and are then exact; others are refused
    #[arg(long, value_name = "BITS", conflicts_with = "grant", allow_hyphen_values = true,
          value_parser = clap::value_parser!(i8).range(-31..=31))]
    pub grid_bits: Option<i8>,
    /// Names of the rows, of `isopod encrypt --write-ids`
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub ids: Vec<PathBuf>,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    label: &'static str,
    job: String,
    /// Number of the server's answer.
    sequence: u64,
    /// Frames that entered; None if a result does not name them.
    frames: Option<u64>,
    /// The proof by linear tags, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<Proof>,
    /// Why the answer is no news, if it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    news: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<Sequences>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    duplicates: Vec<Sequences>,
    values: Vec<Value>,
}

/// Everything said about an answer beside its values.
struct Told {
    missing: Missing,
    news: Option<String>,
    verified: Option<Proof>,
}

/// The proof by linear tags.
#[derive(Serialize)]
pub struct Proof {
    frames: u64,
    devices: u64,
    /// Rows of all frames, where sums of columns prove their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    period: u32,
    /// A false result passes with a probability of 2 to the minus this.
    bits: u32,
}

impl From<&Verified> for Proof {
    fn from(verified: &Verified) -> Self {
        Self {
            frames: verified.frames.count(),
            devices: verified.devices,
            rows: verified.rows,
            period: verified.period,
            bits: verified.bits,
        }
    }
}

/// Sequences of one device and epoch.
#[derive(Serialize)]
struct Sequences {
    device: u64,
    epoch: u32,
    first: u64,
    last: u64,
}

impl From<&Gap> for Sequences {
    fn from(gap: &Gap) -> Self {
        Self {
            device: gap.device,
            epoch: gap.epoch,
            first: gap.first,
            last: gap.last,
        }
    }
}

impl Decrypt {
    /// Authenticates every result, checks that they are one evaluation and what was asked, then decrypts.
    pub fn run(&self) -> Result<Output> {
        let keys = match (&self.grant, &self.keys) {
            (Some(grant), _) => return self.granted(grant),
            (None, keys) => keys.as_deref().unwrap_or(Path::new("")),
        };
        let owner = Owner::open(keys, || self.passphrase.existing())?;
        let owner = match self.grid_bits {
            Some(log2_unit) => owner.with_grid(log2_unit),
            None => owner,
        };
        let results = files::read(&self.input, |file| owner.read(file))?;
        let request = self.asked(&owner, &results)?;
        let names = self.names(&owner, &results, request.as_ref())?;
        let mut bars = Bars::default();
        let report = &mut |progress| bars.show(progress);
        let (opened, verified) = match &request {
            Some(request) => owner.open_answer(&results, request, report)?,
            None => owner.open_verified(&results, report)?,
        };
        drop(bars);
        ensure!(
            verified.is_some() || !(self.verify || self.grid_bits.is_some()),
            "--verify, --grid-bits: the results have no linear tags"
        );
        (verified.iter()).for_each(|verified| note(&verified.to_string()));
        let verified = verified.as_ref().map(Proof::from);
        let (missing, news) = remember(&owner, &results);
        let values = DecryptedTable::new(results.job_name(), &names, opened);
        (values.alarms(results.job_name(), owner.set()).iter()).for_each(|line| note(line));
        let told = Told {
            missing,
            news,
            verified,
        };
        self.facts(owner.set(), &results, told, values)
    }

    /// Opens what the server sealed for the reader of a grant. An old answer cannot be told from a new one: only the owner
    /// remembers.
    fn granted(&self, grant: &Path) -> Result<Output> {
        let mut grant = Grant::open(grant)?;
        let results = files::read(&self.input, |file| grant.read(file))?;
        let names = ValueNames {
            columns: self.columns(&results)?,
            rows: None,
            classes: None,
            outputs: 1,
        };
        let opened = grant.open_results(&results)?;
        let missing = results.missing();
        say(&missing);
        let values = DecryptedTable::new(results.job_name(), &names, opened);
        let told = Told {
            missing,
            news: None,
            verified: None,
        };
        self.facts(AnySet::Pads, &results, told, values)
    }

    fn facts(
        &self,
        set: AnySet,
        results: &Results,
        told: Told,
        values: DecryptedTable,
    ) -> Result<Output> {
        let Told {
            missing,
            news,
            verified,
        } = told;
        let facts = Facts {
            file: self.input.display().to_string(),
            set: set.name(),
            label: set.label().name(),
            job: results.job().to_owned(),
            sequence: results.provenance().sequence,
            frames: missing.manifest.as_ref().map(Manifest::count),
            verified,
            news,
            gaps: missing.gaps.iter().map(Sequences::from).collect(),
            duplicates: missing.duplicates.iter().map(Sequences::from).collect(),
            values: values.rows,
        };
        Output::new(crate::output::decrypted_rows::csv(&facts.values)?, &facts)
    }

    /// The request that the results answer; refuses those of others.
    fn asked(&self, owner: &Owner, results: &Results) -> Result<Option<Request>> {
        let Some(path) = &self.request else {
            return Ok(None);
        };
        let request = files::request(path, owner.set(), owner.keys().key_id())?;
        results.check_request(&request, owner.set())?;
        Ok(Some(request))
    }

    /// Refuses results of other columns and models.
    fn names(
        &self,
        owner: &Owner,
        results: &Results,
        request: Option<&Request>,
    ) -> Result<ValueNames> {
        let numbers = request.filter(|_| results.outputs() > 1);
        let numbers = numbers.and_then(|request| request.job.number_names());
        let columns = self.columns(results)?.or(numbers);
        let model = self.model(owner, results)?;
        let named = model.as_ref().map(Model::names);
        let is_score = results.job_name() != Some(JobName::Sigmoid);
        let scored = model.as_ref().filter(|_| is_score);
        let rows = match self.ids.is_empty() {
            true => None,
            false => Some(row_ids::read(&self.ids)?),
        };
        Ok(ValueNames {
            columns: named.filter(|names| !names.is_empty()).or(columns),
            rows,
            classes: scored.and_then(Classes::of_model),
            outputs: model
                .as_ref()
                .map_or(results.outputs(), |model| model.outputs.len()),
        })
    }

    /// Names of the columns; outputs of a model are named by the model alone.
    fn columns(&self, results: &Results) -> Result<Option<Vec<String>>> {
        let Some(path) = &self.packing else {
            return Ok(None);
        };
        let description = files::description(path)?;
        results.check_packing(&description)?;
        let job = results.job_name();
        let job = job.filter(|job| job.is_per_reading() || results.outputs() == 1);
        Ok(job.map(|job| description.columns_of(job)))
    }

    fn model(&self, owner: &Owner, results: &Results) -> Result<Option<Model>> {
        let Some(path) = &self.model else {
            return Ok(None);
        };
        let model = files::model(path)?;
        results.check_model(&model, owner.set())?;
        Ok(Some(model))
    }
}

/// Remembers an answer, and reports on standard error what is missing or doubled, and why it is no news, if it is none.
pub fn remember(owner: &Owner, results: &Results) -> (Missing, Option<String>) {
    let missing = results.missing();
    say(&missing);
    let novelty = owner
        .remember(results)
        .map(|novelty| news(novelty, results));
    let news = novelty.unwrap_or_else(|error| Some(format!("not remembered: {error}")));
    news.iter().for_each(|line| note(line));
    (missing, news)
}

/// Reports gaps and duplicates on standard error.
fn say(missing: &Missing) {
    let lists = [
        ("missing", "did not enter the results", &missing.gaps),
        ("duplicate", "entered several results", &missing.duplicates),
    ];
    for (word, what, gaps) in lists {
        for gap in gaps {
            let Gap {
                device,
                epoch,
                first,
                last,
            } = gap;
            let line = format!(
                "{word}: sequences {first} to {last} of device {device}, epoch {epoch} {what}"
            );
            note(&line);
        }
    }
}

/// The line for an answer that is no news.
fn news(novelty: Novelty, results: &Results) -> Option<String> {
    let number = results.provenance().sequence;
    match novelty {
        Novelty::New => None,
        Novelty::Again => Some(format!("again: answer {number} was read before")),
        Novelty::Late { newest } => Some(format!(
            "late: answer {number} comes after answer {newest} was read; ask with a request to know that an answer is fresh"
        )),
        Novelty::Twofold => Some(format!(
            "twofold: another answer {number} was read before, so two copies of the server's folder answer"
        )),
    }
}

/// Tells a person beside the output.
pub fn note(line: &str) {
    // A closed standard error changes nothing.
    let _ = writeln!(std::io::stderr(), "{}", escaped::text(line));
}
