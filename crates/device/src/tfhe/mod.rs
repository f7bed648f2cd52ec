//! TFHE: the same C code, encryption and keys.

mod encryptor;
mod ffi;
mod key_pair;

pub use encryptor::{TfheEncoding, TfheEncryptor};
pub use key_pair::{tfhe_blobs, TfheKeyPair};

use crate::{DeviceError, Result};
use isopod_wire::TfheParams;

/// The C set of the same identity.
#[allow(unsafe_code)]
fn find_set(params: &TfheParams) -> Result<*const ffi::Params> {
    // SAFETY: an immutable static array of pointers to immutable statics.
    let sets = unsafe { &ffi::isopod_tfhe_sets };
    sets.iter()
        .map(|set| set.0)
        // SAFETY: as above.
        .find(|set| unsafe { (**set).set_id } == params.set_id)
        .ok_or(DeviceError::Parameters)
}

/// The twiddles of a set.
#[allow(unsafe_code)]
fn twiddles(set: *const ffi::Params, degree: usize) -> Result<Vec<i32>> {
    let mut twiddles = vec![0; degree];
    // SAFETY: N words of output, a set of the C library.
    match unsafe { ffi::isopod_tfhe_twiddles_build(twiddles.as_mut_ptr(), set) } {
        crate::ffi::OK => Ok(twiddles),
        other => Err(DeviceError::Internal(other)),
    }
}
