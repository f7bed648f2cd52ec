//! Low bits below the noise, dropped for the way and put back as zeros.

use crate::Modulus;

/// round(residue / 2^bits): what travels of a coefficient whose lowest `bits` bits (0 to 60) are noise.
pub fn drop_bits(residue: u64, bits: u32) -> u64 {
    match bits {
        0 => residue,
        _ => (residue + (1 << (bits - 1))) >> bits,
    }
}

/// The residue near the one that [`drop_bits`] took: 0 where the rounding has carried to the prime or beyond.
pub fn restore_bits(modulus: Modulus, rounded: u64, bits: u32) -> u64 {
    match rounded.checked_mul(1 << bits) {
        Some(residue) if residue < modulus.prime() => residue,
        _ => 0,
    }
}
