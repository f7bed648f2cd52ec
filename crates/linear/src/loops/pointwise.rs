//! Products of residues and factors in words of 32 or 64 bits, with the quotients that reduce them `[SHOUP01]`.

use crate::modulus::{high, once};
use crate::Modulus;

/// Bits of the primes whose products with 32-bit words fit 64 bits, also before their reduction.
const NARROW_BITS: u32 = 30;

/// How a product is reduced: the lower and upper halves of words of a size.
pub(crate) trait Word {
    /// floor(factor * 2^bits / prime).
    fn quotient(factor: u64, prime: u64) -> u64;
    /// value * factor modulo the prime, below twice the prime, for any value of as many bits as a word has.
    fn times(value: u64, factor: u64, quotient: u64, prime: u64) -> u64;
}

/// Primes below 2^30 in 32-bit words.
pub(crate) struct Narrow;
/// Primes below 2^61 in 64-bit words.
pub(crate) struct Wide;

impl Word for Narrow {
    fn quotient(factor: u64, prime: u64) -> u64 {
        (factor << 32) / prime
    }

    #[inline(always)]
    fn times(value: u64, factor: u64, quotient: u64, prime: u64) -> u64 {
        const LOW: u64 = u32::MAX as u64;
        let multiple = ((value & LOW) * (quotient & LOW)) >> 32;
        (value & LOW) * (factor & LOW) - multiple * (prime & LOW)
    }
}

impl Word for Wide {
    fn quotient(factor: u64, prime: u64) -> u64 {
        ((u128::from(factor) << 64) / u128::from(prime)) as u64
    }

    #[inline(always)]
    fn times(value: u64, factor: u64, quotient: u64, prime: u64) -> u64 {
        let multiple = high(value, quotient);
        let product = value.wrapping_mul(factor);
        product.wrapping_sub(multiple.wrapping_mul(prime))
    }
}

/// Whether residues of a prime are computed in 32-bit words.
pub(crate) fn is_narrow(modulus: Modulus) -> bool {
    modulus.bits() <= NARROW_BITS
}

/// Borrowed factors, as a kernel takes them.
#[derive(Clone, Copy)]
pub(crate) struct Pointwise<'a> {
    pub prime: u64,
    pub values: &'a [u64],
    pub quotients: &'a [u64],
}

#[inline(always)]
pub(crate) fn multiply<W: Word>(residues: &mut [u64], by: Pointwise<'_>) {
    let prime = by.prime;
    if let ([factor], [quotient]) = (by.values, by.quotients) {
        for residue in residues {
            *residue = once(W::times(*residue, *factor, *quotient, prime), prime);
        }
        return;
    }
    let factors = by.values.iter().zip(by.quotients);
    for (residue, (factor, quotient)) in residues.iter_mut().zip(factors) {
        *residue = once(W::times(*residue, *factor, *quotient, prime), prime);
    }
}
