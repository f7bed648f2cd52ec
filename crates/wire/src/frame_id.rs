//! The name of a frame.

use crate::codes::limit::CONTEXTS;

/// Name of a frame, used once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId {
    /// Number of the sending device.
    pub device: u64,
    /// Number of the device's restarts.
    pub epoch: u32,
    /// Number of the frame since the restart.
    pub sequence: u64,
}

impl FrameId {
    /// The first sequence of names that are random: 2^32 for each context. They say nothing of the order in which they were sent.
    pub const RANDOM: u64 = 1 << 62;
    const RANDOM_END: u64 = Self::RANDOM + ((CONTEXTS as u64) << 32);

    /// Whether the name was drawn at random, and not counted (`spec/packet.md`, section 3).
    pub fn is_random(self) -> bool {
        Self::is_random_sequence(self.sequence)
    }

    /// Whether names with this sequence are random.
    pub fn is_random_sequence(sequence: u64) -> bool {
        (Self::RANDOM..Self::RANDOM_END).contains(&sequence)
    }
}
