//! Butterflies of the transform, which leave residues below four times the prime and reduce at the end `[HARVEY14]`.

use crate::loops::pointwise::Word;
use crate::modulus::once;

/// Factors of the butterflies, each with its quotient.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    pub prime: u64,
    /// psi^brv(i).
    pub forward: Vec<(u64, u64)>,
    /// psi^-brv(i).
    pub inverse: Vec<(u64, u64)>,
    /// 1 / n.
    pub share: (u64, u64),
}

/// Residues stay below 4q: x below 2q after one subtraction, the product below 2q.
#[inline(always)]
pub(crate) fn forward<W: Word>(words: &mut [u64], tables: &Tables) {
    let (prime, twice) = (tables.prime, 2 * tables.prime);
    let mut blocks = 1;
    while blocks < words.len() {
        let length = words.len() / blocks;
        let factors = &tables.forward[blocks..2 * blocks];
        for (block, &(factor, quotient)) in words.chunks_exact_mut(length).zip(factors) {
            let (low, high) = block.split_at_mut(length / 2);
            for (x, y) in low.iter_mut().zip(high) {
                let (a, b) = (once(*x, twice), W::times(*y, factor, quotient, prime));
                (*x, *y) = (a + b, a + twice - b);
            }
        }
        blocks *= 2;
    }
    for word in words {
        *word = once(once(*word, twice), prime);
    }
}

/// Residues stay below 2q.
#[inline(always)]
pub(crate) fn inverse<W: Word>(words: &mut [u64], tables: &Tables) {
    let (prime, twice) = (tables.prime, 2 * tables.prime);
    let mut blocks = words.len() / 2;
    while blocks > 0 {
        let length = words.len() / blocks;
        let factors = &tables.inverse[blocks..2 * blocks];
        for (block, &(factor, quotient)) in words.chunks_exact_mut(length).zip(factors) {
            let (low, high) = block.split_at_mut(length / 2);
            for (x, y) in low.iter_mut().zip(high) {
                let (a, b) = (*x, *y);
                *x = once(a + b, twice);
                *y = W::times(a + twice - b, factor, quotient, prime);
            }
        }
        blocks /= 2;
    }
    let (factor, quotient) = tables.share;
    for word in words {
        *word = once(W::times(*word, factor, quotient, prime), prime);
    }
}
