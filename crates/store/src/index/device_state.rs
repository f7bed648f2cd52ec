//! Knowledge of one device's frames, and the sums over all devices.

use isopod_keys::{append_number, take_number, Seen};
use isopod_wire::FrameId;

/// Knowledge of one device's frames.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceState {
    /// Their names.
    pub seen: Seen,
    /// Frames that were taken, those deleted since among them.
    pub frames: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Arrival of the last one, in milliseconds since 1970.
    pub received: u64,
}

/// Sums over all devices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Devices that sent a frame.
    pub devices: u64,
    /// Frames that were taken, those deleted since among them.
    pub frames: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Frames missing between those that came.
    pub missing: u64,
    /// Frames that are in the log now: neither deleted nor removed by retention.
    pub stored: u64,
}

impl DeviceState {
    /// Takes a frame in. One that is known came once more in place of a damaged one, and does not count twice.
    pub fn enter(&mut self, id: FrameId, received: u64, length: u64) {
        if !matches!(self.seen.is_new(id), Ok(false)) {
            self.seen.insert(id.epoch, id.sequence);
            self.frames += 1;
            self.bytes += length;
        }
        self.received = self.received.max(received);
    }

    /// The bytes that [`DeviceState::parse`] reads.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [self.frames, self.bytes, self.received] {
            append_number(number, &mut bytes);
        }
        self.seen.append_to(&mut bytes);
        bytes
    }

    /// A state from its bytes; None for others.
    pub fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut next = || take_number(&mut bytes);
        let (frames, of_bytes, received) = (next()?, next()?, next()?);
        Some(Self {
            seen: Seen::parse(bytes)?,
            frames,
            bytes: of_bytes,
            received,
        })
    }
}

impl Totals {
    /// Adds a device.
    pub fn enter(&mut self, state: &DeviceState) {
        self.devices += u64::from(state.frames > 0);
        self.frames += state.frames;
        self.bytes += state.bytes;
        self.missing = self.missing.saturating_add(state.seen.missing());
    }

    /// Takes a device out, before it enters again in another state.
    pub(crate) fn leave(&mut self, state: &DeviceState) {
        self.devices = self.devices.saturating_sub(u64::from(state.frames > 0));
        self.frames = self.frames.saturating_sub(state.frames);
        self.bytes = self.bytes.saturating_sub(state.bytes);
        self.missing = self.missing.saturating_sub(state.seen.missing());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_state_reads_back(frames in prop::collection::vec((0..4u32, 0..40u64), 0..60), received: u64, top: bool) {
            let mut state = DeviceState::default();
            for (epoch, sequence) in frames {
                let sequence = if top { u64::MAX - sequence } else { sequence };
                state.enter(FrameId { device: 0, epoch, sequence }, received, 100);
            }
            let bytes = state.bytes();
            prop_assert_eq!(DeviceState::parse(&bytes), Some(state));
        }

        #[test]
        fn any_bytes_are_a_state_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(state) = DeviceState::parse(&bytes) {
                prop_assert_eq!(DeviceState::parse(&state.bytes()), Some(state));
            }
        }
    }
}
