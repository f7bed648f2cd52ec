//! Contexts: everything that packets have in common, under the key of their device (`spec/packet.md`, section 1).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, fields, kind, limit, size, VERSION};
use crate::envelope::tagged::{read_kind, seal};
use crate::frame::header::{read_byte, read_set};
use crate::frame::rounding::read;
use crate::packet::form::PacketForm;
use crate::packet::prefix::{little_endian, PacketPrefix};
use crate::{
    Claims, FrameHeader, FrameId, KeyId, Kind, Layout, ParameterSet, Result, RoundedFrame,
    Rounding, Scheme, Suite, Tag, WireError,
};

/// Bytes of an item, about.
const ITEM_BYTES: usize = 128;

/// Everything that the packets of a device with one number have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The header that their frames have, but for name and mask seed.
    header: FrameHeader,
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
    /// A context of frames with this header, whose name is the announcement; its seed, nonce and interleave do not matter.
    ///
    /// Errors: [`WireError::OutOfRange`] for what no packet is; those of a frame's header; [`WireError::Length`].
    pub fn new(header: &FrameHeader, number: u8, form: PacketForm) -> Result<Self> {
        let mut context = Self {
            header: FrameHeader {
                nonce: Default::default(),
                interleave: 1,
                seed: vec![0; size::MASK_SEED],
                ..header.clone()
            },
            number,
            form,
            announced: header.id,
            description: Vec::new(),
        };
        context.check()?;
        context.description = context.describe();
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

    /// The fields before the announcement.
    fn describe(&self) -> Vec<u8> {
        let (header, form) = (&self.header, self.form);
        let mut writer = Writer::with_capacity(ITEM_BYTES);
        writer
            .array(fields::CONTEXT)
            .uint(VERSION)
            .uint(kind::CONTEXT);
        writer
            .bytes(&header.params.set_id)
            .uint(header.suite.number().into())
            .bytes(&header.key_id)
            .uint(self.announced.device)
            .uint(self.number.into())
            .uint(header.kind.number(header.params.scheme()))
            .uint(header.log2_scale.into())
            .uint(header.count.into())
            .uint(header.layout.number_of_frame(header.dithered).into());
        header.claims.write(&mut writer);
        let rounding = header.rounding.map(|by| (by.run, by.dropped[0]));
        let (run, dropped) = rounding.unwrap_or_default();
        writer.uint(run.into()).uint(dropped.into());
        writer
            .uint(form.naming.number().into())
            .uint(form.device_bytes.into())
            .uint(form.tag_bytes.into());
        writer.into_bytes()
    }

    /// Reads one item; `verify` says whether a tag is that of some bytes under the key of a device.
    ///
    /// Errors: what is no context, or one whose frames would be refused; [`WireError::Tag`].
    pub fn open(bytes: &[u8], verify: impl FnOnce(u64, &[u8], &Tag) -> bool) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let context = Self::read(&mut reader, bytes)?;
        let end = reader.position();
        let tag = reader.fixed("tag")?;
        reader.finish()?;
        if !verify(context.device(), &bytes[..end], tag) {
            return Err(WireError::Tag);
        }
        context.check()?;
        Ok(context)
    }

    /// Reads everything before the tag.
    fn read(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<Self> {
        read_kind(reader, fields::CONTEXT, kind::CONTEXT, allowed::CONTEXT)?;
        let names = Names::read(reader)?;
        let (log2_scale, count) = (read_byte(reader, "log2_scale")?, reader.word("count")?);
        let (layout, dithered) = Layout::read_of_frame(reader)?;
        let claims = Claims::read(reader)?;
        let (run, dropped) = (reader.word("run")?, read_byte(reader, "dropped")?);
        let form = PacketForm::read(reader)?;
        let description = bytes[..reader.position()].to_vec();
        let announced = FrameId {
            device: names.device,
            epoch: reader.word("epoch")?,
            sequence: reader.uint(u64::MAX, "first")?,
        };
        let header = FrameHeader {
            kind: names.kind,
            params: names.params,
            parts: 1,
            suite: names.suite,
            key_id: names.key_id,
            id: announced,
            nonce: Default::default(),
            interleave: 1,
            log2_scale,
            count,
            layout,
            dithered,
            claims,
            rounding: Some(Rounding {
                run,
                dropped: [dropped, 0],
            }),
            seed: vec![0; size::MASK_SEED],
        };
        Ok(Self {
            header,
            number: names.number,
            form,
            announced,
            description,
        })
    }

    /// Refuses what no packet has, and what no frame of such a header has.
    fn check(&self) -> Result<()> {
        check_number(self.number)?;
        check_frame_kind(self.header.kind, self.header.params.scheme())?;
        check_suite(self.header.suite)?;
        self.form.check(self.announced.device)?;
        if self.header.layout != Layout::CoefficientsRounded || self.header.rounding.is_none() {
            let found = self.header.layout.number();
            return Err(WireError::out_of_range("layout", found, "5"));
        }
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
    pub fn header(&self) -> &FrameHeader {
        &self.header
    }

    /// Length of every packet.
    ///
    /// Errors: [`WireError::OutOfRange`] for a set without rounded coefficients.
    pub fn packet_bytes(&self) -> Result<usize> {
        let rounding = self.header.rounding.iter();
        let body: usize = rounding
            .map(|rounding| self.header.rounded_bytes(rounding))
            .try_fold(0, |sum, bytes| bytes.map(|[first, _]| sum + first))?;
        Ok(body + self.form.overhead())
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

    /// The frame of an authentic packet's body. Its mask is that of the seed, as coefficients and not in NTT order.
    ///
    /// Errors: [`WireError::ResidueRange`], [`WireError::NotCanonical`].
    pub fn frame(
        &self,
        id: FrameId,
        mask_seed: &[u8; size::MASK_SEED],
        body: &[u8],
    ) -> Result<RoundedFrame> {
        let header = FrameHeader {
            id,
            seed: mask_seed.to_vec(),
            ..self.header.clone()
        };
        let dropped = header.rounding.map_or(0, |rounding| rounding.dropped[0]);
        let c0 = read(header.modulus()?, body, header.sent().count(), dropped)?;
        Ok(RoundedFrame {
            header,
            c0,
            c1: None,
        })
    }
}

/// The fields that tell a context from others.
struct Names {
    params: &'static ParameterSet,
    suite: Suite,
    key_id: KeyId,
    device: u64,
    number: u8,
    kind: Kind,
}

impl Names {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let params = read_set(reader)?;
        Ok(Self {
            params,
            suite: Suite::read(reader.uint(u64::MAX, "suite")?)?,
            key_id: *reader.fixed("key")?,
            device: reader.uint(u64::MAX, "device")?,
            number: read_byte(reader, "number")?,
            kind: Kind::read(reader.uint(u64::MAX, "frame")?, params.scheme())?,
        })
    }
}

fn check_number(number: u8) -> Result<()> {
    if usize::from(number) < limit::CONTEXTS {
        return Ok(());
    }
    let allowed = format!("0 to {}", limit::CONTEXTS - 1);
    Err(WireError::out_of_range("number", number, allowed))
}

/// All that a packet derives is ChaCha20.
fn check_suite(suite: Suite) -> Result<()> {
    match suite {
        Suite::Chacha20 => Ok(()),
        other => Err(WireError::out_of_range("suite", other.number(), "1")),
    }
}

/// Only the secret key makes ciphertexts that fit into packets.
fn check_frame_kind(kind: Kind, scheme: Scheme) -> Result<()> {
    match kind {
        Kind::SecretKey => Ok(()),
        Kind::PublicKey => Err(WireError::out_of_range(
            "frame",
            kind.number(scheme),
            "2 or 4",
        )),
    }
}
