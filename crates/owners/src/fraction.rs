//! Residues as fractions of the modulus: what holders send, and what they add up (`spec/owners.md`, section 3).

use isopod_linear::Ring;

/// round(2^bits x / Q) mod 2^bits for each coefficient x, given by its residues modulo each prime. 1 <= bits <= 120.
///
/// x / Q is the sum of (x (Q/q_j)^-1 mod q_j) / q_j modulo 1. Each term is known to 2^-128.
pub(crate) fn fractions(ring: &Ring, coefficients: &[Vec<u64>], bits: u32) -> Vec<u128> {
    let moduli = ring.moduli();
    let factors: Vec<u64> = moduli
        .iter()
        .map(|modulus| {
            let others = moduli.iter().filter(|other| *other != modulus);
            let product = others.fold(1, |product, other| {
                modulus.multiply(product, other.prime() % modulus.prime())
            });
            modulus.invert(product)
        })
        .collect();
    let half = 1u128 << (127 - bits);
    (0..ring.degree())
        .map(|at| {
            let terms = moduli.iter().zip(&factors).zip(coefficients);
            let sum = terms.fold(half, |sum, ((modulus, &factor), residues)| {
                let share = modulus.multiply(residues[at], factor);
                sum.wrapping_add(quotient(share, modulus.prime()))
            });
            sum >> (128 - bits)
        })
        .collect()
}

/// floor(2^128 x / q) of x < q < 2^61, or at most one less.
fn quotient(x: u64, q: u64) -> u128 {
    let (x, q) = (u128::from(x) << 64, u128::from(q));
    ((x / q) << 64) | (((x % q) << 64) / q)
}
