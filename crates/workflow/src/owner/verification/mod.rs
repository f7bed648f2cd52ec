//! Results that prove themselves by a linear tag (`spec/verify.md`, section 6).

mod parts;
pub(crate) mod tag_keys;

use std::fmt;

use isopod_keys::{LinearAccount, LinearMaster, MOST_REFUSALS};
use isopod_share::Private;
use isopod_verify::Period;
use isopod_wire::{EncryptedResult, LinearTag, Manifest};

use crate::owner::decryption::Owner;
use crate::owner::opening::opened::{Opened, Values};
pub(crate) use crate::owner::verification::parts::pads_of;
use crate::owner::verification::parts::{provable, Parts};
use crate::progress::Report;
use crate::request::job::Request;
use crate::{Error, Result, Results};

/// Ranges of frames that a text names.
const NAMED_RANGES: usize = 4;

/// Results that are the sums of just the frames that they name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The frames.
    pub frames: Manifest,
    /// Number of devices that they are of.
    pub devices: u64,
    /// Rows of all frames, where sums of columns prove their number.
    pub rows: Option<u64>,
    /// Period of their tags.
    pub period: u32,
    /// -log2 of the probability that a false result passes, rounded down.
    pub bits: u32,
}

impl fmt::Display for Verified {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (frames, devices) = (self.frames.count(), self.devices);
        write!(out, "verified: {frames} frames")?;
        if let Some(rows) = self.rows {
            write!(out, " with {rows} rows")?;
        }
        write!(out, " of {devices} devices, sequences ")?;
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
    /// [`Error::Unverified`], for weighted sums always, because their weights are those of a request: [`Owner::open_answer`];
    /// [`Error::Keys`] for an account of tags that cannot be read or written; [`Error::Device`], [`Error::Tfhe`];
    /// [`Error::Contradiction`] for a value beyond the result's bound, or a manifest that does not fit its values. What they say
    /// is for the owner only.
    pub fn open_verified(
        &self,
        results: &Results,
        report: &mut Report<'_>,
    ) -> Result<(Vec<Opened>, Option<Verified>)> {
        let mut opened = self.open_unverified(results, report)?;
        let verified = self.verify(results, &mut opened, None)?;
        Ok((opened, verified))
    }

    /// Opens results that answer a request, with the proof by their linear tags: a weighted sum has the weights of the request.
    ///
    /// # Errors
    /// Those of [`Owner::open_verified`].
    pub fn open_answer(
        &self,
        results: &Results,
        request: &Request,
        report: &mut Report<'_>,
    ) -> Result<(Vec<Opened>, Option<Verified>)> {
        let mut opened = self.open_unverified(results, report)?;
        let verified = self.verify(results, &mut opened, Some(request))?;
        Ok((opened, verified))
    }

    fn verify(
        &self,
        results: &Results,
        opened: &mut [Opened],
        request: Option<&Request>,
    ) -> Result<Option<Verified>> {
        let Results::Rns(results) = results else {
            return Ok(None);
        };
        if results.iter().all(|result| result.linear_tag.is_none()) {
            return Ok(None);
        }
        let master = self.keys().linear_master();
        let verifier = Verifier {
            account: LinearAccount::open(self.folder(), self.keys().key_id())?,
            master: master.ok_or_else(|| unverified(0, "a set without linear tags"))?,
            grid: self.grid(),
        };
        verifier.verify(results, opened, request)
    }
}

/// Whoever gave devices their keys of linear tags: an owner, or one of several.
pub(crate) struct Verifier {
    pub(crate) account: LinearAccount,
    pub(crate) master: LinearMaster,
    /// log2 of the unit of readings on a grid.
    pub(crate) grid: Option<i8>,
}

impl Verifier {
    /// Proves opened results by their linear tags, and puts readings on their grid. A refusal is counted before it is returned.
    ///
    /// # Errors
    /// [`Error::Unverified`]; [`Error::Keys`] for an account that cannot be written.
    pub(crate) fn verify(
        mut self,
        results: &[EncryptedResult],
        opened: &mut [Opened],
        request: Option<&Request>,
    ) -> Result<Option<Verified>> {
        let mut last = None;
        for (at, (result, opened)) in results.iter().zip(opened.iter_mut()).enumerate() {
            let parts = provable(result, opened, (request, self.grid));
            let parts = parts.map_err(|problem| unverified(at, problem))?;
            last = Some(self.verify_one(at, result, &parts)?);
            if let Values::Real(_) = opened.values.for_owner_only() {
                *opened = on_grid(opened, parts.exact_values());
            }
        }
        Ok(last)
    }

    fn verify_one(
        &mut self,
        at: usize,
        result: &EncryptedResult,
        parts: &Parts<'_>,
    ) -> Result<Verified> {
        let Self {
            account, master, ..
        } = self;
        let period = account.period_of(parts.tag);
        let period = period.ok_or_else(|| unverified(at, "a tag of a period that is not yet"))?;
        if account.has_ended(period) {
            let problem = format!("period {period} ended after {MOST_REFUSALS} refusals");
            return Err(unverified(at, &problem));
        }
        if !parts.are_proved(result, &Period::new(master, account.group(period), period)) {
            account.refuse(period)?;
            let problem = "its linear tag is not that of the sum of these frames";
            return Err(unverified(at, problem));
        }
        Ok(Verified {
            frames: parts.manifest.clone(),
            devices: devices(parts.manifest),
            rows: parts.counted_rows(),
            period,
            bits: LinearTag::MODULUS.ilog2() + 1 - parts.degree(result).next_power_of_two().ilog2(),
        })
    }
}

pub(crate) fn unverified(at: usize, problem: &str) -> Error {
    Error::Unverified {
        at,
        problem: problem.to_owned(),
    }
}

/// The values that were proved, which are exact.
fn on_grid(opened: &Opened, values: Vec<f64>) -> Opened {
    Opened {
        places: opened.places.clone(),
        bound: opened.bound,
        error: 0.0,
        values: Private::new(Values::Real(values)),
    }
}

fn devices(manifest: &Manifest) -> u64 {
    let mut devices: Vec<u64> = manifest.ranges().iter().map(|range| range.device).collect();
    devices.dedup();
    devices.len() as u64
}
