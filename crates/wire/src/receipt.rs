//! Receipts: the server's word on one frame, for the device that sent it (`spec/wire.md`, section 11).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, fields, kind, outcome, size, total, VERSION};
use crate::envelope::tagged::{read_kind, seal};
use crate::packet::prefix::little_endian;
use crate::{FrameId, KeyId, Result, Tag, WireError};

/// Outcome of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// On disk now.
    Stored,
    /// On disk since an earlier time.
    Known,
    /// Refused for good.
    Stale,
    /// No frame: the context that announced this name is registered.
    Announced,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Stored, Self::Known, Self::Stale, Self::Announced];

    fn number(self) -> u64 {
        match self {
            Self::Stored => outcome::STORED,
            Self::Known => outcome::KNOWN,
            Self::Stale => outcome::STALE,
            Self::Announced => outcome::ANNOUNCED,
        }
    }

    /// Word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Known => "known",
            Self::Stale => "stale",
            Self::Announced => "announced",
        }
    }
}

/// A receipt without its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// Key pair of the frame.
    pub key_id: KeyId,
    /// Name of the frame.
    pub frame: FrameId,
    /// Its outcome.
    pub outcome: Outcome,
}

impl Receipt {
    /// Length of every receipt.
    pub const BYTES: usize = total::RECEIPT;

    /// The item, with the tag that `make` gives for the bytes before it.
    pub fn seal(&self, make: impl FnOnce(&[u8]) -> Tag) -> Vec<u8> {
        let mut name = [0; size::FRAME_NAME];
        name[..8].copy_from_slice(&self.frame.device.to_le_bytes());
        name[8..12].copy_from_slice(&self.frame.epoch.to_le_bytes());
        name[12..].copy_from_slice(&self.frame.sequence.to_le_bytes());
        let mut writer = Writer::with_capacity(Self::BYTES);
        writer.array(fields::RECEIPT).uint(VERSION);
        writer.uint(kind::RECEIPT).bytes(&self.key_id).bytes(&name);
        writer.uint(self.outcome.number());
        seal(writer.into_bytes(), make)
    }

    /// Reads one item; `verify` says whether a tag is that of some bytes under the key of a device.
    ///
    /// Errors: what is no receipt; [`WireError::Tag`].
    pub fn open(bytes: &[u8], verify: impl FnOnce(u64, &[u8], &Tag) -> bool) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let (receipt, end) = Self::read(&mut reader)?;
        let tag = reader.fixed("tag")?;
        reader.finish()?;
        match verify(receipt.frame.device, &bytes[..end], tag) {
            true => Ok(receipt),
            false => Err(WireError::Tag),
        }
    }

    /// Reads everything before the tag, and says where that ends.
    fn read(reader: &mut Reader<'_>) -> Result<(Self, usize)> {
        read_kind(reader, fields::RECEIPT, kind::RECEIPT, allowed::RECEIPT)?;
        let key_id = *reader.fixed("key")?;
        let name: &[u8; size::FRAME_NAME] = reader.fixed("name")?;
        let frame = FrameId {
            device: little_endian(&name[..8]),
            epoch: little_endian(&name[8..12]) as u32,
            sequence: little_endian(&name[12..]),
        };
        let number = reader.uint(u64::MAX, "outcome")?;
        let known = Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.number() == number);
        let outcome =
            known.ok_or_else(|| WireError::out_of_range("outcome", number, outcome::ALLOWED))?;
        let receipt = Self {
            key_id,
            frame,
            outcome,
        };
        Ok((receipt, reader.position()))
    }
}
