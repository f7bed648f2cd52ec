//! Contents of a context of pads beside its key and its device (`spec/wire.md`, section 14).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, fields, kind, limit, VERSION};
use crate::envelope::tagged::read_kind;
use crate::frame::header::read_byte;
use crate::packet_form::{read_device, Described, Naming, PacketForm};
use crate::{FrameId, KeyId, PackingId, Result, Suite, WireError};

/// Everything that the packets of a context have in common, on any device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PadDescription {
    /// Number of the context, below 64.
    pub number: u8,
    /// Bytes of an integer: 2, 3 or 4.
    pub width: u8,
    /// Integers of a packet.
    pub columns: u16,
    /// No absolute value of an integer is larger.
    pub bound: u32,
    /// Digest of the columns' names, if the device says.
    pub packing: Option<PackingId>,
    /// Whether each epoch has a root of its own.
    pub ratchet: bool,
    /// Lengths of a packet's fields; packets are named by their sequences.
    pub form: PacketForm,
}

impl PadDescription {
    /// Half of the modulus: every sum has to stay below it.
    pub fn half(&self) -> u64 {
        1 << (8 * self.width - 1)
    }

    /// Bytes of a body, and of a pad.
    pub fn body_bytes(&self) -> usize {
        usize::from(self.columns) * usize::from(self.width)
    }

    /// The bytes that tell the context of a device from others: what its keys are derived from.
    pub fn bytes(&self, key_id: &KeyId, device: u64) -> Vec<u8> {
        let mut writer = Writer::with_capacity(128);
        self.write(&mut writer, key_id, device);
        writer.into_bytes()
    }

    pub(crate) fn write(&self, writer: &mut Writer, key_id: &KeyId, device: u64) {
        writer
            .array(fields::PAD_CONTEXT)
            .uint(VERSION)
            .uint(kind::PAD_CONTEXT)
            .uint(Suite::Chacha20.number().into())
            .bytes(key_id)
            .uint(device);
        self.write_fields(writer);
    }

    /// Writes what a context says behind its device.
    pub(crate) fn write_fields(&self, writer: &mut Writer) {
        writer
            .uint(self.number.into())
            .uint(self.width.into())
            .uint(self.columns.into())
            .uint(self.bound.into())
            .optional(self.packing.as_ref())
            .uint(self.ratchet.into())
            .uint(self.form.device_bytes.into())
            .uint(self.form.tag_bytes.into());
    }

    /// Reads what a context says behind its device.
    pub(crate) fn read_fields(reader: &mut Reader<'_>) -> Result<Self> {
        Ok(Self {
            number: read_byte(reader, "number")?,
            width: read_byte(reader, "width")?,
            columns: reader.uint(u16::MAX.into(), "columns")? as u16,
            bound: reader.word("bound")?,
            packing: reader.optional("packing")?,
            ratchet: reader.uint(1, "ratchet")? == 1,
            form: PacketForm {
                naming: Naming::Sequence,
                device_bytes: read_byte(reader, "device_bytes")?,
                tag_bytes: read_byte(reader, "tag_bytes")?,
            },
        })
    }

    /// Refuses numbers that no context has.
    pub(crate) fn check(&self) -> Result<()> {
        if !(2..=4).contains(&self.width) {
            return Err(WireError::out_of_range("width", self.width, "2, 3 or 4"));
        }
        if self.columns == 0 {
            return Err(WireError::out_of_range("columns", 0, "at least 1"));
        }
        let most = self.half() - 1;
        if self.bound == 0 || u64::from(self.bound) > most {
            let allowed = format!("1 to {most}");
            return Err(WireError::out_of_range("bound", self.bound, allowed));
        }
        match self.form.naming {
            Naming::Sequence => Ok(()),
            Naming::Random => Err(WireError::out_of_range(
                "naming",
                self.form.naming.number(),
                "0: pads follow from sequences",
            )),
        }
    }
}

/// Header of a packet of pads, as its context says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PadHeader {
    /// Which pad master.
    pub key_id: KeyId,
    /// The packet's name.
    pub id: FrameId,
    /// Contents of its context.
    pub description: PadDescription,
}

impl PadHeader {
    /// Largest sequence of a packet: the pad behind it exists.
    pub const LAST: u64 = u32::MAX as u64 - 1;

    /// Refuses a sequence or an epoch that has no pads.
    pub(crate) fn check_name(&self) -> Result<()> {
        let FrameId {
            epoch, sequence, ..
        } = self.id;
        if sequence > Self::LAST {
            let allowed = format!("0 to {} under pads", Self::LAST);
            return Err(WireError::out_of_range("sequence", sequence, allowed));
        }
        if self.description.ratchet && !(1..=limit::PAD_EPOCHS as u32).contains(&epoch) {
            let allowed = format!("1 to {} with a ratchet", limit::PAD_EPOCHS);
            return Err(WireError::out_of_range("epoch", epoch, allowed));
        }
        Ok(())
    }
}

/// Reads the fields of a context before its announcement.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Described<PadHeader>> {
    let (fields, kind) = (fields::PAD_CONTEXT, kind::PAD_CONTEXT);
    read_kind(reader, fields, kind, allowed::PAD_CONTEXT)?;
    match Suite::read(reader.uint(u64::MAX, "suite")?)? {
        Suite::Chacha20 => {}
        other => return Err(WireError::out_of_range("suite", other.number(), "1")),
    }
    let (key_id, id) = (*reader.fixed("key")?, read_device(reader)?);
    let description = PadDescription::read_fields(reader)?;
    Ok(Described {
        header: PadHeader {
            key_id,
            id,
            description,
        },
        number: description.number,
        form: description.form,
        bytes: reader.position(),
    })
}
