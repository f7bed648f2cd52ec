//! Revocation of devices in a server's folder, which asks the replay window for the newest frame of each.

use std::path::Path;

use isopod_wire::KeyId;

use crate::error::Result;
use crate::fleet::Revocation;
use crate::replay::Replay;

/// Revokes devices in a server's folder, all or none, durably: from its return on no answer holds a frame of them. With
/// `keep_earlier` frames up to the newest one that entered an answer are taken still; a device of which none did keeps none.
///
/// Errors: [`KeysError::RevokedBefore`](crate::KeysError::RevokedBefore); those of [`Revoked::read`](crate::Revoked::read), and
/// then nothing changed.
pub fn revoke(
    folder: &Path,
    key_id: KeyId,
    devices: &[u64],
    keep_earlier: bool,
) -> Result<Vec<Revocation>> {
    Replay::new(folder, key_id).revoke(devices, keep_earlier)
}

/// Enters revocations that another server of the same keys made, into a server's folder, all or none, durably.
///
/// Errors: those of [`revoke`].
pub fn enter_revocations(folder: &Path, key_id: KeyId, entries: &[Revocation]) -> Result<()> {
    Replay::new(folder, key_id).enter_revocations(entries)
}
