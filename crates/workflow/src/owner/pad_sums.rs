//! Sums of pads, as their owner opens them.

use isopod_keys::{OwnerKeys, PadMaster};
use isopod_pad::{open_sum, Pads};
use isopod_share::Private;
use isopod_wire::{Context, PacketHeader, PadRange, PadResult, Submission};

use crate::hash::sha3;
use crate::owner::opening::opened::{Opened, Values};
use crate::owner::opening::position;
use crate::request::descriptor::JobName;
use crate::{Error, PadSpan, Result};

/// The owner's key of pads.
pub(crate) fn pad_master(keys: &OwnerKeys) -> Result<PadMaster> {
    PadMaster::of_blob(keys.secret_blob()).ok_or(Error::OtherScheme { item: "key" })
}

/// Takes the pads off. The manifest and the runs must name the same packets, so that what the owner is told is what was added.
pub(crate) fn sums(at: usize, pads: &mut impl Pads, result: &PadResult) -> Result<Opened> {
    let provenance = &result.provenance;
    if sha3(&[], &result.sum.manifest()?.encode()) != provenance.origin {
        let problem = "name other packets than the manifest; allowed are the same".to_owned();
        let field = "runs";
        return Err(Error::Contradiction { at, field, problem });
    }
    let sums = open_sum(&result.sum, pads)?;
    let bound = result.sum.bound() as f64;
    let divisor = match JobName::from_name(&provenance.job) {
        Some(JobName::Mean | JobName::ColumnMean) => Some(provenance.frames as f64),
        _ => None,
    };
    let values = match divisor {
        Some(divisor) => Values::Real(sums.iter().map(|&sum| sum as f64 / divisor).collect()),
        // Below 2^31, as every modulus is at most 2^32.
        None => Values::Integers(sums.iter().map(|&sum| sum as i32).collect()),
    };
    Ok(Opened {
        places: position::of_columns(sums.len()),
        bound: Some(bound / divisor.unwrap_or(1.0)),
        // A sum is exact, a quotient rounded.
        error: divisor.map_or(0.0, |divisor| bound / divisor * f64::EPSILON),
        values: Private::new(values),
    })
}

/// The range of packets of the context that an element of a body registers.
pub(crate) fn range(keys: &OwnerKeys, context: &[u8], span: &PadSpan) -> Result<PadRange> {
    let Submission::Context { item, .. } = Submission::read(context)?.0 else {
        let problem = "no context first; allowed is a file of packets, or the context of one";
        return Err(Error::parameter("context", problem));
    };
    let device_key = |device| keys.device_keys(device);
    let context = Context::open(item, keys.params(), |device, message, tag| {
        isopod_packet::verify_context(device_key(device).key(), message, tag)
    })?;
    let PacketHeader::Pad(header) = context.header() else {
        return Err(Error::OtherScheme { item: "context" });
    };
    if context.device() != span.device {
        let problem = format!("of device {}; allowed is {}", context.device(), span.device);
        return Err(Error::parameter("context", problem));
    }
    let range = PadRange {
        key_id: keys.key_id(),
        device: span.device,
        description: header.description,
        epoch: span.epoch,
        first: span.first,
        last: span.last,
    };
    range.check()?;
    Ok(range)
}
