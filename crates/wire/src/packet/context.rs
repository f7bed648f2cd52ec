//! Contexts: everything that packets have in common, under the key of their device (`spec/packet.md`, section 1).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{limit, size};
use crate::envelope::tagged::seal;
use crate::packet::device_item::DeviceItem;
use crate::packet::header::PacketHeader;
use crate::packet::prefix::{little_endian, PacketPrefix};
use crate::packet_form::PacketForm;
use crate::tfhe::frame::words;
use crate::{
    AnySet, FrameHeader, FrameId, KeyId, PackedPart, PadFrame, PadHeader, Result, Tag, TfheFrame,
    TfheHeader, WireError,
};

/// Bytes of an item, about.
const ITEM_BYTES: usize = 128;
/// Everything that the packets of a device with one number have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    header: PacketHeader,
    number: u8,
    form: PacketForm,
    announced: FrameId,
    description: Vec<u8>,
}

/// The fields of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Its counter: the low bits of a sequence, or random.
    pub counter: u64,
    /// Its coefficients, packed.
    pub body: &'a [u8],
    /// Everything that its tag covers.
    pub message: &'a [u8],
    /// The tag, of the context's length.
    pub tag: &'a [u8],
}

impl Context {
    /// The context of packets of CKKS or BFV whose frames have this header. Its name is the announcement; its seed, nonce and
    /// interleave do not matter.
    ///
    /// Errors: [`WireError::OutOfRange`] for what no packet is; those of a frame's header; [`WireError::Length`].
    pub fn new(header: &FrameHeader, number: u8, form: PacketForm) -> Result<Self> {
        Self::of(header.into(), number, form)
    }

    /// The context of packets of TFHE whose frames have this header. Its name is the announcement; its nonce and width do not
    /// matter.
    ///
    /// Errors: those of [`Context::new`].
    pub fn new_tfhe(header: &TfheHeader, number: u8, form: PacketForm) -> Result<Self> {
        Self::of(header.into(), number, form)
    }

    /// The context of packets of pads that have this header. Its name is the announcement.
    ///
    /// Errors: those of [`Context::new`].
    pub fn new_pad(header: &PadHeader) -> Result<Self> {
        let description = &header.description;
        Self::of(header.into(), description.number, description.form)
    }

    fn of(header: PacketHeader, number: u8, form: PacketForm) -> Result<Self> {
        let mut writer = Writer::with_capacity(ITEM_BYTES);
        header.describe(&mut writer, number, form);
        let context = Self {
            announced: header.id(),
            header,
            number,
            form,
            description: writer.into_bytes(),
        };
        context.check()?;
        Ok(context)
    }

    /// The item, with the tag that `make` gives for the bytes before it.
    pub fn seal(&self, make: impl FnOnce(&[u8]) -> Tag) -> Vec<u8> {
        let mut writer = Writer::with_capacity(ITEM_BYTES);
        writer.raw(&self.description);
        writer
            .uint(self.announced.epoch.into())
            .uint(self.announced.sequence);
        seal(writer.into_bytes(), make)
    }

    /// Takes the item of a context from the front of `bytes` and returns what follows it; `set` is that of the key pair, and
    /// `verify` says whether a tag is that of some bytes under the key of a device.
    ///
    /// Errors: what is no context, or one whose frames would be refused; [`WireError::Tag`].
    pub fn read(
        bytes: &[u8],
        set: AnySet,
        verify: impl FnOnce(u64, &[u8], &Tag) -> bool,
    ) -> Result<(Self, &[u8])> {
        let mut reader = Reader::new(bytes);
        let (context, end) = Self::read_fields(&mut reader, bytes, set)?;
        let tag = reader.fixed("tag")?;
        if !verify(context.device(), &bytes[..end], tag) {
            return Err(WireError::Tag);
        }
        context.check()?;
        Ok((context, &bytes[reader.position()..]))
    }

    /// Reads bytes that hold one context alone, otherwise like [`Context::read`].
    ///
    /// Errors: those of [`Context::read`]; [`WireError::TrailingBytes`].
    pub fn open(
        bytes: &[u8],
        set: AnySet,
        verify: impl FnOnce(u64, &[u8], &Tag) -> bool,
    ) -> Result<Self> {
        match Self::read(bytes, set, verify)? {
            (context, []) => Ok(context),
            (_, rest) => Err(WireError::TrailingBytes { extra: rest.len() }),
        }
    }

    /// Reads everything before the tag, and says where that ends.
    fn read_fields(reader: &mut Reader<'_>, bytes: &[u8], set: AnySet) -> Result<(Self, usize)> {
        let mut fields = PacketHeader::read(reader, set)?;
        let name = fields.header.id_mut();
        name.epoch = reader.word("epoch")?;
        name.sequence = reader.uint(u64::MAX, "first")?;
        let context = Self {
            announced: *name,
            header: fields.header,
            number: fields.number,
            form: fields.form,
            description: bytes[..fields.bytes].to_vec(),
        };
        Ok((context, reader.position()))
    }

    /// Refuses what no packet has, and what no frame of such a header has.
    fn check(&self) -> Result<()> {
        if usize::from(self.number) >= limit::CONTEXTS {
            let allowed = format!("0 to {}", limit::CONTEXTS - 1);
            return Err(WireError::out_of_range("number", self.number, allowed));
        }
        if self.announced.sequence >= FrameId::RANDOM {
            let allowed = "below 2^62; the names above are random";
            return Err(WireError::out_of_range(
                "first",
                self.announced.sequence,
                allowed,
            ));
        }
        self.form.check(self.announced.device)?;
        self.header.check()?;
        let bytes = self.packet_bytes()?;
        if bytes > limit::PACKET_BYTES {
            let allowed = format!(
                "rows whose packets have {} bytes at most",
                limit::PACKET_BYTES
            );
            return Err(WireError::length("packet", bytes, allowed));
        }
        Ok(())
    }

    /// The device whose packets these are.
    pub fn device(&self) -> u64 {
        self.announced.device
    }

    /// The key pair.
    pub fn key_id(&self) -> KeyId {
        self.header.key_id()
    }

    /// Number of the context, below 64.
    pub fn number(&self) -> u8 {
        self.number
    }

    /// Lengths of a packet's fields.
    pub fn form(&self) -> PacketForm {
        self.form
    }

    /// The smallest name that a packet or frame of the device has from now on.
    pub fn announced(&self) -> FrameId {
        self.announced
    }

    /// The bytes that tell it from other contexts, without the announcement.
    pub fn description(&self) -> &[u8] {
        &self.description
    }

    /// The header that the frames have, but for name and mask seed.
    pub fn header(&self) -> &PacketHeader {
        &self.header
    }

    /// Length of every packet.
    ///
    /// Errors: [`WireError::OutOfRange`] for a set without rounded coefficients.
    pub fn packet_bytes(&self) -> Result<usize> {
        Ok(self.header.body_bytes()? + self.form.overhead())
    }

    /// The fields of a packet of this context, whose device the packet or the transport names.
    ///
    /// Errors: [`WireError::Length`]; [`WireError::OutOfRange`] for the packet of another context or device.
    pub fn split<'a>(&self, packet: &'a [u8]) -> Result<Packet<'a>> {
        let prefix = PacketPrefix::read(packet)?;
        let bytes = self.packet_bytes()?;
        if packet.len() != bytes {
            return Err(WireError::length("packet", packet.len(), bytes));
        }
        if prefix.context != self.number || prefix.device_bytes != self.form.device_bytes {
            let allowed = format!(
                "{}, with {} bytes for the device",
                self.number, self.form.device_bytes
            );
            return Err(WireError::out_of_range("context", prefix.context, allowed));
        }
        if let Some(found) = prefix.device.filter(|&found| found != self.device()) {
            return Err(WireError::out_of_range("device", found, self.device()));
        }
        let begin = self.form.head_bytes();
        let counter = &packet[begin - self.form.naming.counter_bytes()..begin];
        let (message, tag) = packet.split_at(bytes - usize::from(self.form.tag_bytes));
        Ok(Packet {
            counter: little_endian(counter),
            body: &message[begin..],
            message,
            tag,
        })
    }

    /// The frame of an authentic packet's body.
    ///
    /// Errors: [`WireError::Length`] for the body of another context.
    pub fn frame<'a>(
        &self,
        id: FrameId,
        mask_seed: &[u8; size::MASK_SEED],
        body: &'a [u8],
    ) -> Result<DeviceItem<'a>> {
        let bytes = self.header.body_bytes()?;
        if body.len() != bytes {
            return Err(WireError::length("body", body.len(), bytes));
        }
        Ok(match &self.header {
            PacketHeader::Rns(header) => DeviceItem::Part(PackedPart {
                header: FrameHeader {
                    id,
                    seed: mask_seed.to_vec(),
                    ..header.clone()
                },
                part: 0,
                residues: body,
                linear_tag: None,
                column_tag: None,
            }),
            PacketHeader::Tfhe(header) => {
                let mut nonce = [0; size::NONCE];
                nonce.copy_from_slice(&mask_seed[..size::NONCE]);
                let header = TfheHeader {
                    id,
                    nonce,
                    ..header.clone()
                };
                let bodies = words(body, header.width.into(), header.shift());
                DeviceItem::Frame(TfheFrame {
                    header,
                    mask: None,
                    bodies,
                })
            }
            PacketHeader::Pad(header) => {
                DeviceItem::Pad(PadFrame::read(PadHeader { id, ..*header }, body)?)
            }
        })
    }
}
