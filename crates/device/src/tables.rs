//! The C library's object for a CKKS or BFV set, and the set's tables, built on the heap.

use crate::error::{DeviceError, Result};
use isopod_sys::*;
use isopod_wire::{ParameterSet, Scheme};
use std::ffi::{c_int, c_void};

type Build =
    unsafe extern "C" fn(*mut isopod_tables, *const isopod_params, *mut c_void, usize) -> c_int;

/// A set with its tables. The tables point into `memory`, which never moves.
pub(crate) struct SetTables {
    pub(crate) params: &'static isopod_params,
    pub(crate) tables: isopod_tables,
    _memory: Vec<u64>,
}

/// The C set with the same identity.
///
/// Errors: [`DeviceError::Parameters`] for a set that the C library does not have.
#[allow(unsafe_code)]
pub(crate) fn find_set(set: &ParameterSet) -> Result<&'static isopod_params> {
    // SAFETY: constant objects of the C library.
    let [ckks, bfv, primes64]: [&[_]; 3] =
        unsafe { [&isopod_ckks_sets, &isopod_bfv_sets, &isopod64_sets] };
    [ckks, bfv, primes64]
        .into_iter()
        .flatten()
        .map(StaticPointer::get)
        .find(|params| params.set_id == set.set_id)
        .ok_or(DeviceError::Parameters)
}

/// Builder of a set's tables, and the bytes that it needs: ISOPOD_CKKS_TABLES_BYTES, ISOPOD_BFV_TABLES_BYTES, or
/// ISOPOD64_TABLES_BYTES and ISOPOD64_QUOTIENT_BYTES.
fn builder(set: &ParameterSet) -> (Build, usize) {
    let (n, primes) = (set.ring_degree, set.data_primes.len());
    let (pointers, cosines) = (primes * size_of::<*const i32>(), (n / 2 + 2) * 12);
    match (set.word_bytes(), set.scheme()) {
        (8, _) => (
            isopod64_tables_build,
            2 * pointers + 8 + primes * n * 8 + cosines + primes * n * 16,
        ),
        (_, Scheme::Ckks) => (
            isopod_ckks_tables_build,
            pointers + 8 + primes * n * 4 + cosines,
        ),
        (_, Scheme::Bfv) => (isopod_bfv_tables_build, pointers + (primes + 1) * n * 4),
    }
}

impl SetTables {
    /// Builds the tables: 4n bytes per prime of 32-bit words, 24n per prime of 64-bit words, and at most 6n in addition.
    ///
    /// Errors: [`DeviceError::Parameters`].
    #[allow(unsafe_code)]
    pub(crate) fn build(set: &ParameterSet) -> Result<Self> {
        let params = find_set(set)?;
        let (build, bytes) = builder(set);
        let mut memory = vec![0u64; bytes.div_ceil(8)];
        let mut tables = isopod_tables::default();
        let start = memory.as_mut_ptr().cast();
        // SAFETY: a set of the C library; 8-byte aligned memory of that length.
        match unsafe { build(&mut tables, params, start, memory.len() * 8) } {
            ISOPOD_OK => Ok(Self {
                params,
                tables,
                _memory: memory,
            }),
            ISOPOD_ERROR_PARAMETERS => Err(DeviceError::Parameters),
            other => Err(DeviceError::Internal(other)),
        }
    }
}
