//! Claims of frames and of sums in the terms of jobs.

use isopod_eval::{Claims, Key};
use isopod_linear::RowMask;
use isopod_wire::{FrameHeader, FrameRange, Kind, Partial, Term};

use crate::request::descriptor::JobName;
use crate::server::accumulate::frame::named;
use crate::{Error, Result};

/// The largest error with its share in step.
pub(crate) fn largest(errors: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    errors.fold((0.0, 0.0), |most, error| match error.0 > most.0 {
        true => error,
        false => most,
    })
}

/// A frame's claims in the terms of jobs.
pub(crate) fn claims_of(header: &FrameHeader) -> Claims {
    let grid = header.grid();
    Claims {
        bound: header.claims.largest(header.params),
        scale: f64::from(header.log2_scale).exp2(),
        primes: header.parts.into(),
        key: key(header.kind == Kind::SecretKey),
        dithered: header.dithered,
        rows: grid.rows as usize,
        columns: grid.columns as usize,
        stride: grid.stride as usize,
        buckets: header.claims.buckets as usize,
        frames: 1,
    }
}

/// Claims of the frames in a sum, those with the same bound and key together.
pub(crate) fn groups(sum: &Partial) -> Vec<Claims> {
    let (header, ranges) = (&sum.header, sum.manifest.ranges());
    let group = |term: &Term| Claims {
        bound: header.claims(term.bound).largest(header.params),
        scale: f64::from(header.log2_scale).exp2(),
        primes: header.parts.into(),
        key: key(term.secret),
        dithered: term.dithered,
        rows: ranges
            .iter()
            .map(|range| range.rows as usize)
            .max()
            .unwrap_or(1),
        columns: header.columns as usize,
        stride: header.stride as usize,
        buckets: header.buckets as usize,
        frames: term.frames,
    };
    sum.terms.iter().map(group).collect()
}

/// Rows of all frames that a mask takes.
///
/// # Errors
/// [`Error::Parameter`] if it takes none.
pub(crate) fn taken_rows(sum: &Partial, rows: &RowMask) -> Result<u64> {
    let of_range = |range: &FrameRange| {
        let frames = u128::from(range.last - range.first) + 1;
        frames * u128::from(rows.count(range.rows))
    };
    let taken: u128 = sum.manifest.ranges().iter().map(of_range).sum();
    match u64::try_from(taken) {
        Ok(taken @ 1..) => Ok(taken),
        _ => {
            let problem =
                format!("take {taken} of the rows of the frames; allowed is at least one row");
            Err(Error::parameter("rows", problem))
        }
    }
}

/// The most rows of one frame that a mask takes.
pub(crate) fn most_rows(sum: &Partial, rows: &RowMask) -> u32 {
    let ranges = sum.manifest.ranges().iter();
    ranges
        .map(|range| rows.count(range.rows))
        .max()
        .unwrap_or(1)
}

/// Claims of the rows in a sum of columns: one-row frames, as many as rows were taken. Of frames with several bounds or keys it
/// is not known which have how many rows, so that each may have the most.
pub(crate) fn rows_of_groups(sum: &Partial, most: u32, taken: u64) -> Vec<Claims> {
    let each = groups(sum).into_iter().map(|claims| Claims {
        rows: 1,
        frames: claims.frames.saturating_mul(most.into()).min(taken),
        ..claims
    });
    each.collect()
}

fn key(secret: bool) -> Key {
    match secret {
        true => Key::Secret,
        false => Key::Public,
    }
}

/// Refuses frames whose numbers of rows differ, which partial states may hold.
pub(crate) fn check_equal_rows(job: JobName, sum: &Partial) -> Result<()> {
    let ranges = sum.manifest.ranges();
    match ranges.iter().find(|range| range.rows != ranges[0].rows) {
        None => Ok(()),
        Some(other) => Err(Error::Differs {
            job: job.name(),
            field: "rows",
            frame: named(other.id()),
            found: other.rows.to_string(),
            other: format!("{} has {}", named(ranges[0].id()), ranges[0].rows),
        }),
    }
}
