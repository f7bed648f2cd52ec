//! The sender of frames.

use isopod_sys::isopod_sender;

/// The sender of frames: its numbers, which name every encryption, and its key. No two encryptions of a device have the same
/// epoch and sequence number, so whoever keeps them raises the epoch durably at every start, or stores the next sequence number
/// before a frame leaves.
pub struct Sender<'a> {
    /// Device number.
    pub device: u64,
    /// Number of the device's restarts.
    pub epoch: u32,
    /// Sequence number of the next encryption; every one that takes entropy adds one.
    pub sequence: u64,
    /// The device key, which authenticates frames and hedges their randomness.
    pub key: &'a [u8; 32],
}

impl Sender<'_> {
    /// The C library's form, which lives no longer than the key.
    pub(crate) fn named(&self) -> isopod_sender {
        isopod_sender {
            device: self.device,
            epoch: self.epoch,
            sequence: self.sequence,
            key: self.key.as_ptr(),
            ..isopod_sender::default()
        }
    }
}
