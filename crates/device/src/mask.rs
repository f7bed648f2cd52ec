//! The mask from its public seed.

use crate::{ffi, tables::find_set, DeviceError, Result};
use isopod_wire::{ParameterSet, Suite};

#[allow(unsafe_code)]
pub(crate) fn suite_of(suite: Suite) -> *const ffi::Suite {
    match suite {
        Suite::Chacha20 => &raw const ffi::isopod_suite_chacha20,
        Suite::Shake256 => &raw const ffi::isopod_suite_shake256,
        Suite::SealShake256 => &raw const ffi::isopod_suite_seal_shake256,
    }
}

/// The n residues of the mask for each data prime, in NTT order, canonical. Public data.
///
/// Errors: a seed whose length is not the suite's; a set unknown to the C library.
#[allow(unsafe_code)]
pub fn expand_mask(params: &ParameterSet, suite: Suite, seed: &[u8]) -> Result<Vec<Vec<u64>>> {
    if seed.len() != suite.seed_bytes() {
        return Err(DeviceError::SeedLength {
            found: seed.len(),
            suite: suite.name(),
            expected: suite.seed_bytes(),
        });
    }
    let set = find_set(params)?;
    let mut refill = 0;
    let expand = |prime| {
        let mut residues = vec![0u32; params.ring_degree];
        // SAFETY: n words of output, a seed of the suite's length, a prime number within the set.
        unsafe {
            ffi::isopod_mask_expand(
                residues.as_mut_ptr(),
                suite_of(suite),
                seed.as_ptr(),
                set,
                prime,
                &mut refill,
            );
        }
        residues.into_iter().map(u64::from).collect()
    };
    Ok((0..params.data_primes.len() as u8).map(expand).collect())
}
