//! Residues of tests, and the primes that kernels meet.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "every test file uses its part, and may fail"
)]

use isopod_linear::Modulus;
use isopod_wire::{pack, sets};

/// SplitMix64 generator: the same residues on every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn residues(&mut self, prime: u64, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.next() % prime).collect()
    }
}

/// One data prime of every width, and odd numbers of the widths that no set has.
pub fn moduli() -> Vec<Modulus> {
    let mut primes: Vec<u64> = sets().flat_map(|set| set.data_primes.to_vec()).collect();
    primes.extend((9..=61).map(|bits| (1 << bits) - 1));
    primes.sort_unstable();
    primes.dedup_by_key(|prime| prime.leading_zeros());
    primes
        .into_iter()
        .map(|prime| Modulus::new(prime).unwrap())
        .collect()
}

/// Packed residues of a modulus.
pub fn packed(modulus: Modulus, residues: &[u64]) -> Vec<u8> {
    pack(modulus.bits(), residues)
}
