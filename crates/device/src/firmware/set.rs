//! Parameter sets and their tables, in flash or built in the caller's memory.

use super::status::Status;
use core::ffi::c_int;
use core::marker::PhantomData;
use isopod_sys::*;

/// A parameter set. A program links those that it names.
#[derive(Clone, Copy)]
pub struct Set(*const Constant<isopod_params>);

// SAFETY: a constant object of the C library.
#[allow(unsafe_code)]
unsafe impl Send for Set {}
// SAFETY: the same.
#[allow(unsafe_code)]
unsafe impl Sync for Set {}

impl Set {
    pub(super) const fn named(params: *const Constant<isopod_params>) -> Self {
        Self(params)
    }

    pub(super) fn pointer(self) -> *const isopod_params {
        self.0.cast()
    }

    #[allow(unsafe_code)]
    fn params(self) -> &'static isopod_params {
        // SAFETY: a constant object of the C library.
        unsafe { &*self.pointer() }
    }

    /// Number of coefficients of a polynomial.
    pub fn ring_degree(self) -> usize {
        1 << self.params().log2_ring_degree
    }

    /// log2 of the scale that the set was designed for; 0 in BFV.
    pub fn log2_scale(self) -> u8 {
        self.params().log2_scale_default
    }
}

/// Tables of a set.
pub struct Tables<'a>(Place, PhantomData<&'a [u64]>);

enum Place {
    Flash(*const Constant<isopod_tables>),
    Memory(isopod_tables),
}

// SAFETY: nobody writes to tables.
#[allow(unsafe_code)]
unsafe impl Send for Tables<'_> {}
// SAFETY: the same.
#[allow(unsafe_code)]
unsafe impl Sync for Tables<'_> {}

type Build = unsafe extern "C" fn(
    *mut isopod_tables,
    *const isopod_params,
    *mut core::ffi::c_void,
    usize,
) -> c_int;

/// Words of 8 bytes that tables of a set take in memory, for constants.
pub const fn tables_words(n: usize, primes: usize) -> usize {
    let ckks = primes * size_of::<*const i32>() + 8 + primes * n * 4 + (n / 2 + 2) * 12;
    let bfv = primes * size_of::<*const i32>() + (primes + 1) * n * 4;
    if ckks > bfv {
        ckks.div_ceil(8)
    } else {
        bfv.div_ceil(8)
    }
}

impl<'a> Tables<'a> {
    pub(super) const fn named(tables: *const Constant<isopod_tables>) -> Self {
        Self(Place::Flash(tables), PhantomData)
    }

    /// Builds the tables of a set in memory of [`tables_words`].
    ///
    /// Errors: [`Status::Workspace`].
    #[allow(unsafe_code)]
    pub fn build(set: Set, memory: &'a mut [u64]) -> Result<Self, Status> {
        let mut tables = isopod_tables::default();
        let build: Build = match set.params().plain.is_null() {
            true => isopod_ckks_tables_build,
            false => isopod_bfv_tables_build,
        };
        let start = memory.as_mut_ptr().cast();
        // SAFETY: a set of the C library; memory of that length, borrowed as long as the tables.
        let status = unsafe { build(&mut tables, set.pointer(), start, size_of_val(memory)) };
        Status::checked(status).map(|_| Self(Place::Memory(tables), PhantomData))
    }

    pub(super) fn pointer(&self) -> *const isopod_tables {
        match &self.0 {
            Place::Flash(tables) => tables.cast(),
            Place::Memory(tables) => tables,
        }
    }
}
