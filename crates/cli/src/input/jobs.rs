//! Jobs from the command line.

use std::path::PathBuf;

use anyhow::{bail, ensure, Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::Args;
use isopod_lattigo::Table;
use isopod_wire::AnySet;
use isopod_workflow::{
    row_mask, table_from_json, DecisionTree, Job, JobName, Model, Request, Side, ThresholdValue,
};

use crate::input::{files, text};

/// Parser of the name of a job.
pub fn job_name() -> impl TypedValueParser<Value = JobName> {
    let names = JobName::ALL.iter();
    let names = names.map(|job| PossibleValue::new(job.name()).help(job.descriptor().question));
    PossibleValuesParser::new(names).try_map(|name| JobName::from_name(&name).ok_or("is no job"))
}

/// The job and its parameters.
#[derive(Debug, Default, Args)]
pub struct JobChoice {
    /// Job to compute
    #[arg(long, value_parser = job_name())]
    pub job: Option<JobName>,
    /// Weights and bias, for inner, linear, logistic, sigmoid and classify; with a hidden layer for network, trees for forest
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Rows of each frame that column-sum and column-mean add up, as 0 and 1, comma separated; the list repeats [default: all]
    #[arg(long, value_name = "0|1", value_delimiter = ',')]
    pub rows: Vec<u8>,
    /// Comma separated: for weighted one number per frame, in the order of device, epoch and sequence; for dot one per column;
    /// for filter its taps, that of the latest value first; for correlation the template
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    pub weights: Vec<f64>,
    /// Values of the window of moving-average
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub window: Option<u32>,
    /// Columns of variance and covariance, by their numbers from 0, comma separated
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    pub columns: Vec<u32>,
    /// Take frames that do not say what their columns are, for a model with as many features
    #[arg(long)]
    pub unnamed_columns: bool,
    /// Threshold of alarm and count: values above this
    #[arg(
        long,
        value_name = "NUMBER",
        allow_hyphen_values = true,
        conflicts_with = "below"
    )]
    pub above: Option<ThresholdValue>,
    /// Threshold of alarm and count: values below this
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub below: Option<ThresholdValue>,
    /// Largest distance from a threshold or edge at which alarm, count and histogram on merged frames may take a reading for one
    /// of the other side [default: what the bounds of the readings give]
    #[arg(long, value_name = "NUMBER")]
    pub gap: Option<f64>,
    /// Take readings as integers, each exactly, without a gap: alarm, count and histogram on merged frames
    #[arg(long, conflicts_with = "gap")]
    pub exact: bool,
    /// File with the entry of each reading, for table
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Let alarm name the values that raise it; on merged frames it needs this
    #[arg(long)]
    pub each: bool,
    /// Edges of the histogram's bins, ascending, comma separated
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    pub edges: Vec<ThresholdValue>,
    /// A decision tree
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,
}

impl JobChoice {
    /// The request, for keys of this set.
    pub fn request(&self, set: AnySet) -> Result<Request> {
        let name = self
            .job
            .context("--job: missing; allowed are the jobs that --help lists")?;
        name.check(set)?;
        Ok(Request {
            job: self.parameters(name, set)?,
            unnamed_columns: self.unnamed_columns,
            challenge: None,
        })
    }

    fn parameters(&self, name: JobName, set: AnySet) -> Result<Job> {
        if let Some(job) = Job::plain(name) {
            return Ok(job);
        }
        if let Some(job) = Job::of_rows(name) {
            return Ok(job(row_mask(&self.rows)?));
        }
        if let Some(job) = Job::of_weights(name) {
            return self.weights(name).map(job);
        }
        if let Some(job) = Job::of_model(name) {
            return self.model(name).map(job);
        }
        if let Some(job) = Job::of_columns(name) {
            ensure!(
                !self.columns.is_empty(),
                "--columns: missing; {} needs the numbers of its columns",
                name.name()
            );
            return Ok(job(self.columns.clone()));
        }
        self.special(name, set)
    }

    /// A job whose parameters are its own.
    fn special(&self, name: JobName, set: AnySet) -> Result<Job> {
        match name {
            JobName::MovingAverage => self.window().map(Job::MovingAverage),
            JobName::Histogram => self.histogram(set),
            JobName::Alarm => {
                let (value, side) = self.threshold(name)?;
                Ok(Job::alarm(value, side, self.each, self.gap()))
            }
            JobName::Count => {
                let (value, side) = self.threshold(name)?;
                Ok(Job::count(value, side, self.gap()))
            }
            JobName::Tree => self.tree().map(Job::Tree),
            JobName::Table => self.table().map(Job::Table),
            other => bail!("--job: {} takes no parameters", other.name()),
        }
    }

    /// Frames of integers bring their buckets along.
    fn histogram(&self, set: AnySet) -> Result<Job> {
        if !matches!(set, AnySet::Rns(_)) || JobName::Histogram.takes_merged(set) {
            return Ok(Job::histogram(self.edges.clone(), self.gap()));
        }
        ensure!(
            self.edges.is_empty() && self.gap().is_none(),
            "--edges, --gap, --exact: with frames of {}; allowed is none, since they have the edges of encrypt --buckets",
            set.name()
        );
        Ok(Job::Buckets)
    }

    fn window(&self) -> Result<u32> {
        self.window
            .context("--window: missing; moving-average needs the number of its values")
    }

    fn weights(&self, job: JobName) -> Result<Vec<f64>> {
        if self.weights.is_empty() {
            let needs = match job {
                JobName::Weighted => "one number per frame",
                _ => "its numbers",
            };
            bail!("--weights: missing; {} needs {needs}", job.name());
        }
        Ok(self.weights.clone())
    }

    fn model(&self, job: JobName) -> Result<Model> {
        match &self.model {
            Some(path) => files::model(path),
            None => bail!(
                "--model: missing; {} needs a model file with weights and bias",
                job.name()
            ),
        }
    }

    fn threshold(&self, job: JobName) -> Result<(ThresholdValue, Side)> {
        match (self.above, self.below) {
            (Some(value), _) => Ok((value, Side::Above)),
            (None, Some(value)) => Ok((value, Side::Below)),
            (None, None) => bail!(
                "--above or --below: missing; {} needs a threshold",
                job.name()
            ),
        }
    }

    /// Exact answers have a gap of 0.
    fn gap(&self) -> Option<f64> {
        self.exact.then_some(0.0).or(self.gap)
    }

    fn table(&self) -> Result<Table> {
        let Some(path) = &self.table else {
            bail!("--table: missing; table needs a file with the entries");
        };
        let text = text::text(path)?;
        table_from_json(&text).with_context(|| path.display().to_string())
    }

    fn tree(&self) -> Result<DecisionTree> {
        let Some(path) = &self.tree else {
            bail!("--tree: missing; tree needs a file with a decision tree");
        };
        let text = text::text(path)?;
        DecisionTree::from_json(&text).with_context(|| path.display().to_string())
    }
}
