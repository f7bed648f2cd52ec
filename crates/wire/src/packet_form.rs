//! The form of a context's packets: how long each of their fields is, and how they are named.

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{naming, size};
use crate::frame::header::read_byte;
use crate::{FrameId, Result, WireError};

/// The fields of a context before its announcement.
pub(crate) struct Described<H> {
    /// The header that its frames have; of the name only the device.
    pub header: H,
    pub number: u8,
    pub form: PacketForm,
    /// Bytes of these fields.
    pub bytes: usize,
}

/// The number of a device, as a name whose other fields come later.
pub(crate) fn read_device(reader: &mut Reader<'_>) -> Result<FrameId> {
    Ok(FrameId {
        device: reader.uint(u64::MAX, "device")?,
        epoch: 0,
        sequence: 0,
    })
}

/// How the packets of a context are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Naming {
    /// By the low 16 bits of the sender's sequence.
    Sequence,
    /// By four random bytes.
    Random,
}

impl Naming {
    /// Bytes of a packet's counter.
    pub fn counter_bytes(self) -> usize {
        match self {
            Self::Sequence => 2,
            Self::Random => 4,
        }
    }

    /// Its number on the wire.
    pub fn number(self) -> u8 {
        match self {
            Self::Sequence => naming::SEQUENCE,
            Self::Random => naming::RANDOM,
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let found = read_byte(reader, "naming")?;
        let known = [Self::Sequence, Self::Random];
        let known = known.into_iter().find(|naming| naming.number() == found);
        known.ok_or_else(|| WireError::out_of_range("naming", found, naming::ALLOWED))
    }
}

/// Lengths of the fields around a packet's body, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PacketForm {
    /// How packets are named.
    pub naming: Naming,
    /// Bytes of the device's number: 0, 2 or 4.
    pub device_bytes: u8,
    /// Bytes of the tag: 4, 8 or 16.
    pub tag_bytes: u8,
}

impl PacketForm {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        Ok(Self {
            naming: Naming::read(reader)?,
            device_bytes: read_byte(reader, "device_bytes")?,
            tag_bytes: read_byte(reader, "tag_bytes")?,
        })
    }

    pub(crate) fn write(self, writer: &mut Writer) {
        writer
            .uint(self.naming.number().into())
            .uint(self.device_bytes.into())
            .uint(self.tag_bytes.into());
    }

    /// Refuses other lengths, and one that does not hold the device's number.
    pub(crate) fn check(self, device: u64) -> Result<()> {
        let bytes = self.device_bytes;
        if ![0, 2, 4].contains(&bytes) {
            return Err(WireError::out_of_range("device_bytes", bytes, "0, 2 or 4"));
        }
        if bytes > 0 && device >> (8 * bytes) != 0 {
            let allowed = format!("a length that holds the device's number, {device}");
            return Err(WireError::out_of_range("device_bytes", bytes, allowed));
        }
        let bytes = self.tag_bytes;
        match [4, 8, size::TAG as u8].contains(&bytes) {
            true => Ok(()),
            false => Err(WireError::out_of_range("tag_bytes", bytes, "4, 8 or 16")),
        }
    }

    /// Bytes before the body.
    pub(crate) fn head_bytes(self) -> usize {
        1 + usize::from(self.device_bytes) + self.naming.counter_bytes()
    }

    /// Bytes around the body.
    pub(crate) fn overhead(self) -> usize {
        self.head_bytes() + usize::from(self.tag_bytes)
    }
}
