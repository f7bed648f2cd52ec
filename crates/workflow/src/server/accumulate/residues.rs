//! Residues of a frame: its mask by secret key, and its coefficients in NTT order.

use isopod_linear::Ring;
use isopod_wire::{FrameHeader, Kind, RoundedFrame};

use crate::{Error, Result};

/// The mask of a frame by secret key, from its seed.
pub(crate) fn mask(header: &FrameHeader) -> Result<Option<Vec<Vec<u64>>>> {
    if header.kind == Kind::PublicKey {
        return Ok(None);
    }
    let level = header.parts.into();
    let mask =
        isopod_device::expand_mask_at_level(header.params, header.suite, &header.seed, level);
    Ok(Some(mask.map_err(Error::from)?))
}

/// The residues of a frame in NTT order.
pub(crate) fn ciphertext(ring: &Ring, frame: &RoundedFrame) -> Result<[Vec<Vec<u64>>; 2]> {
    let mask = mask(&frame.header)?;
    Ok(ring.residues(frame, mask.as_deref())?)
}
