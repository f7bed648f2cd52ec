//! First step of reading: one bounded item, the choice of its key, the verification of its tag (`spec/wire.md`, section 2).

use crate::cbor::codec::Reader;
use crate::cbor::field::{self, Field, FieldValue};
use crate::cbor::formats;
use crate::codes::{allowed, domain, kind, VERSION};
use crate::envelope::stored_packet::StoredPacket;
use crate::envelope::unsealed::{extended_nonce, Relation};
use crate::{FrameId, KeyId, Nonce, Result, Tag, WireError};

/// Bytes of a tag with its head.
const TAG_ITEM_BYTES: usize = 17;

/// Verifies tags; implemented by `isopod-keys`.
pub trait Authenticator {
    /// Whether `tag` belongs to `message` under the nonce and the key of `relation`; false if that key is not held.
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool;
}

/// Kinds of authenticated items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// One part of a frame.
    Part,
    /// A result.
    Result,
    /// A partial state.
    Partial,
    /// Evaluation keys.
    EvaluationKeys,
    /// A TFHE frame.
    TfheFrame,
    /// A TFHE result.
    TfheResult,
    /// A result of pads.
    PadResult,
    /// A partial state of pads.
    PadPartial,
    /// Server keys of TFHE.
    TfheServerKeys,
    /// A packet with its name: a frame of any scheme.
    Packet,
}

impl ItemKind {
    /// Whether it is what an aggregate has summed so far.
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Partial | Self::PadPartial)
    }
}

/// One item before its tag is verified. It offers only the fields that choose its key.
pub struct Envelope<'a> {
    kind: ItemKind,
    key_id: KeyId,
    relation: Relation,
    parts: (u64, u64),
    nonce: [u8; 24],
    message: &'a [u8],
    tag: Tag,
    /// Name and bytes of a packet.
    packet: Option<(FrameId, &'a [u8])>,
}

/// An item whose tag was verified; only such an item can be parsed further.
pub struct Authentic<T>(T);

/// Fields collected while stepping over an item.
#[derive(Default)]
struct Picked<'a> {
    key: KeyId,
    nonce: Nonce,
    device: u64,
    epoch: u64,
    sequence: u64,
    packet: &'a [u8],
    part: u64,
    parts: u64,
}

impl<'a> Picked<'a> {
    fn keep(&mut self, name: &str, seen: FieldValue<'a>) {
        match (name, seen) {
            ("key", FieldValue::Bytes(bytes)) => self.key.copy_from_slice(bytes),
            ("nonce", FieldValue::Bytes(bytes)) => self.nonce.copy_from_slice(bytes),
            ("device", FieldValue::Number(number)) => self.device = number,
            ("epoch", FieldValue::Number(number)) => self.epoch = number,
            ("sequence", FieldValue::Number(number)) => self.sequence = number,
            ("packet", FieldValue::Bytes(bytes)) => self.packet = bytes,
            ("part", FieldValue::Number(number)) => self.part = number,
            ("parts", FieldValue::Number(number)) => self.parts = number,
            _ => {}
        }
    }

    fn name(&self) -> FrameId {
        FrameId {
            device: self.device,
            epoch: self.epoch as u32,
            sequence: self.sequence,
        }
    }
}

impl<'a> Envelope<'a> {
    /// Takes one item from the front of `bytes` and returns what follows it.
    ///
    /// Errors: truncated, not deterministic, wrong type, unknown version or kind, or a field beyond its cap.
    pub fn read(bytes: &'a [u8]) -> Result<(Self, &'a [u8])> {
        let mut reader = Reader::new(bytes);
        let (kind, fields) = open(&mut reader)?;
        let mut picked = Picked::default();
        for &field in fields {
            picked.keep(field.0, field::skip(&mut reader, field)?);
        }
        let message = &bytes[..reader.position()];
        let (tag, packet) = match kind {
            ItemKind::Packet => (Tag::default(), Some((picked.name(), picked.packet))),
            _ => (*reader.fixed("tag")?, None),
        };
        let (relation, domain) = match kind {
            // Its key is that of its context.
            ItemKind::Packet => (Relation::Device(picked.device), 0),
            ItemKind::Part => (Relation::Device(picked.device), picked.part),
            ItemKind::TfheFrame => (Relation::Device(picked.device), domain::TFHE_FRAME),
            ItemKind::Result | ItemKind::TfheResult | ItemKind::PadResult => {
                (Relation::Link, domain::RESULT)
            }
            ItemKind::Partial | ItemKind::PadPartial => (Relation::Link, domain::PARTIAL),
            ItemKind::EvaluationKeys | ItemKind::TfheServerKeys => {
                (Relation::Link, domain::EVALUATION_KEYS)
            }
        };
        let nonce = extended_nonce(&picked.nonce, domain);
        let envelope = Self {
            kind,
            key_id: picked.key,
            relation,
            parts: (picked.part, picked.parts),
            nonce,
            message,
            tag,
            packet,
        };
        Ok((envelope, &bytes[reader.position()..]))
    }

    /// Least length of the item that `bytes` begin: the end of the field that they break off in, and its tag. Once the longest
    /// field has begun, that is the whole item's length.
    pub fn least_bytes(bytes: &[u8]) -> usize {
        let mut reader = Reader::new(bytes);
        let begun = open(&mut reader).and_then(|(_, fields)| {
            fields
                .iter()
                .try_for_each(|&field| field::skip(&mut reader, field).map(drop))
        });
        let end = match begun {
            Ok(()) => reader.position(),
            Err(_) => reader.wanted(),
        };
        match Self::claimed_kind(bytes) {
            Some(ItemKind::Packet) => end,
            _ => end + TAG_ITEM_BYTES,
        }
    }

    /// Kind that bytes claim which begin with an item, whole or not; None if they cannot.
    pub fn claimed_kind(bytes: &[u8]) -> Option<ItemKind> {
        let begun = open(&mut Reader::new(bytes));
        begun.ok().map(|(kind, _)| kind)
    }

    /// Reads `bytes` that hold exactly one item, otherwise like [`Envelope::read`].
    pub fn read_only(bytes: &'a [u8]) -> Result<Self> {
        match Self::read(bytes)? {
            (envelope, []) => Ok(envelope),
            (_, rest) => Err(WireError::TrailingBytes { extra: rest.len() }),
        }
    }

    /// Kind that the item claims.
    pub fn kind(&self) -> ItemKind {
        self.kind
    }

    /// Key pair that the item names.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The packet of an item of this kind, with the name that it claims; None for others.
    pub fn packet(&self) -> Option<StoredPacket<'a>> {
        let (name, packet) = self.packet?;
        Some(StoredPacket {
            key_id: self.key_id,
            name,
            packet,
        })
    }

    /// Whether the item claims to be the last part of its frame; true for what has no parts.
    pub fn is_last_part(&self) -> bool {
        let (part, parts) = self.parts;
        parts == 0 || part.checked_add(1) == Some(parts)
    }

    /// Relation whose key has to verify the tag.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// Verifies the tag.
    ///
    /// Errors: [`WireError::Tag`], as for every packet, whose tag needs its context.
    pub fn authenticate(self, with: &dyn Authenticator) -> Result<Authentic<Self>> {
        if self.packet.is_none() && with.verify(self.relation, &self.nonce, self.message, &self.tag)
        {
            Ok(Authentic(self))
        } else {
            Err(WireError::Tag)
        }
    }
}

impl<'a> Authentic<Envelope<'a>> {
    /// Kind of the item.
    pub fn kind(&self) -> ItemKind {
        self.0.kind
    }

    /// Kind of the item, as a number.
    pub(crate) fn kind_number(&self) -> Result<u64> {
        Ok(head(&mut Reader::new(self.0.message))?.1)
    }

    /// A reader positioned after version and kind, and the kind as a number.
    pub(crate) fn body(
        &self,
        wanted: ItemKind,
        allowed: &'static str,
    ) -> Result<(Reader<'a>, u64)> {
        let mut reader = Reader::new(self.0.message);
        let kind = head(&mut reader)?.1;
        if self.0.kind != wanted {
            return Err(WireError::UnknownKind {
                found: kind,
                allowed,
            });
        }
        Ok((reader, kind))
    }
}

/// Reads array length and kind, without checking one against the other. Other types than theirs are other files.
fn head(reader: &mut Reader<'_>) -> Result<(u64, u64)> {
    let other = |error| match error {
        WireError::WrongType { .. } => WireError::NoItem,
        error => error,
    };
    let elements = reader.list(u64::from(u8::MAX), "array").map_err(other)?;
    let version = reader.uint(u64::MAX, "version").map_err(other)?;
    if version != VERSION {
        return Err(WireError::UnknownVersion { found: version });
    }
    let kind = reader.uint(u64::MAX, "kind").map_err(other)?;
    Ok((elements, kind))
}

fn open(reader: &mut Reader<'_>) -> Result<(ItemKind, &'static [Field])> {
    let (elements, found) = head(reader)?;
    let (kind, fields) = match found {
        kind::CKKS_PUBLIC | kind::CKKS_SECRET | kind::BFV_PUBLIC | kind::BFV_SECRET => {
            (ItemKind::Part, formats::PART)
        }
        kind::TFHE_PUBLIC | kind::TFHE_SECRET => (ItemKind::TfheFrame, formats::TFHE_FRAME),
        kind::PACKET => (ItemKind::Packet, formats::PACKET),
        kind::TFHE_RESULT => (ItemKind::TfheResult, formats::TFHE_RESULT),
        kind::TFHE_SERVER_KEYS => (ItemKind::TfheServerKeys, formats::TFHE_SERVER_KEYS),
        kind::RESULT => (ItemKind::Result, formats::RESULT),
        kind::PAD_RESULT => (ItemKind::PadResult, formats::PAD_RESULT),
        kind::PARTIAL => (ItemKind::Partial, formats::PARTIAL),
        kind::PAD_PARTIAL => (ItemKind::PadPartial, formats::PAD_PARTIAL),
        kind::EVALUATION_KEYS => (ItemKind::EvaluationKeys, formats::EVALUATION_KEYS),
        _ => {
            return Err(WireError::UnknownKind {
                found,
                allowed: allowed::ITEM,
            })
        }
    };
    // Version, kind and tag are three more elements; a packet has its tag within.
    let wanted = fields.len() + 3 - usize::from(kind == ItemKind::Packet);
    if elements != wanted as u64 {
        return Err(WireError::length("array", elements as usize, wanted));
    }
    Ok((kind, fields))
}
