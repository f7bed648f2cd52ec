//! Opened values as rows of a table: where each is from, what it is, and how far off it may be.

use std::collections::HashMap;

use anyhow::Result;
use isopod_eval::rounded_up;
use isopod_wire::{AnySet, FrameId};
use isopod_workflow::{JobName, Opened, ValuePosition, Values};
use serde::Serialize;
use serde_json::Number;

use crate::output::classes::{sigmoid, Class, Classes};

/// ValueNames that the owner keeps.
pub struct ValueNames {
    /// ValueNames of the columns.
    pub columns: Option<Vec<String>>,
    /// ValueNames of the rows of frames.
    pub rows: Option<HashMap<(FrameId, u32), String>>,
    /// Classes that scores name.
    pub classes: Option<Classes>,
    /// Outputs of the model, 1 without any.
    pub outputs: usize,
}

/// One decrypted value.
#[derive(Serialize)]
pub struct Value {
    /// The frame's device, where the value is of one frame.
    device: Option<u64>,
    epoch: Option<u32>,
    sequence: Option<u64>,
    /// Row in its frame, from 0.
    row: Option<u32>,
    /// Name that the input file had.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Number of the column, from 0, or its name.
    column: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    value: Number,
    /// Error that the value stays within: roundings at worst, and six deviations of the noise.
    error: f64,
    /// The sigmoid of a logistic score; of several outputs as the model says.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    /// Class of the row.
    #[serde(flatten)]
    class: Option<Class>,
}

/// The values of all results, in order.
pub struct DecryptedTable {
    pub rows: Vec<Value>,
}

impl DecryptedTable {
    /// ValueNames what the owner has names for.
    pub fn new(job: Option<JobName>, names: &ValueNames, opened: Vec<Opened>) -> Self {
        let rows = opened
            .into_iter()
            .flat_map(|opened| rows(job, names, opened));
        Self {
            rows: rows.collect(),
        }
    }

    /// How many readings of merged frames raise an alarm, and of which devices; None for other results.
    pub fn alarms(&self, job: Option<JobName>, set: AnySet) -> Option<String> {
        let job = job.filter(|job| *job == JobName::Alarm && job.takes_merged(set))?;
        let raised = self
            .rows
            .iter()
            .filter(|value| value.value.as_u64() == Some(1));
        let (count, all) = (raised.clone().count(), self.rows.len());
        let mut devices: Vec<u64> = raised.filter_map(|value| value.device).collect();
        devices.sort_unstable();
        devices.dedup();
        let more = match devices.len() {
            ..=NAMED_DEVICES => "",
            _ => " and more",
        };
        let named: Vec<String> = devices
            .iter()
            .take(NAMED_DEVICES)
            .map(u64::to_string)
            .collect();
        let of = match named.is_empty() {
            true => String::new(),
            false => format!(", of device(s) {}{more}", named.join(", ")),
        };
        Some(format!("{}: {count} of {all} readings{of}", job.name()))
    }
}

/// Devices that a line of alarms names.
const NAMED_DEVICES: usize = 16;

fn rows(job: Option<JobName>, names: &ValueNames, opened: Opened) -> Vec<Value> {
    let (places, error) = (opened.places, opened.error);
    let numbers: Vec<(Number, Option<&'static str>)> = match opened.values.into_owner_only() {
        Values::Real(values) => values
            .into_iter()
            .map(|value| (real(value), None))
            .collect(),
        Values::Integers(values) => values
            .into_iter()
            .map(|value| (value.into(), None))
            .collect(),
        Values::Typed(values) => {
            let typed = values.into_iter();
            typed
                .map(|(of, value)| (whole(value), Some(of.name())))
                .collect()
        }
    };
    let scores: Vec<f64> = numbers
        .iter()
        .filter_map(|(value, _)| value.as_f64())
        .collect();
    let classes = names.classes.as_ref();
    let classes = classes.map(|classes| classes.of_rows(&scores, names.outputs, error));
    let probabilities = probabilities(job, names, &scores);
    let cells = places.into_iter().zip(numbers).enumerate();
    let value =
        |(at, (place, (value, of))): (usize, (ValuePosition, (Number, Option<&'static str>)))| {
            Value {
                device: place.frame.map(|frame| frame.device),
                epoch: place.frame.map(|frame| frame.epoch),
                sequence: place.frame.map(|frame| frame.sequence),
                row: place.row,
                id: names.rows.as_ref().map(|rows| name(rows, place)),
                column: column(names, place),
                of,
                probability: probabilities.get(at).copied(),
                class: classes
                    .as_ref()
                    .map(|classes| classes[at / names.outputs].clone()),
                value,
                error,
            }
        };
    cells.map(value).collect()
}

/// The name of a row; empty for rows without one.
fn name(rows: &HashMap<(FrameId, u32), String>, place: ValuePosition) -> String {
    let name = place
        .frame
        .zip(place.row)
        .and_then(|place| rows.get(&place));
    name.cloned().unwrap_or_default()
}

/// The name of a column, or its number; a value of all rows is of no column.
fn column(names: &ValueNames, place: ValuePosition) -> String {
    let named = names.columns.as_ref().filter(|_| place.row.is_some());
    let name = named.and_then(|columns| columns.get(place.column as usize));
    name.cloned().unwrap_or_else(|| place.column.to_string())
}

/// The probability of each score of a logistic model; none where several outputs do not say how theirs are made.
fn probabilities(job: Option<JobName>, names: &ValueNames, scores: &[f64]) -> Vec<f64> {
    if job != Some(JobName::Logistic) {
        return Vec::new();
    }
    match (&names.classes, names.outputs) {
        (_, 1) => scores.iter().copied().map(sigmoid).collect(),
        (Some(classes), outputs) => classes.probabilities(scores, outputs),
        (None, _) => Vec::new(),
    }
}

/// Decrypted values are finite.
fn real(value: f64) -> Number {
    Number::from_f64(value).unwrap_or_else(|| 0.into())
}

/// Every type fits one of the two.
fn whole(value: i128) -> Number {
    match u64::try_from(value) {
        Ok(value) => value.into(),
        Err(_) => (value as i64).into(),
    }
}

/// The values as CSV. Columns that none of them has are left out.
pub fn csv(values: &[Value]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let has = |of: fn(&Value) -> bool| values.first().is_some_and(of);
    let optional = [
        ("id", has(|value| value.id.is_some())),
        ("type", has(|value| value.of.is_some())),
        ("probability", has(|value| value.probability.is_some())),
        ("class", has(|value| value.class.is_some())),
        ("margin", has(|value| value.class.is_some())),
        ("uncertain", has(|value| value.class.is_some())),
    ];
    let names = [
        "device",
        "epoch",
        "sequence",
        "row",
        "id",
        "column",
        "type",
        "value",
        "error",
        "probability",
        "class",
        "margin",
        "uncertain",
    ];
    let kept: Vec<bool> = names
        .iter()
        .map(|name| optional.iter().all(|(other, has)| other != name || *has))
        .collect();
    let keep = |cells: Vec<String>| -> Vec<String> {
        let kept = cells.into_iter().zip(&kept).filter(|(_, &kept)| kept);
        kept.map(|(cell, _)| cell).collect()
    };
    writer.write_record(keep(names.map(str::to_owned).to_vec()))?;
    for value in values {
        writer.write_record(keep(value.cells()))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

impl Value {
    /// All cells in the order of the columns.
    fn cells(&self) -> Vec<String> {
        let class = self.class.as_ref();
        let of_class = |cell: fn(&Class) -> String| class.map_or_else(String::new, cell);
        vec![
            number(self.device),
            number(self.epoch.map(u64::from)),
            number(self.sequence),
            number(self.row.map(u64::from)),
            self.id.clone().unwrap_or_default(),
            self.column.clone(),
            self.of.unwrap_or_default().to_owned(),
            self.value.to_string(),
            error(self.error),
            self.probability
                .map_or_else(String::new, |value| value.to_string()),
            of_class(|class| class.class.clone()),
            of_class(|class| class.margin.to_string()),
            of_class(|class| class.uncertain.to_string()),
        ]
    }
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn error(error: f64) -> String {
    match error {
        0.0 => "0".to_owned(),
        error => rounded_up(error, 3),
    }
}
