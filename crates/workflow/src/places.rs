//! Places of values: from which device, epoch, sequence, row and column a result's value is.

use isopod_wire::{EncryptedResult, FrameId, Manifest, Provenance, TfheResult};

use crate::job::JobName;
use crate::{Error, Result};

/// The origin of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The frame, where the value is of one alone.
    pub frame: Option<FrameId>,
    /// Row in the frame, or of the values of all frames; from 0. None for a value of all rows.
    pub row: Option<u32>,
    /// Column, from 0.
    pub column: u32,
}

/// The places of a result's values, in order.
pub(crate) fn of_slots(at: usize, result: &EncryptedResult) -> Result<Vec<Place>> {
    let is_per_frame = job(&result.provenance).is_some_and(JobName::is_per_frame);
    let frame = match &result.provenance.manifest {
        Some(manifest) if is_per_frame => Some(only(at, manifest, result.grid.rows)?),
        _ => None,
    };
    let place = |(row, column)| Place {
        frame,
        row: Some(row),
        column,
    };
    Ok(result.grid.cells().map(place).collect())
}

/// The places of a TFHE result's values, in order.
pub(crate) fn of_values(at: usize, result: &TfheResult) -> Result<Vec<Place>> {
    let values = result.schema.values();
    match (job(&result.provenance), &result.provenance.manifest) {
        (Some(JobName::Tree), Some(manifest)) => rows(at, manifest, values, 1),
        (Some(JobName::Alarm), Some(manifest)) if values > 1 => each(at, manifest, values),
        _ => Ok((0..values as u32).map(whole).collect()),
    }
}

fn job(provenance: &Provenance) -> Option<JobName> {
    JobName::from_name(&provenance.job)
}

/// A value of all rows.
fn whole(column: u32) -> Place {
    Place {
        frame: None,
        row: None,
        column,
    }
}

/// An alarm that names values: one for all of them, then one for each.
fn each(at: usize, manifest: &Manifest, values: usize) -> Result<Vec<Place>> {
    let columns = (values as u128 - 1) / manifest.rows();
    let mut places = vec![whole(0)];
    places.extend(rows(at, manifest, values - 1, columns)?);
    Ok(places)
}

/// Rows of values in the order of the frames.
fn rows(at: usize, manifest: &Manifest, values: usize, columns: u128) -> Result<Vec<Place>> {
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
            (0..columns as u32).map(move |column| Place {
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

fn contradiction(at: usize, problem: String) -> Error {
    let field = "manifest";
    Error::Contradiction { at, field, problem }
}
