//! Packed polynomials to reduced residues and back.

use crate::bits::{pack, unpack};
use crate::params::prime_bits;
use crate::{Result, WireError};

/// Unpacks residues, refusing one that is not below the prime.
/// `degree` is the length of a polynomial, for the position in the error.
pub(crate) fn read(prime: u64, bytes: &[u8], degree: usize) -> Result<Vec<u64>> {
    let values = unpack(prime_bits(prime), bytes);
    let checked = values.enumerate().map(|(at, value)| {
        if value >= prime {
            return Err(WireError::ResidueRange {
                prime,
                position: at % degree,
            });
        }
        Ok(value)
    });
    checked.collect()
}

/// As [`read`], for primes of up to 61 bits, without keeping the values.
pub(crate) fn check(prime: u64, bytes: &[u8]) -> Result<()> {
    let outside = unpack(prime_bits(prime), bytes).position(|value| value >= prime);
    match outside {
        None => Ok(()),
        Some(position) => Err(WireError::ResidueRange { prime, position }),
    }
}

/// Packs reduced residues, refusing one that is not.
pub(crate) fn write(prime: u64, values: &[u64]) -> Result<Vec<u8>> {
    match values.iter().position(|&value| value >= prime) {
        Some(position) => Err(WireError::ResidueRange { prime, position }),
        None => Ok(pack(prime_bits(prime), values)),
    }
}
