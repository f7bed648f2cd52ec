//! Packets that a reader of pads may read.

/// Packets of one device that the holder of a range key may read: those from the first pad to the one before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PadSpan {
    /// The device.
    pub device: u64,
    /// The epoch.
    pub epoch: u32,
    /// The first pad.
    pub first: u32,
    /// The last pad.
    pub last: u32,
}
