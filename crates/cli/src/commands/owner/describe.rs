//! `isopod describe`: the summary of a table from the sums of its columns.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use isopod_workflow::{ColumnSummary, ColumnSums, Estimate, GroupSummary, Owner, Values};

use crate::commands::owner::decrypt::remember;
use crate::input::files;
use crate::input::passphrase::PassphraseSource;
use crate::output::progress::Bars;
use crate::output::report::Output;
use crate::output::table::TextTable;

const AFTER_HELP: &str =
    "Devices encrypt with --squares or --moments, --quantiles, --group-by and --missing count;
the server computes --job column-sum. What the columns do not tell is a dash. Values stay within
the error beside them. They are private, as those of decrypt are.";

/// Arguments of `isopod describe`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Describe {
    /// The owner's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Results of `isopod evaluate` with the job column-sum or column-mean
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// The columns, of `isopod encrypt --write-packing`; results of other columns are refused
    #[arg(long, value_name = "FILE")]
    pub packing: PathBuf,
    /// The request that the results answer: those of others are refused
    #[arg(long, value_name = "FILE")]
    pub request: Option<PathBuf>,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

impl Describe {
    /// Authenticates and decrypts the result, and computes the summary in the clear.
    pub fn run(&self) -> Result<Output> {
        let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
        let results = files::read(&self.input, |file| owner.read(file))?;
        let description = files::description(&self.packing)?;
        results.check_packing(&description)?;
        if let Some(path) = &self.request {
            let request = files::request(path, owner.set(), owner.keys().key_id())?;
            results.check_request(&request, owner.set())?;
        }
        let mut bars = Bars::default();
        let opened = owner.open_results(&results, &mut |progress| bars.show(progress))?;
        drop(bars);
        remember(&owner, &results);
        let job = results.job_name().context("job: unknown to this version")?;
        let first = opened.into_iter().next().context("results: none")?;
        let error = first.error;
        let values: Vec<f64> = match first.values.into_owner_only() {
            Values::Real(values) => values,
            Values::Integers(values) => values.into_iter().map(f64::from).collect(),
            Values::Typed(_) => Vec::new(),
        };
        let sums = ColumnSums {
            description: &description,
            job,
            values: &values,
            error,
            rows: results.column_rows(owner.set()),
        };
        let summary = sums.summary()?;
        let texts: Vec<String> = summary.groups.iter().map(text).collect();
        Output::new(texts.join("\n"), &summary)
    }
}

fn text(group: &GroupSummary) -> String {
    let rows = cell(Some(group.rows));
    let heading = match &group.category {
        Some(category) => format!("{category}: {rows} rows\n"),
        None => format!("{rows} rows\n"),
    };
    if group.rows == Estimate::exact(0.0) {
        return heading;
    }
    let heads = [
        "column", "count", "mean", "std", "min", "25%", "50%", "75%", "max",
    ];
    let mut table = TextTable::new(&heads);
    for column in &group.columns {
        table.row(row(column));
    }
    heading + &table.text()
}

fn row(column: &ColumnSummary) -> Vec<String> {
    let quartile = |at: usize| cell(column.quartiles.map(|quartiles| quartiles[at]));
    vec![
        column.name.clone(),
        cell(Some(column.count)),
        cell(column.mean),
        cell(column.std),
        cell(column.min),
        quartile(0),
        quartile(1),
        quartile(2),
        cell(column.max),
    ]
}

/// A value with its error, to the digits that the error leaves.
fn cell(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".to_owned(),
        Some(Estimate { error, .. }) if !error.is_finite() => "-".to_owned(),
        Some(Estimate { value, error: 0.0 }) => value.to_string(),
        Some(Estimate { value, error }) => {
            let digits = (1.0 - error.log10().floor()).clamp(0.0, 17.0) as usize;
            // Rounded up, and by what rounding the value adds, so that it stays a bound.
            let unit = 10f64.powi(-(digits as i32));
            let shown = (error / unit + 0.5).ceil() * unit;
            format!("{value:.digits$} ±{shown:.digits$}")
        }
    }
}
