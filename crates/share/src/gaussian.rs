//! Normal deviates from the system's randomness (`[BOXMULLER58]`).

use std::f64::consts::TAU;

use crate::error::{Result, ShareError};

/// `count` independent normal deviates of mean 0 and standard deviation 1, by the Box-Muller transform of 53-bit uniform
/// numbers; magnitudes are at most 8.6. Not constant time: for the owner's own machine.
pub fn normal(count: usize) -> Result<Vec<f64>> {
    let mut bytes = vec![0; count.div_ceil(2) * 16];
    getrandom::fill(&mut bytes).map_err(|error| ShareError::Entropy(error.to_string()))?;
    let mut deviates: Vec<f64> = bytes.chunks_exact(16).flat_map(pair).collect();
    deviates.truncate(count);
    Ok(deviates)
}

fn pair(bytes: &[u8]) -> [f64; 2] {
    let (first, second) = bytes.split_at(8);
    let radius = (-2.0 * (1.0 - uniform(first)).ln()).sqrt();
    let angle = TAU * uniform(second);
    [radius * angle.cos(), radius * angle.sin()]
}

/// Uniform number in [0, 1), a multiple of 2^-53.
fn uniform(bytes: &[u8]) -> f64 {
    let word = bytes
        .iter()
        .fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
    (word >> 11) as f64 * 2.0_f64.powi(-53)
}
