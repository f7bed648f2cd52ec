//! The suite of a frame: the generator of its randomness.

use crate::codes::{size, suite};
use crate::{Result, WireError};

/// Randomness suites of CKKS and BFV, which expand a frame's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suite {
    /// ChaCha20 (`[RFC8439]`).
    Chacha20,
    /// SHAKE-256 (`[FIPS202]`).
    Shake256,
    /// SHAKE-256, with the mask expanded as SEAL's generator does.
    SealShake256,
}

impl Suite {
    /// The suite's number on the wire.
    pub fn number(self) -> u8 {
        match self {
            Self::Chacha20 => suite::CHACHA20,
            Self::Shake256 => suite::SHAKE256,
            Self::SealShake256 => suite::SEAL_SHAKE256,
        }
    }

    /// The suite's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chacha20 => "chacha20",
            Self::Shake256 => "shake256",
            Self::SealShake256 => "seal-shake256",
        }
    }

    /// Bytes of the suite's mask seed.
    pub fn seed_bytes(self) -> usize {
        match self {
            Self::SealShake256 => size::SEAL_MASK_SEED,
            _ => size::MASK_SEED,
        }
    }

    pub(crate) fn read(number: u64) -> Result<Self> {
        [Self::Chacha20, Self::Shake256, Self::SealShake256]
            .into_iter()
            .find(|suite| u64::from(suite.number()) == number)
            .ok_or(WireError::UnknownSuite { found: number })
    }
}
