//! Opened results. Those of one frame, an output of a model each, are one table: a row for each row, a column for each output.

use isopod_share::Private;
use isopod_wire::{EncryptedResult, ValueType};

use crate::owner::opening::position::ValuePosition;
use crate::{Error, Result};

/// One opened result, or those of all outputs of a model for one frame, an output in each column.
pub struct Opened {
    /// Where each value is from.
    pub places: Vec<ValuePosition>,
    /// Bound of the values, as the server computed it; None where the type is the bound.
    pub bound: Option<f64>,
    /// Error that the values stay within: roundings at worst, and six deviations of the noise; 0 for integers.
    pub error: f64,
    /// Its values. Those of CKKS carry noise that depends on the secret key.
    pub values: Private<Values>,
}

/// Values of one result.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Approximate values of CKKS.
    Real(Vec<f64>),
    /// Exact values of BFV.
    Integers(Vec<i32>),
    /// Exact values of TFHE, each with its type.
    Typed(Vec<(ValueType, i128)>),
}

/// Refuses values beyond what the server computed from the claims of the frames.
pub(crate) fn check_bound(at: usize, result: &EncryptedResult, values: &Values) -> Result<()> {
    let most = result.bound + result.error;
    let within = match values {
        Values::Real(values) => values.iter().all(|value| value.abs() <= most),
        Values::Integers(values) => values.iter().all(|&value| f64::from(value).abs() <= most),
        Values::Typed(_) => true,
    };
    if within {
        return Ok(());
    }
    let problem = format!("a value is beyond it; allowed is -{most} to {most}");
    Err(Error::Contradiction {
        at,
        field: "bound",
        problem,
    })
}

/// Joins every `outputs` results, which are of one frame.
pub(crate) fn joined(opened: Vec<Opened>, outputs: usize) -> Result<Vec<Opened>> {
    if outputs == 1 {
        return Ok(opened);
    }
    let mut frames = Vec::with_capacity(opened.len() / outputs);
    let mut opened = opened.into_iter().peekable();
    while opened.peek().is_some() {
        let of_frame: Vec<Opened> = opened.by_ref().take(outputs).collect();
        frames.push(table(frames.len() * outputs, of_frame)?);
    }
    Ok(frames)
}

/// The results of one frame, which begin with result `at`, as a table.
fn table(at: usize, outputs: Vec<Opened>) -> Result<Opened> {
    let places = outputs[0].places.clone();
    let (rows, columns) = (places.len(), outputs.len() as u32);
    let is_other =
        |output: &Opened| output.places != places || places.iter().any(|place| place.column > 0);
    if let Some(other) = outputs.iter().position(is_other) {
        let problem = format!("not as in result {at}; allowed are as many rows, of one value each");
        return Err(Error::Contradiction {
            at: at + other,
            field: "rows",
            problem,
        });
    }
    let places = places.into_iter();
    let places =
        places.flat_map(|place| (0..columns).map(move |column| ValuePosition { column, ..place }));
    let largest = |of: fn(&Opened) -> f64| outputs.iter().map(of).fold(0.0, f64::max);
    Ok(Opened {
        places: places.collect(),
        bound: outputs[0]
            .bound
            .map(|_| largest(|output| output.bound.unwrap_or(0.0))),
        error: largest(|output| output.error),
        values: Private::new(values(outputs, rows)),
    })
}

/// Values of outputs, row by row.
fn values(outputs: Vec<Opened>, rows: usize) -> Values {
    let (mut real, mut integers) = (Vec::new(), Vec::new());
    for output in outputs {
        match output.values.into_owner_only() {
            Values::Real(values) => real.push(values),
            Values::Integers(values) => integers.push(values),
            // No job on TFHE has several outputs.
            Values::Typed(values) => return Values::Typed(values),
        }
    }
    match real.is_empty() {
        true => Values::Integers(by_rows(&integers, rows)),
        false => Values::Real(by_rows(&real, rows)),
    }
}

fn by_rows<T: Copy>(columns: &[Vec<T>], rows: usize) -> Vec<T> {
    let row = |row| columns.iter().map(move |column: &Vec<T>| column[row]);
    (0..rows).flat_map(row).collect()
}
