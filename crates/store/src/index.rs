//! The memory of frames that were taken, and its checkpoint: with it only the end of the log is read at the start.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use isopod_keys::Seen;
use isopod_wire::{FrameId, KeyId};

use crate::error::{Result, StoreError};
use crate::files::replace;
use crate::record::{Head, Kind};
use crate::Position;

const MAGIC: &[u8; 8] = b"ISOPODX1";
const FILE: &str = "index";
/// Most bytes of a checkpoint: ten million devices of one range.
const MOST_BYTES: u64 = 1 << 30;

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

/// Devices by key pair and number.
pub(crate) type Devices = BTreeMap<(KeyId, u64), DeviceState>;

/// All devices, and the position up to which the log is in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    pub devices: Devices,
    pub position: Position,
    pub received: u64,
}

impl DeviceState {
    /// Takes a frame in.
    pub(crate) fn enter(&mut self, id: FrameId, received: u64, length: u64) {
        self.seen.insert(id.epoch, id.sequence);
        self.frames += 1;
        self.bytes += length;
        self.received = self.received.max(received);
    }
}

impl Index {
    /// Path of the checkpoint in a log's folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// Reads the checkpoint of a log that begins at `begin`. A log from its begin on needs none; frames that were removed are
    /// known from it alone.
    pub fn read(folder: &Path, begin: Position) -> Result<Self> {
        let path = Self::path(folder);
        let read = match path.metadata() {
            Ok(metadata) if metadata.len() <= MOST_BYTES => {
                Some(fs::read(&path).map_err(StoreError::file(&path))?)
            }
            _ => None,
        };
        match read.as_deref().and_then(Self::parse) {
            Some(index) => Ok(index),
            None if begin == 0 => Ok(Self::default()),
            None => {
                let problem = "missing or torn, and it alone knows the frames that were removed";
                Err(StoreError::damaged(&path, 0, problem))
            }
        }
    }

    /// Writes the checkpoint, durably.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let bytes = self.bytes();
        replace(&Self::path(folder), |file| file.write_all(&bytes))
    }

    /// Enters a record of the log.
    pub fn enter(&mut self, head: &Head) {
        if head.kind != Kind::Refused {
            let device = self
                .devices
                .entry((head.key_id, head.id.device))
                .or_default();
            device.enter(head.id, head.received, head.length.into());
        }
        self.received = self.received.max(head.received);
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [self.position, self.received, self.devices.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        for ((key_id, number), device) in &self.devices {
            bytes.extend(key_id);
            let ranges = device.seen.ranges();
            for number in [
                *number,
                device.frames,
                device.bytes,
                device.received,
                ranges.len() as u64,
            ] {
                bytes.extend(number.to_le_bytes());
            }
            for (epoch, first, last) in ranges {
                bytes.extend(epoch.to_le_bytes());
                bytes.extend(first.to_le_bytes());
                bytes.extend(last.to_le_bytes());
            }
        }
        let crc = crc32c::crc32c(&bytes);
        bytes.extend(crc.to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(checked(bytes)?);
        let (position, received, count) = (numbers.u64()?, numbers.u64()?, numbers.u64()?);
        let mut devices = Devices::new();
        for _ in 0..count {
            let name = (numbers.take()?, numbers.u64()?);
            devices.insert(name, DeviceState::parse(&mut numbers)?);
        }
        numbers.0.is_empty().then_some(Self {
            devices,
            position,
            received,
        })
    }
}

/// The content behind the magic and before the checksum.
fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (content, crc) = bytes.split_last_chunk()?;
    let is_whole = crc32c::crc32c(content) == u32::from_le_bytes(*crc);
    content.strip_prefix(MAGIC).filter(|_| is_whole)
}

impl DeviceState {
    fn parse(numbers: &mut Numbers<'_>) -> Option<Self> {
        let (frames, bytes, received) = (numbers.u64()?, numbers.u64()?, numbers.u64()?);
        let mut ranges = Vec::new();
        for _ in 0..numbers.u64()? {
            let epoch = u32::from_le_bytes(numbers.take()?);
            ranges.push((epoch, numbers.u64()?, numbers.u64()?));
        }
        Some(Self {
            seen: Seen::of(ranges)?,
            frames,
            bytes,
            received,
        })
    }
}

/// Numbers of a checkpoint, one after the other.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_checkpoint_reads_back_and_a_torn_one_is_none() {
        let mut index = Index::default();
        for sequence in [0, 1, 5] {
            let id = FrameId {
                device: 7,
                epoch: 2,
                sequence,
            };
            index
                .devices
                .entry(([3; 16], 7))
                .or_default()
                .enter(id, 9, 100);
        }
        index.position = 1234;
        let bytes = index.bytes();
        assert_eq!(Index::parse(&bytes).unwrap(), index);
        for at in 0..bytes.len() {
            assert_eq!(Index::parse(&bytes[..at]), None, "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(Index::parse(&changed), None, "changed at {at}");
        }
    }
}
