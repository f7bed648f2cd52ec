//! The C library's view of a set, and its tables built on the heap.

use crate::{ffi, DeviceError, Result};
use isopod_wire::ParameterSet;

/// A set with its tables. The tables' pointers lead into `memory`, which never moves.
pub(crate) struct SetTables {
    pub(crate) params: *const ffi::Params,
    pub(crate) tables: ffi::Tables,
    _memory: Vec<u64>,
}

/// The C set of the same identity.
#[allow(unsafe_code)]
pub(crate) fn find_set(params: &ParameterSet) -> Result<*const ffi::Params> {
    // SAFETY: an immutable static array of pointers to immutable statics.
    let sets = unsafe { &ffi::isopod_ckks_sets };
    sets.iter()
        .map(|set| set.0)
        // SAFETY: as above.
        .find(|set| unsafe { (**set).set_id } == params.set_id)
        .ok_or(DeviceError::Parameters)
}

impl SetTables {
    #[allow(unsafe_code)]
    pub(crate) fn build(set: &ParameterSet) -> Result<Self> {
        let params = find_set(set)?;
        let (n, primes) = (set.ring_degree, set.data_primes.len());
        let bytes = primes * size_of::<*const i32>() + 8 + primes * n * 4 + (n / 2 + 2) * 12;
        let mut memory = vec![0u64; bytes.div_ceil(8)];
        let mut tables = ffi::Tables {
            twiddles: std::ptr::null(),
            cosine32: std::ptr::null(),
            cosine64: std::ptr::null(),
            backend: std::ptr::null(),
            coarse: std::ptr::null(),
        };
        // SAFETY: `memory` is 8-byte aligned and as large as ISOPOD_CKKS_TABLES_BYTES demands.
        let status = unsafe {
            ffi::isopod_ckks_tables_build(
                &mut tables,
                params,
                memory.as_mut_ptr().cast(),
                memory.len() * 8,
            )
        };
        match status {
            ffi::OK => Ok(Self {
                params,
                tables,
                _memory: memory,
            }),
            -1 => Err(DeviceError::Parameters),
            other => Err(DeviceError::Internal(other)),
        }
    }
}
