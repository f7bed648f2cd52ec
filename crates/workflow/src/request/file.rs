//! Files of requests: what an owner asks of a server, with a challenge that the results must repeat.

use isopod_lattigo::Table;
use isopod_linear::RowMask;
use isopod_wire::codes::size;
use isopod_wire::{AnySet, KeyId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::{from_hex, hex};
use crate::request::descriptor::JobName;
use crate::request::job::{Job, Parameters, Request};
use crate::request::merged::table;
use crate::request::threshold::{RealThreshold, ThresholdValue};
use crate::{DecisionTree, Error, Model, Result, Side, Threshold};

/// Largest file of a request, in bytes.
const FILE_BYTES: usize = 1 << 22;

/// Fields of the file. A job has those that it needs.
#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct File {
    set: String,
    key: String,
    job: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Value>,
    #[serde(skip_serializing_if = "is_false")]
    unnamed_columns: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<Vec<ThresholdValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    above: Option<ThresholdValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<ThresholdValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    #[serde(skip_serializing_if = "is_false")]
    each: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<Value>,
    challenge: String,
    request: String,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Request {
    /// The request with a fresh challenge.
    ///
    /// # Errors
    /// [`Error::Keys`] without entropy.
    pub fn challenged(mut self) -> Result<Self> {
        self.challenge = Some(isopod_keys::random()?);
        Ok(self)
    }

    /// JSON of the request to the server of this key pair.
    ///
    /// # Errors
    /// The errors of [`Job::check_parameters`].
    pub fn to_json(&self, set: AnySet, key_id: KeyId) -> Result<String> {
        self.job.check_parameters()?;
        let mut file = File {
            set: set.name().to_owned(),
            key: hex(&key_id),
            job: self.job.name().name().to_owned(),
            unnamed_columns: self.unnamed_columns,
            challenge: self.challenge.map_or_else(String::new, |bytes| hex(&bytes)),
            request: hex(&self.digest(set)),
            ..File::default()
        };
        file.put(&self.job)?;
        let text = serde_json::to_string_pretty(&file).map_err(refused)?;
        Ok(text + "\n")
    }

    /// Reads what [`Request::to_json`] wrote, for the same key pair.
    ///
    /// # Errors
    /// [`Error::Parameter`] for other JSON, another key pair, a parameter that the job lacks, or a digest that is not the
    /// request's; those of [`Job::check_parameters`], of models and of trees.
    pub fn from_json(text: &str, set: AnySet, key_id: KeyId) -> Result<Self> {
        if text.len() > FILE_BYTES {
            let problem = format!("{} bytes; allowed are at most {FILE_BYTES}", text.len());
            return Err(Error::parameter("request", problem));
        }
        let file: File = serde_json::from_str(text).map_err(refused)?;
        if from_hex(&file.key) != Some(key_id) || file.set != set.name() {
            let allowed = format!("{} of {}", hex(&key_id), set.name());
            return Err(other("key", &file.key, &allowed));
        }
        let request = Self {
            job: file.job()?,
            unnamed_columns: file.unnamed_columns,
            challenge: challenge(&file.challenge)?,
        };
        request.job.check_parameters()?;
        let digest = hex(&request.digest(set));
        if file.request == digest {
            return Ok(request);
        }
        Err(other("request", &file.request, &digest))
    }
}

impl Job {
    /// Reads a job with its parameters from JSON: the fields of a request's file that are about the job.
    ///
    /// # Errors
    /// [`Error::Parameter`] for other JSON, and for a parameter that the job lacks; those of models and trees.
    pub fn from_json(text: &str) -> Result<Self> {
        let file: File = serde_json::from_str(text).map_err(refused)?;
        file.job()
    }
}

/// The rows that entries of 0 and 1 take.
///
/// # Errors
/// [`Error::Parameter`] for other entries, more than a frame has rows, or none of 1.
pub fn row_mask(entries: &[u8]) -> Result<RowMask> {
    if let Some(other) = entries.iter().find(|entry| **entry > 1) {
        let problem = format!("{other}; allowed are 0 and 1, one for each row of a frame");
        return Err(Error::parameter("rows", problem));
    }
    let entries = entries.iter().map(|entry| *entry == 1).collect();
    RowMask::new(entries).map_err(|error| Error::parameter("rows", error.to_string()))
}

impl File {
    fn put(&mut self, job: &Job) -> Result<()> {
        match job.parameters() {
            // A request never asks for frames that bring their weights.
            Parameters::Nothing | Parameters::WeightBits(_) => {}
            Parameters::Rows(rows) => {
                self.rows = rows.entries().iter().map(|&entry| entry.into()).collect();
            }
            Parameters::Weights(numbers) => self.weights = Some(numbers.to_vec()),
            Parameters::Window(window) => self.window = Some(window),
            Parameters::Columns(columns) => self.columns = Some(columns.to_vec()),
            Parameters::Edges(edges) => {
                let edges = edges.iter().copied().map(ThresholdValue::Integer);
                self.edges = Some(edges.collect());
            }
            Parameters::RealEdges(edges) => {
                let values = edges.values.iter().copied().map(ThresholdValue::Real);
                self.edges = Some(values.collect());
                self.gap = edges.gap;
            }
            Parameters::Model(model) => {
                self.model = Some(serde_json::to_value(model).map_err(refused)?);
            }
            Parameters::Alarm(threshold, each) => {
                self.put_threshold(threshold);
                self.each = each;
            }
            Parameters::Threshold(threshold) => self.put_threshold(threshold),
            Parameters::RealAlarm(threshold, each) => {
                self.put_real_threshold(threshold);
                self.each = each;
            }
            Parameters::RealThreshold(threshold) => self.put_real_threshold(threshold),
            Parameters::Tree(tree) => {
                self.tree = Some(serde_json::to_value(tree).map_err(refused)?)
            }
            Parameters::Table(of) => {
                let file = table::File::of(of);
                self.table = Some(serde_json::to_value(file).map_err(refused)?);
            }
        }
        Ok(())
    }

    fn put_threshold(&mut self, threshold: Threshold) {
        self.put_value(threshold.side, ThresholdValue::Integer(threshold.value));
    }

    fn put_real_threshold(&mut self, threshold: RealThreshold) {
        self.put_value(threshold.side, ThresholdValue::Real(threshold.value));
        self.gap = threshold.gap;
    }

    fn put_value(&mut self, side: Side, value: ThresholdValue) {
        match side {
            Side::Above => self.above = Some(value),
            Side::Below => self.below = Some(value),
        }
    }

    fn job(&self) -> Result<Job> {
        let unknown = || other("job", &self.job, "a job that `isopod request --help` lists");
        let name = JobName::from_name(&self.job).ok_or_else(unknown)?;
        if let Some(job) = Job::plain(name) {
            return Ok(job);
        }
        if let Some(job) = Job::of_rows(name) {
            return row_mask(&self.rows).map(job);
        }
        if let Some(job) = Job::of_model(name) {
            return self.model().map(job);
        }
        if let Some(job) = Job::of_weights(name) {
            return self.weights().map(job);
        }
        if let Some(job) = Job::of_columns(name) {
            let columns = self.columns.clone().ok_or_else(missing("columns"));
            return columns.map(job);
        }
        self.special(name).unwrap_or_else(|| Err(unknown()))
    }

    /// A job whose parameters are its own; None for others.
    fn special(&self, name: JobName) -> Option<Result<Job>> {
        Some(match name {
            JobName::MovingAverage => self.window().map(Job::MovingAverage),
            JobName::Histogram => Ok(self.histogram()),
            JobName::Alarm => {
                let asked = self.threshold();
                asked.map(|(value, side)| Job::alarm(value, side, self.each, self.gap))
            }
            JobName::Count => {
                let asked = self.threshold();
                asked.map(|(value, side)| Job::count(value, side, self.gap))
            }
            JobName::Tree => self.tree().map(Job::Tree),
            JobName::Table => self.table().map(Job::Table),
            _ => return None,
        })
    }

    fn window(&self) -> Result<u32> {
        self.window.ok_or_else(missing("window"))
    }

    fn histogram(&self) -> Job {
        let edges = self.edges.clone();
        edges.map_or(Job::Buckets, |edges| Job::histogram(edges, self.gap))
    }

    fn weights(&self) -> Result<Vec<f64>> {
        self.weights.clone().ok_or_else(missing("weights"))
    }

    fn model(&self) -> Result<Model> {
        let model = self.model.as_ref().ok_or_else(missing("model"))?;
        Ok(Model::from_json(&model.to_string())?)
    }

    fn tree(&self) -> Result<DecisionTree> {
        let tree = self.tree.as_ref().ok_or_else(missing("tree"))?;
        Ok(DecisionTree::from_json(&tree.to_string())?)
    }

    fn table(&self) -> Result<Table> {
        let table = self.table.as_ref().ok_or_else(missing("table"))?;
        table::table_from_json(&table.to_string())
    }

    fn threshold(&self) -> Result<(ThresholdValue, Side)> {
        match (self.above, self.below) {
            (Some(value), None) => Ok((value, Side::Above)),
            (None, Some(value)) => Ok((value, Side::Below)),
            _ => Err(missing("above or below")()),
        }
    }
}

fn challenge(text: &str) -> Result<Option<[u8; size::CHALLENGE]>> {
    if text.is_empty() {
        return Ok(None);
    }
    let bytes = from_hex(text);
    bytes
        .map(Some)
        .ok_or_else(|| other("challenge", text, "32 hexadecimal digits"))
}

fn refused(error: serde_json::Error) -> Error {
    Error::parameter("request", error.to_string())
}

fn missing(field: &'static str) -> impl Fn() -> Error {
    move || Error::parameter("request", format!("{field}: missing; the job needs it"))
}

fn other(field: &str, found: &str, allowed: &str) -> Error {
    let found = found.escape_default();
    Error::parameter("request", format!("{field}: {found}; allowed is {allowed}"))
}
