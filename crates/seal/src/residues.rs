//! Checks before every image: exact lengths, and every residue below its prime.

use crate::Error;

/// Checks that `polynomial[j]` has `ring_degree` residues below `primes[j]`, for every j.
pub(crate) fn check(
    field: &'static str,
    polynomial: &[Vec<u64>],
    primes: &[u64],
    ring_degree: usize,
) -> Result<(), Error> {
    length(field, polynomial.len(), primes.len())?;
    for (prime, (residues, &modulus)) in polynomial.iter().zip(primes).enumerate() {
        length(field, residues.len(), ring_degree)?;
        if let Some(position) = residues.iter().position(|&value| value >= modulus) {
            return Err(Error::Residue {
                field,
                prime,
                position,
                value: residues[position],
                modulus,
            });
        }
    }
    Ok(())
}

pub(crate) fn length(field: &'static str, got: usize, wanted: usize) -> Result<(), Error> {
    if got == wanted {
        Ok(())
    } else {
        Err(Error::Length { field, got, wanted })
    }
}

/// Splits SEAL's words (prime after prime) into one vector per prime.
pub(crate) fn split(words: &[u64], ring_degree: usize) -> Vec<Vec<u64>> {
    words
        .chunks_exact(ring_degree)
        .map(<[u64]>::to_vec)
        .collect()
}
