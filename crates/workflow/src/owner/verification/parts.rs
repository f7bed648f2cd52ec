//! The parts of a proof, from a result and its values.

use isopod_linear::Proof;
use isopod_verify::{Claim, ColumnClaim, Period, Shape};
use isopod_wire::{AnySet, EncryptedResult, LinearTag, Manifest};

use crate::owner::opening::opened::{Opened, Values};
use crate::request::descriptor::JobName;
use crate::request::job::Request;

/// Rows, frames and weights of one sum, at most: with values below half of any plaintext modulus, 2^29, no sum reaches p. A
/// server could name more, to keep an owner busy or to go around p.
const MOST: u64 = 1 << 30;
/// Frames of one sum of readings on a grid, at most: they have 32 bits.
const MOST_ON_GRID: u64 = 1 << 28;
/// Units of the grid below which float64 has every integer.
const MOST_UNITS: f64 = 9_007_199_254_740_992.0;

/// The parts of a proof.
pub(super) struct Parts<'a> {
    pub tag: LinearTag,
    pub manifest: &'a Manifest,
    values: Vec<i64>,
    /// log2 of the unit of the values.
    log2_unit: i8,
    claimed: Claimed,
}

/// The job that made the values of the frames, as the result claims.
enum Claimed {
    Sum,
    Weighted(Vec<i64>),
    /// Sums of columns over so many rows.
    Columns(u64),
    Histogram,
}

pub(super) fn provable<'a>(
    result: &'a EncryptedResult,
    opened: &Opened,
    (request, grid): (Option<&Request>, Option<i8>),
) -> Result<Parts<'a>, &'static str> {
    let tag = result.linear_tag.ok_or("it has no linear tag")?;
    let manifest = named(result)?;
    let (values, log2_unit) = integers(opened, grid, manifest.count())?;
    Ok(Parts {
        tag,
        manifest,
        values,
        log2_unit,
        claimed: claimed(result, manifest, request)?,
    })
}

/// The frames of a result.
fn named(result: &EncryptedResult) -> Result<&Manifest, &'static str> {
    let manifest = result.provenance.manifest.as_ref();
    let manifest = manifest.ok_or("it does not name its frames")?;
    match manifest.count() {
        0..=MOST => Ok(manifest),
        _ => Err("it names more frames than a sum has"),
    }
}

/// The sum of the pads of a result's frames, as its job weighs them, where the tag is of their places.
pub(crate) fn pads_of(
    result: &EncryptedResult,
    request: Option<&Request>,
    period: &Period<'_>,
) -> Result<LinearTag, &'static str> {
    let manifest = named(result)?;
    let weights = match claimed(result, manifest, request)? {
        Claimed::Sum => None,
        Claimed::Weighted(weights) => Some(weights),
        Claimed::Columns(_) | Claimed::Histogram => return Err("its job has no proof"),
    };
    let pads = period.shared_pads(&shape(result, 0), manifest, weights.as_deref());
    pads.ok_or("it names more or fewer frames than the request has weights")
}

/// Arrangement of the frames of a result.
fn shape(result: &EncryptedResult, log2_unit: i8) -> Shape {
    Shape {
        columns: result.grid.columns,
        stride: result.grid.stride,
        packing: result.provenance.packing,
        log2_unit,
    }
}

/// The integers that a tag proves, and log2 of their unit. Values of CKKS are rounded to the grid: what is rounded is proved, and
/// too much noise leads to a refusal.
fn integers(
    opened: &Opened,
    grid: Option<i8>,
    frames: u64,
) -> Result<(Vec<i64>, i8), &'static str> {
    match (opened.values.for_owner_only(), grid) {
        (Values::Integers(values), _) => {
            Ok((values.iter().map(|&value| value.into()).collect(), 0))
        }
        (Values::Real(_), Some(_)) if frames > MOST_ON_GRID => {
            Err("it names more frames than a sum of readings on a grid has")
        }
        (Values::Real(values), Some(log2_unit)) => {
            let unit = f64::from(log2_unit).exp2();
            if opened.error >= unit / 2.0 {
                return Err("its error is half a unit of the grid or more");
            }
            let units = values.iter().map(|value| (value / unit).round());
            let units: Vec<f64> = units.collect();
            match units.iter().all(|units| units.abs() < MOST_UNITS) {
                true => Ok((units.iter().map(|&units| units as i64).collect(), log2_unit)),
                false => Err("a value is beyond 2^53 units of the grid"),
            }
        }
        (Values::Real(_), None) => {
            Err("its values are real numbers; give the grid of the readings")
        }
        (Values::Typed(_), _) => Err("its values are of TFHE"),
    }
}

fn claimed(
    result: &EncryptedResult,
    manifest: &Manifest,
    request: Option<&Request>,
) -> Result<Claimed, &'static str> {
    let job = JobName::from_name(&result.provenance.job).ok_or("its job has no proof")?;
    if let Some(request) = request {
        if request.job.name() != job {
            return Err("it answers with another job than the request asks for");
        }
        if request.proof(AnySet::Rns(result.params)) == Proof::Nothing {
            return Err("no linear tag proves what the request asks for");
        }
    }
    match (job, job.proof()) {
        (JobName::Weighted, _) => weighted(manifest, request),
        (_, Proof::Places) => Ok(Claimed::Sum),
        (_, Proof::Nothing) => Err("its job has no proof"),
        (_, Proof::Columns) if result.grid.rows != 1 => Err("it has more rows than its job"),
        (JobName::Histogram, _) => histogram(result, manifest),
        (_, Proof::Columns) => match rows(manifest) {
            rows @ 0..=MOST => Ok(Claimed::Columns(rows)),
            _ => Err("it names more rows than a sum has"),
        },
    }
}

fn weighted(manifest: &Manifest, request: Option<&Request>) -> Result<Claimed, &'static str> {
    let request = request.ok_or("its weights are not known; give the request that it answers")?;
    let weights = request.integer_weights();
    let weights = weights.ok_or("the request has no integers as weights")?;
    if weights.len() as u64 != manifest.count() {
        return Err("it names more or fewer frames than the request has weights");
    }
    let magnitudes = weights.iter().map(|weight| weight.unsigned_abs());
    match magnitudes.fold(0, u64::saturating_add) {
        0..=MOST => Ok(Claimed::Weighted(weights)),
        _ => Err("its weights add up to more than 2^30"),
    }
}

/// The tag does not count one-hot readings, so that only the number of frames bounds them.
fn histogram(result: &EncryptedResult, manifest: &Manifest) -> Result<Claimed, &'static str> {
    let buckets = u64::from(result.grid.columns);
    let readings = result.params.ring_degree as u64 / buckets.max(1);
    match buckets >= 2 && manifest.count() * readings <= MOST {
        true => Ok(Claimed::Histogram),
        false => Err("it names more readings than a sum has"),
    }
}

fn rows(manifest: &Manifest) -> u64 {
    let ranges = manifest.ranges().iter();
    let each = ranges.map(|range| (range.last - range.first + 1) * u64::from(range.rows));
    each.fold(0, u64::saturating_add)
}

impl Parts<'_> {
    /// Whether the tag proves the values. It decides by secrets: whoever made the result must not learn it.
    pub fn are_proved(&self, result: &EncryptedResult, period: &Period<'_>) -> bool {
        let (columns, packing) = (result.grid.columns, result.provenance.packing);
        match &self.claimed {
            Claimed::Sum => self.are_proved_by_places(result, |claim| period.proves(claim)),
            Claimed::Weighted(weights) => {
                self.are_proved_by_places(result, |claim| period.proves_weighted(claim, weights))
            }
            Claimed::Columns(_) => self.are_proved_by(Shape::of_rows(columns, packing), period),
            Claimed::Histogram => self.are_proved_by(Shape::of_readings(columns, packing), period),
        }
    }

    fn are_proved_by_places(
        &self,
        result: &EncryptedResult,
        proves: impl Fn(&Claim<'_>) -> bool,
    ) -> bool {
        // Places are below n, at most 2^15.
        let places = result.slots().map(|place| place as u32);
        let values: Vec<_> = places.zip(self.values.iter().copied()).collect();
        proves(&Claim {
            ring_degree: result.params.ring_degree as u32,
            shape: shape(result, self.log2_unit),
            manifest: self.manifest,
            tag: self.tag,
            values: &values,
        })
    }

    fn are_proved_by(&self, shape: Shape, period: &Period<'_>) -> bool {
        period.proves_columns(&ColumnClaim {
            shape,
            manifest: self.manifest,
            tag: self.tag,
            values: &self.values,
        })
    }

    /// The values, which are exact once they are proved.
    pub fn exact_values(&self) -> Vec<f64> {
        let unit = f64::from(self.log2_unit).exp2();
        self.values
            .iter()
            .map(|&units| units as f64 * unit)
            .collect()
    }

    /// Rows of all frames, where the tag proves their number.
    pub fn counted_rows(&self) -> Option<u64> {
        match self.claimed {
            Claimed::Columns(rows) => Some(rows),
            _ => None,
        }
    }

    /// Degree of the polynomial that a false result has as a root.
    pub fn degree(&self, result: &EncryptedResult) -> u64 {
        match self.claimed {
            Claimed::Sum | Claimed::Weighted(_) => result.params.ring_degree as u64,
            Claimed::Columns(_) | Claimed::Histogram => u64::from(result.grid.columns) + 1,
        }
    }
}
