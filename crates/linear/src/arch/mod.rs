//! Kernels by instruction set. `unsafe` is found below this module only: a call of code for instructions that [`Machine`] has
//! found on this processor, and loads within bounds that the caller of the loads has checked.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod versions;

pub(crate) use versions::*;

use crate::loops::pairs::{Pairs, GROUP};
use crate::machine::{Instructions, Machine};

/// Adds weight times packed residues to words, and tells whether all residues are below the prime. The words are whole groups,
/// and the bytes reach to the last load of the last group. A weight other than 1 fits 32 bits, as the residues then do.
pub(crate) fn add_packed(
    machine: Machine,
    pairs: &Pairs,
    bytes: &[u8],
    weight: i64,
    words: &mut [u64],
) -> bool {
    let groups = words.len() / GROUP;
    if groups == 0 {
        return true;
    }
    assert!((groups - 1) * pairs.width + pairs.reach() <= bytes.len());
    match weight {
        1 => add::<false>(machine, pairs, bytes, weight, words),
        _ => add::<true>(machine, pairs, bytes, weight, words),
    }
}

/// Adds, after [`add_packed`] has checked the lengths.
#[allow(unsafe_code, reason = "instructions that the machine has")]
fn add<const TIMES: bool>(
    machine: Machine,
    pairs: &Pairs,
    bytes: &[u8],
    weight: i64,
    words: &mut [u64],
) -> bool {
    match machine.0 {
        Instructions::Portable => unreachable!("portable code has no groups"),
        // SAFETY: a machine names what the processor has, and the bytes reach as far as the kernels load.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { avx2::add::<TIMES>(pairs, bytes, weight, words) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { avx512::add::<TIMES>(pairs, bytes, weight, words) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        Instructions::Neon => unsafe { neon::add::<TIMES>(pairs, bytes, weight, words) },
    }
}
