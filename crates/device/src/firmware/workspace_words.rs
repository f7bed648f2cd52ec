//! Lengths of workspaces in words of 8 bytes, for constants: the macros of `isopod/encryption.h` and `isopod/rounded.h`. `n` is
//! the ring degree; `message` the bytes of the encoded message: CKKS 2n for real slots and 4n for coefficients, twice that where
//! log2_scale + log2_bound exceeds 30; BFV 4n.

use isopod_sys::{ISOPOD_ROUNDED_STATE_BYTES, ISOPOD_WORKSPACE_OWNER_BYTES};

const OWNER: usize = ISOPOD_WORKSPACE_OWNER_BYTES;

/// Public key, NTT form.
pub const fn public(n: usize, chunks: usize, message: usize) -> usize {
    (OWNER + message + n * 9 / 4 + n * 8 / chunks).div_ceil(8)
}

/// Secret key as a transform, NTT form.
pub const fn secret_ntt(n: usize, chunks: usize, message: usize) -> usize {
    (OWNER + message + n + n * 4 / chunks).div_ceil(8)
}

/// Ternary secret key, NTT form.
pub const fn secret_ternary(n: usize, chunks: usize, message: usize) -> usize {
    (OWNER + message + n + n * 8 / chunks).div_ceil(8)
}

/// Public key, rounded coefficients.
pub const fn rounded_public(n: usize, primes: usize) -> usize {
    (OWNER + ISOPOD_ROUNDED_STATE_BYTES + n * 8 * primes + n / 4).div_ceil(8)
}

/// Public key, rounded coefficients, in less memory and more time.
pub const fn rounded_public_small(n: usize, primes: usize) -> usize {
    (OWNER + ISOPOD_ROUNDED_STATE_BYTES + n * 4 * primes + n / 4).div_ceil(8)
}

/// Secret key, rounded coefficients.
pub const fn rounded_secret(n: usize, primes: usize, is_ternary: bool) -> usize {
    (OWNER + ISOPOD_ROUNDED_STATE_BYTES + n * 4 * (primes + is_ternary as usize)).div_ceil(8)
}
