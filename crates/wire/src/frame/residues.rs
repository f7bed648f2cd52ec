//! Packed polynomials: reading, checking and writing residues, all of them below their prime.

use crate::bits::{pack, position_beyond, unpack};
use crate::params::prime_bits;
use crate::{Result, WireError};

/// Unpacks residues; refuses one that is not below the prime.
/// `degree` is the length of a polynomial, which gives the position in the error.
pub(crate) fn read(prime: u64, bytes: &[u8], degree: usize) -> Result<Vec<u64>> {
    check(prime, bytes, degree)?;
    Ok(unpack(prime_bits(prime), bytes).collect())
}

/// Checks packed residues like [`read`], for primes of up to 61 bits, without keeping the values.
pub(crate) fn check(prime: u64, bytes: &[u8], degree: usize) -> Result<()> {
    match position_beyond(prime_bits(prime), bytes, prime) {
        None => Ok(()),
        Some(position) => Err(WireError::ResidueRange {
            prime,
            position: position % degree,
        }),
    }
}

/// Packs residues; refuses one that is not below the prime.
pub(crate) fn write(prime: u64, values: &[u64]) -> Result<Vec<u8>> {
    match values.iter().position(|&value| value >= prime) {
        Some(position) => Err(WireError::ResidueRange { prime, position }),
        None => Ok(pack(prime_bits(prime), values)),
    }
}
