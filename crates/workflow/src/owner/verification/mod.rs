//! Results that prove themselves by a linear tag (`spec/verify.md`, section 6).

pub(crate) mod tag_keys;

use std::fmt;

use isopod_keys::{LinearAccount, MOST_REFUSALS};
use isopod_share::Private;
use isopod_verify::{Claim, Period, Shape};
use isopod_wire::{EncryptedResult, LinearTag, Manifest};

use crate::owner::decryption::Owner;
use crate::owner::opened::{Opened, Values};
use crate::progress::Report;
use crate::request::descriptor::JobName;
use crate::{Error, Result, Results};

/// Frames of one sum, at most: more values of 1 than half of any plaintext modulus holds. A server could name more, to keep an
/// owner busy.
const MOST_FRAMES: u64 = 1 << 30;

/// Units of the grid below which float64 has every integer.
const MOST_UNITS: f64 = 9007199254740992.0;
/// Ranges of frames that a text names.
const NAMED_RANGES: usize = 4;

/// Results that are the sums of just the frames that they name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The frames.
    pub frames: Manifest,
    /// Number of devices that they are of.
    pub devices: u64,
    /// Period of their tags.
    pub period: u32,
    /// -log2 of the probability that a false result passes, rounded down.
    pub bits: u32,
}

impl fmt::Display for Verified {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (frames, devices) = (self.frames.count(), self.devices);
        write!(
            out,
            "verified: {frames} frames of {devices} devices, sequences "
        )?;
        let ranges = self.frames.ranges();
        for (at, range) in ranges.iter().take(NAMED_RANGES).enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            let (first, last) = (range.first, range.last);
            let (device, epoch) = (range.device, range.epoch);
            write!(
                out,
                "{separator}{first} to {last} of device {device}, epoch {epoch}"
            )?;
        }
        if ranges.len() > NAMED_RANGES {
            write!(out, "; and {} more ranges", ranges.len() - NAMED_RANGES)?;
        }
        write!(out, "; forgery 2^-{}", self.bits)
    }
}

impl Owner {
    /// Opens results, with the proof by their linear tags if they have any. A refusal is counted in the folder before it is
    /// returned; the server must not learn of it.
    ///
    /// # Errors
    /// [`Error::Unverified`]; [`Error::Keys`] for an account of tags that cannot be read or written; [`Error::Device`],
    /// [`Error::Tfhe`]; [`Error::Contradiction`] for a value beyond the result's bound, or a manifest that does not fit its
    /// values. What they say is for the owner only.
    pub fn open_verified(
        &self,
        results: &Results,
        report: &mut Report<'_>,
    ) -> Result<(Vec<Opened>, Option<Verified>)> {
        let mut opened = self.open_unverified(results, report)?;
        let verified = self.verify(results, &mut opened)?;
        Ok((opened, verified))
    }

    fn verify(&self, results: &Results, opened: &mut [Opened]) -> Result<Option<Verified>> {
        let Results::Rns(results) = results else {
            return Ok(None);
        };
        if results.iter().all(|result| result.linear_tag.is_none()) {
            return Ok(None);
        }
        let mut last = None;
        for (at, (result, opened)) in results.iter().zip(opened.iter_mut()).enumerate() {
            last = Some(self.verify_one(at, result, opened)?);
        }
        Ok(last)
    }

    fn verify_one(
        &self,
        at: usize,
        result: &EncryptedResult,
        opened: &mut Opened,
    ) -> Result<Verified> {
        let unverified = |problem: &str| Error::Unverified {
            at,
            problem: problem.to_owned(),
        };
        let parts = provable(result, opened, self.grid()).map_err(unverified)?;
        let mut account = LinearAccount::open(self.folder(), self.keys().key_id())?;
        let period = account.period_of(parts.tag);
        let period = period.ok_or_else(|| unverified("a tag of a period that is not yet"))?;
        if account.has_ended(period) {
            let problem = format!("period {period} ended after {MOST_REFUSALS} refusals");
            return Err(unverified(&problem));
        }
        let master = self.keys().linear_master();
        let master = master.ok_or_else(|| unverified("a set without linear tags"))?;
        let claim = Claim {
            // n is at most 2^15.
            ring_degree: result.params.ring_degree as u32,
            shape: Shape {
                columns: result.grid.columns,
                stride: result.grid.stride,
                packing: result.provenance.packing,
                log2_unit: parts.log2_unit,
            },
            manifest: parts.manifest,
            tag: parts.tag,
            values: &parts.values,
        };
        if !Period::new(&master, account.group(period), period).proves(&claim) {
            account.refuse(period)?;
            return Err(unverified(
                "its linear tag is not that of the sum of these frames",
            ));
        }
        if let Values::Real(_) = opened.values.for_owner_only() {
            *opened = on_grid(opened, &parts);
        }
        Ok(Verified {
            frames: parts.manifest.clone(),
            devices: devices(parts.manifest),
            period,
            bits: LinearTag::MODULUS.ilog2() + 1 - result.params.ring_degree.ilog2(),
        })
    }
}

/// The parts of a proof.
struct Parts<'a> {
    tag: LinearTag,
    manifest: &'a Manifest,
    /// Each integer with its place.
    values: Vec<(u32, i64)>,
    /// log2 of their unit.
    log2_unit: i8,
}

fn provable<'a>(
    result: &'a EncryptedResult,
    opened: &Opened,
    grid: Option<i8>,
) -> std::result::Result<Parts<'a>, &'static str> {
    let tag = result.linear_tag.ok_or("it has no linear tag")?;
    let manifest = result.provenance.manifest.as_ref();
    let manifest = manifest.ok_or("it does not name its frames")?;
    if manifest.count() > MOST_FRAMES {
        return Err("it names more frames than a sum has");
    }
    if !JobName::from_name(&result.provenance.job).is_some_and(JobName::is_provable) {
        return Err("its job has no proof");
    }
    let (integers, log2_unit) = integers(opened, grid)?;
    // Places are below n.
    let places = result.slots().map(|place| place as u32);
    Ok(Parts {
        tag,
        manifest,
        values: places.zip(integers).collect(),
        log2_unit,
    })
}

/// The integers that a tag proves, and log2 of their unit. Values of CKKS are rounded to the grid: what is rounded is proved, and
/// too much noise leads to a refusal.
fn integers(
    opened: &Opened,
    grid: Option<i8>,
) -> std::result::Result<(Vec<i64>, i8), &'static str> {
    match (opened.values.for_owner_only(), grid) {
        (Values::Integers(values), _) => {
            Ok((values.iter().map(|&value| value.into()).collect(), 0))
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

/// The values that were proved, which are exact.
fn on_grid(opened: &Opened, parts: &Parts<'_>) -> Opened {
    let unit = f64::from(parts.log2_unit).exp2();
    let values = parts.values.iter().map(|&(_, units)| units as f64 * unit);
    Opened {
        places: opened.places.clone(),
        bound: opened.bound,
        error: 0.0,
        values: Private::new(Values::Real(values.collect())),
    }
}

fn devices(manifest: &Manifest) -> u64 {
    let mut devices: Vec<u64> = manifest.ranges().iter().map(|range| range.device).collect();
    devices.dedup();
    devices.len() as u64
}
