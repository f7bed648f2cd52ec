//! The C library's object for a TFHE set, and the set's tables.

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

/// The tables of a set. They point into `memory`, which never moves.
pub(crate) struct TfheTables {
    tables: isopod_tfhe_tables,
    _memory: Vec<i32>,
}

impl TfheTables {
    /// Builds the tables: 4 bytes for each of N coefficients.
    #[allow(unsafe_code)]
    pub(crate) fn build(params: &isopod_tfhe_params) -> Result<Self> {
        let mut memory = vec![0i32; 1 << params.log2_ring_degree];
        let mut tables = isopod_tfhe_tables::default();
        let (start, bytes) = (memory.as_mut_ptr().cast(), size_of_val(memory.as_slice()));
        // SAFETY: a set of the C library; 4-byte aligned memory of that length.
        match unsafe { isopod_tfhe_tables_build(&mut tables, params, start, bytes) } {
            ISOPOD_OK => Ok(Self {
                tables,
                _memory: memory,
            }),
            status => Err(DeviceError::Internal(status)),
        }
    }

    /// Address for a configuration that is used before self moves.
    pub(crate) fn pointer(&self) -> *const isopod_tfhe_tables {
        &raw const self.tables
    }
}
