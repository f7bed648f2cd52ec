//! The name of a frame.

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
