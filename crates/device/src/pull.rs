//! Reading of the C library's output, piece by piece until it is done.

use crate::error::{DeviceError, Result};
use isopod_sys::{ISOPOD_DONE, ISOPOD_OK};
use std::ffi::c_int;

/// Size of the largest piece, in bytes.
pub(crate) const PIECE: usize = 4096;

/// Passes every piece of an output to `take`, with the buffer at whose start it lies. `next` writes one piece into memory of
/// the given length.
///
/// Errors: [`DeviceError::Internal`] for any other status of `next`.
pub(crate) fn pull<P: Default>(
    buffer: &mut [u8; PIECE],
    mut next: impl FnMut(*mut u8, usize, *mut P) -> c_int,
    mut take: impl FnMut(P, &[u8]),
) -> Result<()> {
    loop {
        let mut piece = P::default();
        match next(buffer.as_mut_ptr(), PIECE, &mut piece) {
            ISOPOD_OK => take(piece, buffer),
            ISOPOD_DONE => return Ok(()),
            status => return Err(DeviceError::Internal(status)),
        }
    }
}
