//! The judgement of one frame by what is known of its device.

use isopod_wire::FrameId;

use super::ranges::Ranges;
use crate::error::{KeysError, Result};

/// Frames below the newest of an epoch that may still arrive.
pub const WINDOW: u64 = 1024;

/// Refuses a frame that is not known and older than the newest epoch, or below the window of that epoch.
pub(super) fn check(known: &Ranges, id: FrameId) -> Result<()> {
    let Some((epoch, newest)) = known.newest() else {
        return Ok(());
    };
    // A random name says nothing of its age; its epoch does.
    let newest = newest.filter(|_| !id.is_random());
    let late = newest.is_some_and(|newest| newest.saturating_sub(id.sequence) >= WINDOW);
    if !(id.epoch < epoch || id.epoch == epoch && late) || known.contains(id.epoch, id.sequence) {
        return Ok(());
    }
    let least = newest.map_or(0, |newest| newest.saturating_sub(WINDOW - 1));
    Err(KeysError::Stale {
        device: id.device,
        epoch: id.epoch,
        sequence: id.sequence,
        allowed: format!("epoch {epoch} from sequence {least} on, later epochs"),
    })
}
