//! Contexts of pads (`spec/pad.md`, section 1).

use isopod_keys::SecretKey;
use isopod_wire::codes::limit::{CONTEXTS, PACKET_BYTES};
use isopod_wire::codes::{fields, hash_label, kind, size, VERSION};
use isopod_wire::{FrameId, KeyId, Suite, Tag, Writer};
use subtle::ConstantTimeEq as _;

use crate::item::Reader;
use crate::keys::hashed;
use crate::{PadError, Result};

/// Everything that the packets of a context have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PadContext {
    /// Which pad master the keys are of.
    pub key_id: KeyId,
    /// Number of the sender.
    pub device: u64,
    /// Number of the context, below 64.
    pub number: u8,
    /// Bytes of an integer: 2, 3 or 4.
    pub width: u8,
    /// Integers of a packet.
    pub columns: u16,
    /// No absolute value of an integer is larger.
    pub bound: u32,
    /// Digest of the columns' names, or empty.
    pub packing: Vec<u8>,
    /// Whether each epoch has a root of its own.
    pub ratchet: bool,
    /// Bytes of the device field: 0, 2 or 4.
    pub device_bytes: u8,
    /// Bytes of the tag: 4, 8 or 16.
    pub tag_bytes: u8,
}

impl PadContext {
    /// Refuses what no packet has.
    ///
    /// # Errors
    /// [`PadError::Field`].
    pub fn check(&self) -> Result<()> {
        self.check_form()?;
        let most = self.half().saturating_sub(1);
        demand("columns", self.columns, self.columns > 0, "at least 1")?;
        let is_within = self.bound > 0 && u64::from(self.bound) <= most;
        demand("bound", self.bound, is_within, format!("1 to {most}"))?;
        let bytes = self.packet_bytes();
        let allowed = format!("columns whose packets have {PACKET_BYTES} bytes at most");
        demand("packet", bytes, bytes <= PACKET_BYTES, allowed)
    }

    fn check_form(&self) -> Result<()> {
        let number = usize::from(self.number);
        demand("number", number, number < CONTEXTS, "0 to 63")?;
        let width = self.width;
        demand("width", width, (2..=4).contains(&width), "2, 3 or 4")?;
        let packing = self.packing.len();
        let is_digest = [0, size::PACKING].contains(&packing);
        demand("packing", packing, is_digest, "0 or 16 bytes")?;
        let bytes = self.device_bytes;
        let fits = match bytes {
            0 => true,
            2 | 4 => self.device >> (8 * bytes) == 0,
            _ => false,
        };
        let allowed = "0, 2 or 4, and the device's number must fit";
        demand("device_bytes", bytes, fits, allowed)?;
        let bytes = self.tag_bytes;
        demand(
            "tag_bytes",
            bytes,
            [4, 8, 16].contains(&bytes),
            "4, 8 or 16",
        )
    }

    /// Half of the modulus.
    pub(crate) fn half(&self) -> u64 {
        1 << (8 * self.width - 1)
    }

    /// Bytes of a body, and of a pad.
    pub(crate) fn body_bytes(&self) -> usize {
        usize::from(self.columns) * usize::from(self.width)
    }

    /// Bytes before a body.
    pub(crate) fn head_bytes(&self) -> usize {
        3 + usize::from(self.device_bytes)
    }

    /// Length of every packet.
    pub fn packet_bytes(&self) -> usize {
        self.head_bytes() + self.body_bytes() + usize::from(self.tag_bytes)
    }

    /// The bytes that tell it from other contexts.
    pub fn description(&self) -> Vec<u8> {
        self.describe().into_bytes()
    }

    fn describe(&self) -> Writer {
        let mut writer = Writer::with_capacity(128);
        writer
            .array(fields::PAD_CONTEXT)
            .uint(VERSION)
            .uint(kind::PAD_CONTEXT)
            .uint(Suite::Chacha20.number().into())
            .bytes(&self.key_id);
        for number in [
            self.device,
            self.number.into(),
            self.width.into(),
            self.columns.into(),
        ] {
            writer.uint(number);
        }
        writer.uint(self.bound.into()).bytes(&self.packing);
        for number in [u8::from(self.ratchet), self.device_bytes, self.tag_bytes] {
            writer.uint(number.into());
        }
        writer
    }

    /// The item, which announces a name, under the key of the device.
    pub fn seal(&self, device_key: &SecretKey, announced: FrameId) -> Vec<u8> {
        let mut writer = self.describe();
        writer.uint(announced.epoch.into()).uint(announced.sequence);
        let mut item = writer.into_bytes();
        let tag = tag_of(device_key, &item);
        let mut end = Writer::with_capacity(tag.len() + 1);
        end.bytes(&tag);
        item.extend(end.into_bytes());
        item
    }

    /// Reads an item of the device of this key, and the name that it announces.
    ///
    /// # Errors
    /// [`PadError::Field`] for what is no context; [`PadError::Tag`].
    pub fn open(item: &[u8], device_key: &SecretKey) -> Result<(Self, FrameId)> {
        let mut reader = Reader::new(item);
        let (context, announced) = Self::read(&mut reader)?;
        let end = reader.position();
        let tag = reader.bytes("tag", size::TAG)?;
        reader.finish()?;
        if tag_of(device_key, &item[..end])[..].ct_eq(tag).into() {
            context.check()?;
            return Ok((context, announced));
        }
        Err(PadError::Tag)
    }

    fn read(reader: &mut Reader<'_>) -> Result<(Self, FrameId)> {
        reader.array(fields::PAD_CONTEXT)?;
        reader.exactly("version", VERSION)?;
        reader.exactly("kind", kind::PAD_CONTEXT)?;
        reader.exactly("suite", Suite::Chacha20.number().into())?;
        let context = Self {
            key_id: reader.fixed("key")?,
            device: reader.number("device")?,
            number: reader.small("number")?,
            width: reader.small("width")?,
            columns: reader.small("columns")?,
            bound: reader.small("bound")?,
            packing: reader.bytes("packing", size::PACKING)?.to_vec(),
            ratchet: reader.flag("ratchet")?,
            device_bytes: reader.small("device_bytes")?,
            tag_bytes: reader.small("tag_bytes")?,
        };
        let announced = FrameId {
            device: context.device,
            epoch: reader.small("epoch")?,
            sequence: reader.number("first")?,
        };
        Ok((context, announced))
    }
}

fn demand(
    field: &'static str,
    found: impl ToString,
    is_allowed: bool,
    allowed: impl ToString,
) -> Result<()> {
    match is_allowed {
        true => Ok(()),
        false => Err(PadError::field(field, found, allowed)),
    }
}

fn tag_of(device_key: &SecretKey, message: &[u8]) -> Tag {
    let mut tag = [0; size::TAG];
    hashed(
        &[hash_label::CONTEXT, device_key.expose(), message],
        &mut tag,
    );
    tag
}
