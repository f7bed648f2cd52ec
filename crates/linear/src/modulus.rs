//! Moduli: odd primes below 2^61, and the numbers that reduce by them without a division.

use crate::{Error, Result};

/// Bits of the largest modulus: four times a residue then fits a signed word.
const MOST_BITS: u32 = 61;

/// A prime modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulus {
    prime: u64,
    /// floor(2^64 / prime).
    reciprocal: u64,
    /// The largest multiple of the prime up to 2^63, which makes any signed word a positive one.
    offset: u64,
}

impl Modulus {
    /// Takes a prime; that it is one is up to the caller.
    ///
    /// # Errors
    /// [`Error::Modulus`] for even numbers, 1, and those of more than 61 bits.
    pub fn new(prime: u64) -> Result<Self> {
        if prime < 3 || prime.is_multiple_of(2) || prime >> MOST_BITS != 0 {
            return Err(Error::Modulus { found: prime });
        }
        Ok(Self {
            prime,
            reciprocal: ((1u128 << 64) / u128::from(prime)) as u64,
            offset: (1 << 63) / prime * prime,
        })
    }

    /// The number.
    pub fn prime(self) -> u64 {
        self.prime
    }

    /// Its length in bits, the width of a packed residue.
    pub fn bits(self) -> u32 {
        u64::BITS - self.prime.leading_zeros()
    }

    /// Residues that a signed word holds the sum of.
    pub fn room(self) -> u64 {
        (i64::MAX as u64) / self.prime
    }

    /// The canonical residue of a signed word.
    #[inline(always)]
    pub fn reduce(self, word: i64) -> u64 {
        // At least -2^63 + 2^63 - prime: a negative word gets a second prime.
        let positive = (word as u64).wrapping_add(self.offset);
        let positive = positive.wrapping_add(((word >> 63) as u64) & self.prime);
        let quotient = high(positive, self.reciprocal);
        // The quotient is at most one too small.
        once(
            positive.wrapping_sub(quotient.wrapping_mul(self.prime)),
            self.prime,
        )
    }

    /// a * b.
    pub fn multiply(self, a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(self.prime)) as u64
    }

    /// a + b of residues.
    pub fn add(self, a: u64, b: u64) -> u64 {
        once(a + b, self.prime)
    }

    /// a - b of residues.
    pub fn subtract(self, a: u64, b: u64) -> u64 {
        once(a + self.prime - b, self.prime)
    }

    /// base^exponent.
    pub fn power(self, base: u64, exponent: u64) -> u64 {
        let (mut result, mut square, mut rest) = (1, base % self.prime, exponent);
        while rest > 0 {
            if rest % 2 == 1 {
                result = self.multiply(result, square);
            }
            square = self.multiply(square, square);
            rest /= 2;
        }
        result
    }

    /// 1 / a, by Fermat.
    pub fn invert(self, a: u64) -> u64 {
        self.power(a, self.prime - 2)
    }
}

/// Refuses other than `length` canonical residues.
pub(crate) fn check(modulus: Modulus, length: usize, residues: &[u64]) -> Result<()> {
    if residues.len() != length {
        return Err(Error::length("residues", residues.len(), length));
    }
    let prime = modulus.prime();
    match residues.iter().position(|&residue| residue >= prime) {
        Some(position) => Err(Error::Residue { prime, position }),
        None => Ok(()),
    }
}

/// The upper word of a product.
#[inline(always)]
pub(crate) fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Subtracts the prime from a number that is not below it.
#[inline(always)]
pub(crate) fn once(value: u64, prime: u64) -> u64 {
    value.min(value.wrapping_sub(prime))
}

/// Reduces the words of a sum.
#[inline(always)]
pub(crate) fn reduce(modulus: Modulus, words: &mut [u64]) {
    for word in words {
        *word = modulus.reduce(*word as i64);
    }
}
