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
pub fn expand_mask(params: &ParameterSet, suite: Suite, seed: &[u8]) -> Result<Vec<Vec<u64>>> {
    expand_mask_at_level(params, suite, seed, params.data_primes.len())
}

/// As [`expand_mask`], of a ciphertext under the first `level` primes of the set.
///
/// Errors: as there; a level that is not 1 to the number of primes.
#[allow(unsafe_code)]
pub fn expand_mask_at_level(
    params: &ParameterSet,
    suite: Suite,
    seed: &[u8],
    level: usize,
) -> Result<Vec<Vec<u64>>> {
    let most = params.data_primes.len();
    if !(1..=most).contains(&level) {
        return Err(DeviceError::Level {
            found: level,
            set: params.name,
            most,
        });
    }
    if seed.len() != suite.seed_bytes() {
        return Err(DeviceError::SeedLength {
            found: seed.len(),
            suite: suite.name(),
            expected: suite.seed_bytes(),
        });
    }
    // SAFETY: an immutable static of the C library.
    let mut set = unsafe { *find_set(params)? };
    set.prime_count = level as u8;
    let mut refill = 0;
    let n = params.ring_degree;
    let expand = |prime| {
        let (suite, seed) = (suite_of(suite), seed.as_ptr());
        if params.is_wide() {
            let mut residues = vec![0u64; n];
            let out = residues.as_mut_ptr();
            // SAFETY: n words of output, a seed of the suite's length, a prime number within the set.
            unsafe { ffi::isopod_wide_mask_expand(out, suite, seed, &set, prime, &mut refill) };
            return residues;
        }
        let mut residues = vec![0u32; n];
        let out = residues.as_mut_ptr();
        // SAFETY: as above.
        unsafe { ffi::isopod_mask_expand(out, suite, seed, &set, prime, &mut refill) };
        residues.into_iter().map(u64::from).collect()
    };
    Ok((0..level as u8).map(expand).collect())
}
