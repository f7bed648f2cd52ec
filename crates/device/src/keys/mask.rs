//! Expansion of masks from their public seeds (`spec/ckks.md`, section 3.3).

use crate::error::{DeviceError, Result};
use crate::profile;
use crate::tables::find_set;
use crate::word::Word;
use isopod_sys::isopod_params;
use isopod_wire::{ParameterSet, Suite};

/// The n residues of the mask for each data prime, in NTT order and canonical. They are public.
///
/// Errors: [`DeviceError::SeedLength`]; [`DeviceError::Parameters`] for a set unknown to the C library.
pub fn expand_mask(params: &ParameterSet, suite: Suite, seed: &[u8]) -> Result<Vec<Vec<u64>>> {
    expand_mask_at_level(params, suite, seed, params.data_primes.len())
}

/// Expands a mask like [`expand_mask`], for a ciphertext under the first `level` primes of the set.
///
/// Errors: those of [`expand_mask`]; [`DeviceError::Level`] unless it is 1 to the number of primes.
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
    let mut set = *find_set(params)?;
    set.prime_count = level as u8;
    Ok(match params.word_bytes() {
        8 => expand::<u64>(&set, params.ring_degree, suite, seed),
        _ => expand::<u32>(&set, params.ring_degree, suite, seed),
    })
}

/// Residues under every prime of the set, from a seed of the suite's length.
#[allow(unsafe_code)]
fn expand<W: Word>(set: &isopod_params, n: usize, suite: Suite, seed: &[u8]) -> Vec<Vec<u64>> {
    let (suite, mut refill) = (profile::suite(suite), 0);
    let expand = |prime| {
        let mut residues = vec![W::default(); n];
        let out = residues.as_mut_ptr();
        // SAFETY: n words of output, a seed of the suite's length, a prime number within the set.
        unsafe { (W::CALLS.mask_expand)(out, suite, seed.as_ptr(), set, prime, &mut refill) };
        residues.into_iter().map(Into::into).collect()
    };
    (0..set.prime_count).map(expand).collect()
}
