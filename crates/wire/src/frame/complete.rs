//! Complete ciphertexts, unpacked.

use crate::{FrameHeader, Suite};

/// The second polynomial of a ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mask {
    /// c1 of each prime, n residues each.
    Polynomials(Vec<Vec<u64>>),
    /// The public seed from which c1 is expanded.
    Seed {
        /// Suite that expands it.
        suite: Suite,
        /// 32 bytes, or 64 for [`Suite::SealShake256`].
        seed: Vec<u8>,
    },
}

/// One complete ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Header that all its parts share.
    pub header: FrameHeader,
    /// c0 of each prime, n residues each in NTT order.
    pub c0: Vec<Vec<u64>>,
    /// c1, in full or as its seed.
    pub mask: Mask,
}
