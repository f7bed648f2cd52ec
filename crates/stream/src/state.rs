//! State of one partition for one key pair: which frames were stored, and the contexts of packets.

use std::collections::BTreeMap;

use isopod_keys::{append_number, take_number, Seen};
use isopod_store::DeviceState;
use isopod_wire::{FrameId, KeyId};

/// First bytes of the file.
const MAGIC: &[u8; 8] = b"isoppart";
/// Version of the file.
const VERSION: u8 = 2;
/// Bytes of the checksum at the end.
const CHECKSUM_BYTES: usize = 4;
/// Contexts of one device and number that are kept: the newest.
const MOST_CONTEXTS: usize = 4;

/// A device, and the number of a context.
type ContextName = (u64, u8);

/// State of one partition for one key pair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    devices: BTreeMap<u64, DeviceState>,
    contexts: BTreeMap<ContextName, Vec<Vec<u8>>>,
}

impl State {
    /// The frames of a device.
    pub fn seen(&self, device: u64) -> Option<&Seen> {
        self.devices.get(&device).map(|state| &state.seen)
    }

    /// All devices.
    pub fn devices(&self) -> impl Iterator<Item = (u64, &DeviceState)> {
        self.devices.iter().map(|(device, state)| (*device, state))
    }

    /// Whether a frame of so many bytes is new, and then it is taken in; `received` is in milliseconds since 1970.
    ///
    /// Errors: [`isopod_keys::KeysError::Stale`].
    pub fn take(&mut self, id: FrameId, received: u64, length: u64) -> isopod_keys::Result<bool> {
        let known = self.seen(id.device);
        let is_new = known.map_or(Ok(true), |seen| seen.is_new(id))?;
        if is_new {
            self.enter(id, received, length);
        }
        Ok(is_new)
    }

    /// Takes a frame in that a table has.
    pub fn enter(&mut self, id: FrameId, received: u64, length: u64) {
        let device = self.devices.entry(id.device).or_default();
        device.enter(id, received, length);
    }

    /// Keeps the item of a context.
    pub fn keep_context(&mut self, device: u64, number: u8, item: &[u8]) {
        let same = self.contexts.entry((device, number)).or_default();
        same.retain(|kept| kept != item);
        if same.len() >= MOST_CONTEXTS {
            same.remove(0);
        }
        same.push(item.to_vec());
    }

    /// The items of all contexts, the older ones of a device first.
    pub fn contexts(&self) -> impl Iterator<Item = &[u8]> {
        self.contexts.values().flatten().map(Vec::as_slice)
    }

    /// Bytes of the file.
    pub fn bytes(&self, key_id: &KeyId) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        bytes.extend_from_slice(key_id);
        append_number(self.devices.len() as u64, &mut bytes);
        for (device, state) in &self.devices {
            append_number(*device, &mut bytes);
            append(&state.bytes(), &mut bytes);
        }
        let contexts = self.contexts.iter();
        let items = contexts.flat_map(|(name, items)| items.iter().map(move |item| (name, item)));
        append_number(items.clone().count() as u64, &mut bytes);
        for ((device, number), item) in items {
            append_number(*device, &mut bytes);
            bytes.push(*number);
            append(item, &mut bytes);
        }
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// The state in these bytes; None for others.
    pub fn parse(bytes: &[u8], key_id: &KeyId) -> Option<Self> {
        let (content, checksum) =
            bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM_BYTES)?)?;
        if crc32c::crc32c(content).to_le_bytes() != checksum {
            return None;
        }
        let mut rest = content.strip_prefix(MAGIC)?.strip_prefix(&[VERSION])?;
        rest = rest.strip_prefix(key_id.as_slice())?;
        let mut state = Self::default();
        for _ in 0..take_number(&mut rest)? {
            let device = take_number(&mut rest)?;
            let frames = DeviceState::parse(take(&mut rest)?)?;
            state.devices.insert(device, frames);
        }
        for _ in 0..take_number(&mut rest)? {
            let device = take_number(&mut rest)?;
            let (number, behind) = rest.split_first()?;
            rest = behind;
            state.keep_context(device, *number, take(&mut rest)?);
        }
        rest.is_empty().then_some(state)
    }
}

/// Appends bytes behind their number.
fn append(bytes: &[u8], into: &mut Vec<u8>) {
    append_number(bytes.len() as u64, into);
    into.extend_from_slice(bytes);
}

/// Takes bytes that stand behind their number.
fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take_number(rest)?).ok()?;
    let (bytes, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: KeyId = [7; 16];

    fn id(device: u64, epoch: u32, sequence: u64) -> FrameId {
        FrameId {
            device,
            epoch,
            sequence,
        }
    }

    #[test]
    fn a_frame_is_new_once() {
        let mut state = State::default();
        assert!(state.take(id(1, 0, 5), 1, 1).unwrap());
        assert!(!state.take(id(1, 0, 5), 1, 1).unwrap());
        assert!(state.take(id(2, 0, 5), 1, 1).unwrap());
        assert!(state.take(id(1, 0, 100_000), 1, 1).unwrap());
        assert!(state.take(id(1, 0, 6), 1, 1).is_err());
    }

    #[test]
    fn the_newest_contexts_are_kept() {
        let mut state = State::default();
        for item in [b"a", b"b", b"c", b"d", b"a", b"e"] {
            state.keep_context(1, 0, item);
        }
        let kept: Vec<&[u8]> = state.contexts().collect();
        assert_eq!(kept, [b"c", b"d", b"a", b"e"]);
    }

    fn state() -> impl Strategy<Value = State> {
        let frames = prop::collection::vec((0..9u64, 0..3u32, 0..50u64), 0..40);
        let item = prop::collection::vec(any::<u8>(), 0..9);
        let contexts = prop::collection::vec((0..3u64, 0..3u8, item), 0..20);
        (frames, contexts).prop_map(|(frames, contexts)| {
            let mut state = State::default();
            for (device, epoch, sequence) in frames {
                let _ = state.take(id(device, epoch, sequence), 7 * sequence, 100);
            }
            for (device, number, item) in contexts {
                state.keep_context(device, number, &item);
            }
            state
        })
    }

    proptest! {
        #[test]
        fn a_state_reads_back_and_no_flipped_bit_passes(state in state(), bit: prop::sample::Index) {
            let mut bytes = state.bytes(&KEY);
            prop_assert_eq!(State::parse(&bytes, &KEY), Some(state));
            prop_assert_eq!(State::parse(&bytes, &[8; 16]), None);
            let bit = bit.index(8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(State::parse(&bytes, &KEY), None);
        }

        #[test]
        fn any_bytes_are_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut said = MAGIC.to_vec();
            said.push(VERSION);
            said.extend_from_slice(&KEY);
            said.append(&mut bytes);
            said.extend_from_slice(&crc32c::crc32c(&said).to_le_bytes());
            if let Some(state) = State::parse(&said, &KEY) {
                prop_assert_eq!(State::parse(&state.bytes(&KEY), &KEY), Some(state));
            }
        }
    }
}
