//! The range of values that a bootstrapping reduces modulo q0 (`spec/merge.md`, section 4).

use crate::{Error, Result};
use isopod_wire::{FrameHeader, Kind};

/// Function by which a bootstrapping reduces modulo q0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// A sine, whose error grows with the cube of the values.
    Sine,
    /// Points of a circle, which values may fill.
    Circle,
}

impl Reduction {
    /// Bits by which values, and six deviations of their noise, stay below the modulus.
    fn headroom(self) -> i32 {
        match self {
            Self::Sine => 12,
            Self::Circle => 2,
        }
    }
}

/// Variance of the noise, CBD(21).
const ERROR: f64 = 10.5;
/// Variance of a coefficient of a secret key.
const TERNARY: f64 = 2.0 / 3.0;
/// Deviations that noise exceeds with probability 2^-29.
const DEVIATIONS: f64 = 6.0;

/// Refuses a frame whose values or noise may leave the range; otherwise the bound on its noise.
pub(super) fn check(header: &FrameHeader, modulus: u64, reduction: Reduction) -> Result<f64> {
    let most = (u64::BITS - modulus.leading_zeros()) as i32 - reduction.headroom();
    let log2_scale = i32::from(header.log2_scale);
    if header.claims.bound + log2_scale > most {
        let allowed = format!("{} or less at log2_scale {log2_scale}", most - log2_scale);
        return Err(Error::allowed("bound", header.claims.bound, allowed));
    }
    let noise = DEVIATIONS * variance(header).sqrt();
    if noise <= f64::from(most).exp2() {
        return Ok(noise);
    }
    let [first, second] = header.rounding.map_or([0; 2], |rounding| rounding.dropped);
    let found = format!("{first} and {second}, noise up to {noise:.0}");
    let allowed = format!("bits of which the noise stays below 2^{most}");
    Err(Error::allowed("dropped_0, dropped_1", found, allowed))
}

/// Variance of the noise of a coefficient: `spec/coefficients.md`, section 3.
fn variance(header: &FrameHeader) -> f64 {
    let dropped = header.rounding.map_or([0; 2], |rounding| rounding.dropped);
    let rounded = dropped.map(|bits| match bits {
        0 => 0.0,
        _ => f64::from(2 * u32::from(bits)).exp2() / 12.0,
    });
    let key = TERNARY * header.params.ring_degree as f64;
    match header.kind {
        Kind::SecretKey => ERROR + rounded[0],
        Kind::PublicKey => ERROR + rounded[0] + key * (2.0 * ERROR + rounded[1]),
    }
}
