//! Places of values: from which device, epoch, sequence, row and column a result's value is.

use isopod_wire::{EncryptedResult, FrameId, Manifest, Provenance, TfheResult};

use crate::request::descriptor::JobName;
use crate::{Error, Result};

/// The origin of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValuePosition {
    /// The frame, where the value is of one alone.
    pub frame: Option<FrameId>,
    /// Row in the frame, or of the values of all frames; from 0. None for a value of all rows, which no column is of.
    pub row: Option<u32>,
    /// Column, from 0; of values of all rows, their number.
    pub column: u32,
}

/// The places of a result's values, in order.
pub(crate) fn of_slots(at: usize, result: &EncryptedResult) -> Result<Vec<ValuePosition>> {
    let is_per_frame = job(&result.provenance).is_some_and(JobName::is_per_frame);
    let frame = match &result.provenance.manifest {
        Some(manifest) if is_per_frame => Some(only(at, manifest, result.grid.rows)?),
        _ => None,
    };
    let place = |(row, column)| ValuePosition {
        frame,
        row: Some(row),
        column,
    };
    Ok(result.grid.cells().map(place).collect())
}

/// The places of sums, one for each column.
pub(crate) fn of_columns(columns: usize) -> Vec<ValuePosition> {
    let place = |column| ValuePosition {
        frame: None,
        row: Some(0),
        column,
    };
    (0..columns as u32).map(place).collect()
}

/// The places of a TFHE result's values, in order.
pub(crate) fn of_values(
    at: usize,
    result: &TfheResult,
    values: &[i128],
) -> Result<Vec<ValuePosition>> {
    let count = values.len();
    let job = job(&result.provenance);
    match (job, &result.provenance.manifest) {
        (Some(JobName::Tree), Some(manifest)) => rows(at, manifest, count, 1),
        (Some(JobName::Alarm), Some(manifest)) if count > 1 => each(at, manifest, count),
        (Some(JobName::Argmin | JobName::Argmax), manifest) => Ok(vec![
            whole(0),
            winner(at, manifest.as_ref(), result, values)?,
        ]),
        _ => Ok((0..count as u32).map(whole).collect()),
    }
}

/// The place of the smallest or largest value, whose number among all values comes before it.
fn winner(
    at: usize,
    manifest: Option<&Manifest>,
    result: &TfheResult,
    values: &[i128],
) -> Result<ValuePosition> {
    let number = match values {
        [number, _] => u32::try_from(*number).ok(),
        _ => None,
    };
    let Some(number) = number else {
        let field = "schema";
        let problem =
            "not a place and a value; allowed are a number of type u16 and one value".to_owned();
        return Err(Error::Contradiction { at, field, problem });
    };
    let (row, column) = (number / result.frame_columns, number % result.frame_columns);
    let (frame, row) = match manifest {
        Some(manifest) => frame_of(at, manifest, row).map(|(frame, row)| (Some(frame), row))?,
        None => (None, row),
    };
    Ok(ValuePosition {
        frame,
        row: Some(row),
        column,
    })
}

/// The frame that holds a row of all rows, and the row in it.
fn frame_of(at: usize, manifest: &Manifest, row: u32) -> Result<(FrameId, u32)> {
    let mut left = row;
    for (frame, rows) in manifest.frames() {
        match left.checked_sub(rows) {
            Some(rest) => left = rest,
            None => return Ok((frame, left)),
        }
    }
    let rows = manifest.rows();
    let problem = format!("{rows} rows for a value of row {row}; allowed are more");
    Err(contradiction(at, problem))
}

fn job(provenance: &Provenance) -> Option<JobName> {
    JobName::from_name(&provenance.job)
}

/// A value of all rows.
fn whole(column: u32) -> ValuePosition {
    ValuePosition {
        frame: None,
        row: None,
        column,
    }
}

/// An alarm that names values: one for all of them, then one for each.
fn each(at: usize, manifest: &Manifest, values: usize) -> Result<Vec<ValuePosition>> {
    let columns = (values as u128 - 1) / manifest.rows();
    let mut places = vec![whole(0)];
    places.extend(rows(at, manifest, values - 1, columns)?);
    Ok(places)
}

/// Rows of values in the order of the frames.
fn rows(
    at: usize,
    manifest: &Manifest,
    values: usize,
    columns: u128,
) -> Result<Vec<ValuePosition>> {
    let found = manifest.rows().saturating_mul(columns);
    if found != values as u128 {
        return Err(contradiction(
            at,
            format!(
                "{} rows for {values} values; allowed are as many",
                manifest.rows()
            ),
        ));
    }
    let of_frame = |(frame, rows)| {
        (0..rows).flat_map(move |row| {
            (0..columns as u32).map(move |column| ValuePosition {
                frame: Some(frame),
                row: Some(row),
                column,
            })
        })
    };
    Ok(manifest.frames().flat_map(of_frame).collect())
}

/// The only frame of a result, which has as many rows.
fn only(at: usize, manifest: &Manifest, rows: u32) -> Result<FrameId> {
    match manifest.frames().next() {
        Some((frame, found)) if manifest.count() == 1 && found == rows => Ok(frame),
        _ => Err(contradiction(
            at,
            format!(
                "{} frames with {} rows; allowed is one with {rows}, as the result has",
                manifest.count(),
                manifest.rows()
            ),
        )),
    }
}

/// The refusal of a result that is not as its manifest says.
pub(super) fn contradiction(at: usize, problem: String) -> Error {
    let field = "manifest";
    Error::Contradiction { at, field, problem }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use isopod_wire::{Schema, ValueType, TFHE_SETS};

    fn frame(device: u64, sequence: u64) -> FrameId {
        let epoch = 1;
        FrameId {
            device,
            epoch,
            sequence,
        }
    }

    /// A result of frames with 2, 2 and 3 rows of three columns.
    fn result(with_manifest: bool) -> TfheResult {
        let frames = [(frame(4, 8), 2), (frame(4, 9), 2), (frame(5, 0), 3)];
        let schema = Schema::of_values([ValueType::U16, ValueType::I8]).unwrap();
        TfheResult {
            params: &TFHE_SETS[0],
            key_id: [0; 16],
            nonce: [0; 16],
            provenance: Provenance {
                job: "argmax".to_owned(),
                manifest: with_manifest.then(|| Manifest::of(frames).unwrap()),
                ..Provenance::default()
            },
            schema,
            columns: 2,
            frame_columns: 3,
            packed: Vec::new(),
        }
    }

    fn places(with_manifest: bool, number: i128) -> Result<Vec<ValuePosition>> {
        of_values(0, &result(with_manifest), &[number, -7])
    }

    #[test]
    fn the_winner_is_named_by_its_frame_row_and_column() {
        let wanted = [
            (0, frame(4, 8), 0, 0),
            (5, frame(4, 8), 1, 2),
            (6, frame(4, 9), 0, 0),
            (13, frame(5, 0), 0, 1),
            (20, frame(5, 0), 2, 2),
        ];
        for (number, frame, row, column) in wanted {
            let (frame, row) = (Some(frame), Some(row));
            let place = ValuePosition { frame, row, column };
            assert_eq!(places(true, number).unwrap(), [whole(0), place]);
        }
        let (frame, row, column) = (None, Some(4), 1);
        assert_eq!(
            places(false, 13).unwrap()[1],
            ValuePosition { frame, row, column },
            "of all frames"
        );
    }

    #[test]
    fn a_winner_beyond_the_frames_is_refused() {
        let refused = |number, part: &str| {
            let message = places(true, number).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        };
        refused(21, "7 rows for a value of row 7; allowed are more");
        refused(65535, "manifest");
        refused(-1, "schema");
        let alone = of_values(0, &result(true), &[1]).unwrap_err();
        assert!(alone
            .to_string()
            .contains("allowed are a number of type u16"));
    }
}
