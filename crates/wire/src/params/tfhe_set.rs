//! Parameter sets of TFHE (`spec/tfhe.md`, section 1).

use super::set::Label;

/// The distribution of secret keys, and of `u` in public-key encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// 0 or 1.
    Binary,
    /// -1, 0 or 1.
    Ternary,
}

/// The distribution of the errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// TUniform(b): -2^b .. 2^b, both ends half as likely.
    TUniform(u8),
    /// The exact discrete Gaussian of standard deviation 128.
    Gaussian128,
}

/// One TFHE parameter set.
#[derive(Debug, PartialEq, Eq)]
pub struct TfheParams {
    /// `tfhe-<ring degree>-<purpose>`.
    pub name: &'static str,
    /// Identity in key blobs, a hash of the numbers.
    pub set_id: [u8; 8],
    /// N, 1024 or 2048.
    pub ring_degree: usize,
    /// log2 of q, 32 or 64.
    pub log2_modulus: u32,
    /// Secret key distribution.
    pub secret: Secret,
    /// Error distribution.
    pub noise: Noise,
    /// Bits of a block, one per coefficient.
    pub message_bits: u32,
    /// log2 of the factor by which a block is multiplied.
    pub log2_delta: u32,
    /// Whether half of that factor is subtracted.
    pub centred: bool,
    /// Security label.
    pub label: Label,
    /// Prime of the NTT of the transformed key.
    pub prime: u64,
    /// Smallest primitive 2N-th root of unity modulo that prime.
    pub root: u64,
    /// Purpose in one sentence.
    pub purpose: &'static str,
}

impl TfheParams {
    /// Bytes of a word of q.
    pub fn word_bytes(&self) -> usize {
        self.log2_modulus as usize / 8
    }
}
