//! The judgement of one frame by what is known of its device.

use isopod_wire::FrameId;

use super::ranges::Ranges;
use crate::error::{KeysError, Result};

/// Frames below the newest of an epoch that may still arrive.
pub const WINDOW: u64 = 1024;

/// Refuses a frame that is not known and older than the newest epoch, or below the window of that epoch.
pub(super) fn check(known: &Ranges, id: FrameId) -> Result<()> {
    let Some(newest) = known.newest() else {
        return Ok(());
    };
    let late = id.epoch == newest.epoch && newest.last.saturating_sub(id.sequence) >= WINDOW;
    if !(late || id.epoch < newest.epoch) || known.contains(id.epoch, id.sequence) {
        return Ok(());
    }
    let least = newest.last.saturating_sub(WINDOW - 1);
    Err(KeysError::Stale {
        device: id.device,
        epoch: id.epoch,
        sequence: id.sequence,
        allowed: format!(
            "epoch {} from sequence {least} on, later epochs",
            newest.epoch
        ),
    })
}
