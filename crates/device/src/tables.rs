//! The C library's view of a set, and its tables built on the heap.

use crate::{ffi, DeviceError, Result};
use isopod_wire::{ParameterSet, Scheme};
use std::ffi::{c_int, c_void};

type Build =
    unsafe extern "C" fn(*mut ffi::Tables, *const ffi::Params, *mut c_void, usize) -> c_int;

/// A set with its tables. The tables' pointers lead into `memory`, which never moves.
pub(crate) struct SetTables {
    pub(crate) params: *const ffi::Params,
    pub(crate) tables: ffi::Tables,
    _memory: Vec<u64>,
}

/// The C set of the same identity.
#[allow(unsafe_code)]
pub(crate) fn find_set(params: &ParameterSet) -> Result<*const ffi::Params> {
    // SAFETY: immutable static arrays of pointers to immutable statics.
    let (ckks, bfv, wide) = unsafe {
        (
            &ffi::isopod_ckks_sets,
            &ffi::isopod_bfv_sets,
            &ffi::isopod_wide_sets,
        )
    };
    ckks.iter()
        .chain(bfv)
        .chain(wide)
        .map(|set| set.0)
        // SAFETY: as above.
        .find(|set| unsafe { (**set).set_id } == params.set_id)
        .ok_or(DeviceError::Parameters)
}

/// What builds the tables of a set, and the bytes it needs; those of wide sets with their quotients.
fn builder(set: &ParameterSet) -> (Build, usize) {
    let (n, primes) = (set.ring_degree, set.data_primes.len());
    let (pointers, cosines) = (primes * size_of::<*const i32>(), (n / 2 + 2) * 12);
    if set.is_wide() {
        let bytes = 2 * pointers + 8 + primes * n * 8 + cosines + primes * n * 16;
        return (ffi::isopod_wide_tables_build, bytes);
    }
    match set.scheme() {
        Scheme::Ckks => (
            ffi::isopod_ckks_tables_build,
            pointers + 8 + primes * n * 4 + cosines,
        ),
        Scheme::Bfv => (
            ffi::isopod_bfv_tables_build,
            pointers + (primes + 1) * n * 4,
        ),
    }
}

impl SetTables {
    #[allow(unsafe_code)]
    pub(crate) fn build(set: &ParameterSet) -> Result<Self> {
        let params = find_set(set)?;
        let (build, bytes) = builder(set);
        let mut memory = vec![0u64; bytes.div_ceil(8)];
        let mut tables = ffi::Tables {
            twiddles: std::ptr::null(),
            cosine32: std::ptr::null(),
            cosine64: std::ptr::null(),
            backend: std::ptr::null(),
            coarse: std::ptr::null(),
            wide_twiddles: std::ptr::null(),
            wide_backend: std::ptr::null(),
            plain: std::ptr::null(),
        };
        // SAFETY: `memory` is 8-byte aligned and as large as the set's ISOPOD_*_TABLES_BYTES demands.
        let status = unsafe {
            build(
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
