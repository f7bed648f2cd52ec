//! Records: a header of 56 bytes, little endian, and the bytes of one frame.
//!
//! | offset | bytes | |
//! |---|---|---|
//! | 0 | 4 | length of the frame |
//! | 4 | 4 | CRC-32C of all bytes of the record but these; of a deleted record, of its header alone |
//! | 8 | 8 | device |
//! | 16 | 8 | sequence |
//! | 24 | 4 | epoch |
//! | 28 | 4 | kind: 1 frame, 2 deleted, 3 refused item |
//! | 32 | 8 | time of arrival, milliseconds since 1970, never before that of an earlier record |
//! | 40 | 16 | key pair |
//! | 56 | length | the frame; of a deleted record a hole |

use isopod_wire::{FrameId, KeyId};

/// Bytes of a header.
pub(crate) const HEAD: usize = 56;
/// Most bytes of a frame: beyond the largest of any set, 15 primes of 32,768 residues twice.
pub(crate) const MOST_FRAME: usize = 1 << 24;

/// Kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Frame = 1,
    Deleted = 2,
    Refused = 3,
}

/// Header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Name of the frame.
    pub id: FrameId,
    /// Key pair.
    pub key_id: KeyId,
    /// Time of arrival in milliseconds since 1970, never before that of an earlier record.
    pub received: u64,
    /// Bytes of the frame.
    pub length: u32,
    pub(crate) kind: Kind,
    pub(crate) crc: u32,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut number = [0; N];
    number.copy_from_slice(&bytes[at..at + N]);
    number
}

impl Head {
    /// The header in these bytes; None unless it can be one.
    pub(crate) fn read(bytes: &[u8; HEAD]) -> Option<Self> {
        let kind = match u32::from_le_bytes(number(bytes, 28)) {
            1 => Kind::Frame,
            2 => Kind::Deleted,
            3 => Kind::Refused,
            _ => return None,
        };
        let head = Self {
            id: FrameId {
                device: u64::from_le_bytes(number(bytes, 8)),
                epoch: u32::from_le_bytes(number(bytes, 24)),
                sequence: u64::from_le_bytes(number(bytes, 16)),
            },
            key_id: number(bytes, 40),
            received: u64::from_le_bytes(number(bytes, 32)),
            length: u32::from_le_bytes(number(bytes, 0)),
            kind,
            crc: u32::from_le_bytes(number(bytes, 4)),
        };
        (head.length as usize <= MOST_FRAME).then_some(head)
    }

    fn bytes(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.id.device.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.id.sequence.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.id.epoch.to_le_bytes());
        bytes[28..32].copy_from_slice(&(self.kind as u32).to_le_bytes());
        bytes[32..40].copy_from_slice(&self.received.to_le_bytes());
        bytes[40..].copy_from_slice(&self.key_id);
        bytes
    }

    fn checksum(&self, frame: &[u8]) -> u32 {
        let bytes = self.bytes();
        let crc = crc32c::crc32c_append(crc32c::crc32c(&bytes[..4]), &bytes[8..]);
        match self.kind {
            Kind::Deleted => crc,
            _ => crc32c::crc32c_append(crc, frame),
        }
    }

    /// Whether header and frame are what was written.
    pub(crate) fn verifies(&self, frame: &[u8]) -> bool {
        self.checksum(frame) == self.crc
    }

    /// Bytes of the whole record.
    pub(crate) fn record_bytes(&self) -> u64 {
        HEAD as u64 + u64::from(self.length)
    }

    /// Appends the record with this frame.
    pub(crate) fn write(&self, frame: &[u8], into: &mut Vec<u8>) {
        let mut bytes = self.bytes();
        bytes[4..8].copy_from_slice(&self.checksum(frame).to_le_bytes());
        into.extend_from_slice(&bytes);
        into.extend_from_slice(frame);
    }

    /// Header of the same record without its frame.
    pub(crate) fn deleted(&self) -> [u8; HEAD] {
        let head = Self {
            kind: Kind::Deleted,
            ..*self
        };
        let mut bytes = Vec::with_capacity(HEAD);
        head.write(&[], &mut bytes);
        number(&bytes, 0)
    }
}
