//! `isopod owner contribute` and `combine`: answers that several owners open together.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context as _, Result};
use clap::Args;
use isopod_eval::rounded_up;
use isopod_keys::read_bounded;
use isopod_wire::{AnySet, Manifest};
use isopod_workflow::{Fold, HolderAnswer, JobName};
use serde::Serialize;
use serde_json::json;

use crate::commands::owner::decrypt::{note, Proof};
use crate::commands::owner::share::anchors;
use crate::input::files;
use crate::input::passphrase::PassphraseSource;
use crate::output::decrypted_rows::{csv, DecryptedTable, Value, ValueNames};
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::report::Output;

/// Most bytes of a file of contributions.
const MOST_BYTES: u64 = 1 << 28;

const COUNTED: &str = "Each result counts as one query, in your folder and in $XDG_STATE_HOME/isopod or ~/.local/state/isopod. \
After the queries of the invitation the key opens nothing more.";

/// Arguments of `isopod owner contribute`.
#[derive(Debug, Args)]
#[command(after_help = COUNTED)]
pub struct Contribute {
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Results of `isopod evaluate`
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// All holders who answer, you among them: as many as the threshold
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true)]
    with: Vec<String>,
    /// Agree to open this answer; without it, the answer is shown and nothing is written
    #[arg(long, requires = "out")]
    agree: bool,
    /// Files that your board wrote, one for each result, where isopod owner move took the share there
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from_board: Vec<PathBuf>,
    /// The request that was answered, which says the weights: needed for weighted
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// File of your contribution, for the others who answer
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Arguments of `isopod owner combine`.
#[derive(Debug, Args)]
pub struct Combine {
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Results of `isopod evaluate`
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// Contributions of all who answer, yours among them
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    contribution: Vec<PathBuf>,
    /// Names of the columns, of `isopod encrypt --write-packing`; results of other columns are refused
    #[arg(long, value_name = "FILE")]
    packing: Option<PathBuf>,
    /// The request that the results answer: those of others are refused
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// Fold the rows of an opened sum, all of which you see: to column-sum, column-mean, or histogram with --packing
    #[arg(long, value_name = "JOB", value_parser = ["column-sum", "column-mean", "histogram"])]
    fold: Option<String>,
    /// Refuse an answer that your linear tags do not prove; where you verify what these holders answer, it is always proved
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Everything that a holder agrees to.
#[derive(Serialize)]
struct Asked {
    job: String,
    results: usize,
    frames: Option<u64>,
    devices: Option<usize>,
    with: Vec<String>,
    label: &'static str,
    queries: u64,
    used: u64,
    /// Largest error of an opened value; 0 where values are exact.
    error: f64,
}

impl Asked {
    fn new(answer: &HolderAnswer, with: &[String]) -> Self {
        let manifest = answer.results().missing().manifest;
        let devices = |manifest: &Manifest| {
            let mut devices: Vec<u64> =
                manifest.ranges().iter().map(|range| range.device).collect();
            devices.dedup();
            devices.len()
        };
        let keys = answer.keys();
        Self {
            job: answer.results().job().to_owned(),
            results: answer.results().count(),
            frames: manifest.as_ref().map(Manifest::count),
            devices: manifest.as_ref().map(devices),
            with: with.to_vec(),
            label: keys.invitation.params.label.name(),
            queries: keys.invitation.queries,
            used: keys.used(),
            error: answer
                .plans()
                .iter()
                .map(|plan| plan.error)
                .fold(0.0, f64::max),
        }
    }

    fn text(&self) -> String {
        let number =
            |number: Option<u64>| number.map_or("unnamed".to_owned(), |number| number.to_string());
        let error = match self.error > 0.0 {
            true => format!(
                "values within {} of the true ones",
                rounded_up(self.error, 3)
            ),
            false => "exact values".to_owned(),
        };
        format!(
            "{}: {} results of {} frames of {} devices, {error}, for {}\nlabel {}; answers opened: {} of {}, {} remain\n",
            self.job,
            self.results,
            number(self.frames),
            number(self.devices.map(|count| count as u64)),
            self.with.join(", "),
            self.label,
            self.used,
            self.queries,
            self.queries - self.used
        )
    }
}

impl Contribute {
    /// Shows what is asked; with agreement, counts, and only then writes.
    pub fn run(&self) -> Result<Output> {
        let bytes = read(&self.input)?;
        let answer = HolderAnswer::open(&self.keys, &bytes, || self.passphrase.existing())?;
        let mut answer = of_request(answer, self.request.as_deref())?;
        let answering = answer.answering(&self.with)?;
        let (Some(out), true) = (&self.out, self.agree) else {
            let asked = Asked::new(&answer, &self.with);
            let text = asked.text() + "nothing is opened: give --agree and --out to contribute\n";
            return Output::new(text, &asked);
        };
        check_apart(out, [&self.keys, &self.input].map(PathBuf::as_path))?;
        let file = NewFile::new(out, None)?;
        let from_board = self.from_board.iter().map(|path| read(path));
        let from_board: Vec<Vec<u8>> = from_board.collect::<Result<_>>()?;
        let contribution = match from_board.is_empty() {
            true => answer.contribute(&answering, &anchors()?)?,
            false => answer.contribute_from_board(&answering, &anchors()?, &from_board)?,
        };
        file.publish_with(&contribution)?;
        let asked = Asked::new(&answer, &self.with);
        let bytes = contribution.len();
        let text = asked.text()
            + &format!(
                "{}: {bytes} bytes, for those who answer\n",
                escaped::path(out)
            );
        Output::new(text, &json!({"asked": asked, "file": out, "bytes": bytes}))
    }
}

impl Combine {
    /// Checks every contribution, then opens.
    pub fn run(&self) -> Result<Output> {
        let bytes = read(&self.input)?;
        let answer = HolderAnswer::open(&self.keys, &bytes, || self.passphrase.existing())?;
        let answer = of_request(answer, self.request.as_deref())?;
        let results = answer.results();
        let fold = self.fold()?;
        let job = fold.map(Fold::job).or(results.job_name());
        let columns = self
            .packing
            .as_ref()
            .map(|path| -> Result<Option<Vec<String>>> {
                let description = files::description(path)?;
                results.check_packing(&description)?;
                Ok(job.map(|job| description.columns_of(job)))
            });
        let names = ValueNames {
            columns: columns.transpose()?.flatten(),
            rows: None,
            classes: None,
            outputs: results.outputs(),
        };
        let contributions = self.contribution.iter().map(|path| read(path));
        let contributions: Vec<Vec<u8>> = contributions.collect::<Result<_>>()?;
        let (opened, verified) = answer.combine(&contributions)?;
        ensure!(
            verified.is_some() || !self.verify,
            "--verify: the frames have no linear tags that you verify for these holders; see isopod owner tag-key"
        );
        (verified.iter()).for_each(|verified| note(&verified.to_string()));
        let opened = match fold {
            Some(fold) => answer.fold(opened, fold)?,
            None => opened,
        };
        let table = DecryptedTable::new(job, &names, opened);
        let facts = Facts {
            job: job.map_or_else(|| results.job().to_owned(), |job| job.name().to_owned()),
            holder: answer
                .keys()
                .invitation
                .name(answer.keys().holder)
                .to_owned(),
            verified: verified.as_ref().map(Proof::from),
            values: table.rows,
        };
        Output::new(csv(&facts.values)?, &facts)
    }

    /// How the rows of an opened sum are folded; the buckets are those of the packing.
    fn fold(&self) -> Result<Option<Fold>> {
        Ok(match (self.fold.as_deref(), &self.packing) {
            (None, _) => None,
            (Some("column-sum"), _) => Some(Fold::ColumnSum),
            (Some("column-mean"), _) => Some(Fold::ColumnMean),
            (Some(_), Some(path)) => {
                let buckets = files::description(path)?.columns_of(JobName::Histogram);
                Some(Fold::Histogram(buckets.len() as u32))
            }
            (Some(_), None) => {
                bail!("--packing: missing; allowed is the file of isopod encrypt --write-packing, which says the buckets")
            }
        })
    }
}

/// The answer to a request, if one is given.
fn of_request(answer: HolderAnswer, path: Option<&Path>) -> Result<HolderAnswer> {
    let Some(path) = path else {
        return Ok(answer);
    };
    let keys = answer.keys();
    let set = AnySet::Rns(keys.invitation.params);
    let request = files::request(path, set, keys.key_id)?;
    Ok(answer.of_request(&request)?)
}

#[derive(Serialize)]
struct Facts {
    job: String,
    holder: String,
    /// The proof by linear tags, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<Proof>,
    values: Vec<Value>,
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let bytes = read_bounded(path, MOST_BYTES);
    Ok(bytes.with_context(|| path.display().to_string())?.to_vec())
}
