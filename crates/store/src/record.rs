//! Records: a header of 56 bytes, little endian, and the bytes of one frame.
//!
//! | offset | bytes | |
//! |---|---|---|
//! | 0 | 4 | length of the frame |
//! | 4 | 4 | CRC-32C of the frame |
//! | 8 | 8 | device |
//! | 16 | 8 | sequence |
//! | 24 | 4 | epoch |
//! | 28 | 4 | CRC-32C of the record's position in 8 bytes and of the header without this field |
//! | 32 | 7 | time of arrival, milliseconds since 1970, never before that of an earlier record |
//! | 39 | 1 | kind: 1 frame, 2 deleted, 3 refused item |
//! | 40 | 16 | key pair |
//! | 56 | length | the frame; of a deleted record a hole |
//!
//! The position under the header's checksum keeps a copy of a record inside of a frame from being taken for a record, where a
//! scan looks for the next record behind damage. One flipped bit of a header is found by trying all.

use isopod_wire::{FrameId, KeyId};

use crate::Position;

/// Bytes of a header.
pub(crate) const HEAD: usize = 56;
/// Most bytes of a frame: beyond the largest of any set, 15 primes of 32,768 residues twice.
pub(crate) const MOST_FRAME: usize = 1 << 24;
/// Place of the header's checksum.
const CHECKSUM: std::ops::Range<usize> = 28..32;
const MOST_TIME: u64 = (1 << 56) - 1;

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
    /// Header of a new record with this frame.
    pub(crate) fn new(kind: Kind, key_id: KeyId, id: FrameId, frame: &[u8]) -> Self {
        Self {
            id,
            key_id,
            received: 0,
            length: frame.len() as u32,
            kind,
            crc: crc32c::crc32c(frame),
        }
    }

    /// This header with a time of arrival.
    pub(crate) fn at_time(self, received: u64) -> Self {
        let received = received.min(MOST_TIME);
        Self { received, ..self }
    }

    /// The header of the record at a position; None for bytes that are none.
    pub(crate) fn read(bytes: &[u8; HEAD], position: Position) -> Option<Self> {
        let head = Self::parse(bytes)?;
        let checksum = u32::from_le_bytes(number(bytes, CHECKSUM.start));
        (checksum == head_checksum(bytes, position)).then_some(head)
    }

    /// The header of the record at a position of which one bit was flipped; None for bytes that are none even so.
    pub(crate) fn mended(bytes: &[u8; HEAD], position: Position) -> Option<Self> {
        let flipped = |bit: usize| {
            let mut bytes = *bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            Self::read(&bytes, position)
        };
        (0..8 * HEAD).find_map(flipped)
    }

    /// The header in these bytes, whether it verifies or not.
    pub(crate) fn parse(bytes: &[u8; HEAD]) -> Option<Self> {
        let kind = match bytes[39] {
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
            received: u64::from_le_bytes(number(bytes, 32)) & MOST_TIME,
            length: u32::from_le_bytes(number(bytes, 0)),
            kind,
            crc: u32::from_le_bytes(number(bytes, 4)),
        };
        (head.length as usize <= MOST_FRAME).then_some(head)
    }

    /// The bytes of the header of a record at a position.
    pub(crate) fn bytes(&self, position: Position) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.crc.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.id.device.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.id.sequence.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.id.epoch.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.received.to_le_bytes());
        bytes[39] = self.kind as u8;
        bytes[40..].copy_from_slice(&self.key_id);
        let checksum = head_checksum(&bytes, position);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Whether a frame is that of the record.
    pub(crate) fn verifies(&self, frame: &[u8]) -> bool {
        self.kind == Kind::Deleted
            || (frame.len() == self.length as usize && crc32c::crc32c(frame) == self.crc)
    }

    /// Bytes of the whole record.
    pub(crate) fn record_bytes(&self) -> u64 {
        HEAD as u64 + u64::from(self.length)
    }

    /// Header of the same record without its frame.
    pub(crate) fn deleted(&self) -> Self {
        let kind = Kind::Deleted;
        let crc = 0;
        Self { kind, crc, ..*self }
    }
}

fn head_checksum(bytes: &[u8; HEAD], position: Position) -> u32 {
    let begin = crc32c::crc32c(&position.to_le_bytes());
    let before = crc32c::crc32c_append(begin, &bytes[..CHECKSUM.start]);
    crc32c::crc32c_append(before, &bytes[CHECKSUM.end..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn head() -> Head {
        let id = FrameId {
            device: 7,
            epoch: 2,
            sequence: 5,
        };
        Head::new(Kind::Frame, [3; 16], id, b"frame").at_time(1234)
    }

    #[test]
    fn a_header_reads_back_at_its_position_alone() {
        let bytes = head().bytes(99);
        assert_eq!(Head::read(&bytes, 99), Some(head()));
        assert_eq!(Head::read(&bytes, 98), None);
        assert!(head().verifies(b"frame") && !head().verifies(b"frama"));
    }

    #[test]
    fn one_flipped_bit_is_found_and_two_are_not() {
        let bytes = head().bytes(99);
        for bit in 0..8 * HEAD {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Head::read(&flipped, 99), None, "bit {bit}");
            assert_eq!(Head::mended(&flipped, 99), Some(head()), "bit {bit}");
            flipped[(bit / 8 + 9) % HEAD] ^= 4;
            assert_eq!(Head::mended(&flipped, 99), None, "bit {bit} and another");
        }
    }
}
