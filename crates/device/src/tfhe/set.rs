//! The C library's object for a TFHE set, and the set's twiddles.

use crate::error::{DeviceError, Result};
use isopod_sys::*;
use isopod_wire::TfheParams;

/// The C set with the same identity.
///
/// Errors: [`DeviceError::Parameters`] for a set that the C library does not have.
#[allow(unsafe_code)]
pub(crate) fn find_set(set: &TfheParams) -> Result<&'static isopod_tfhe_params> {
    // SAFETY: a constant object of the C library.
    let sets = unsafe { &isopod_tfhe_sets };
    sets.iter()
        .map(StaticPointer::get)
        .find(|params| params.set_id == set.set_id)
        .ok_or(DeviceError::Parameters)
}

/// The N twiddles of a set.
#[allow(unsafe_code)]
pub(crate) fn twiddles(params: &isopod_tfhe_params) -> Result<Vec<i32>> {
    let mut twiddles = vec![0; 1 << params.log2_ring_degree];
    // SAFETY: N words of output, a set of the C library.
    match unsafe { isopod_tfhe_twiddles_build(twiddles.as_mut_ptr(), params) } {
        ISOPOD_OK => Ok(twiddles),
        status => Err(DeviceError::Internal(status)),
    }
}
