//! One element of what devices and gateways send to a server: an item, a context, or a packet.
//!
//! In a CBOR sequence, a packet is a byte string, or an array of its sender and a byte string where only the transport knows the
//! sender (`spec/packet.md`, section 6).

use crate::cbor::codec::{Reader, Writer};
use crate::cbor::field::{self, Field, FieldValue};
use crate::cbor::formats;
use crate::codes::limit::PACKET_BYTES;
use crate::codes::{cbor, fields, kind, size, VERSION};
use crate::{Envelope, KeyId, Result, WireError};

/// Fields of a sender and its packet.
const SENT: u64 = 2;
/// Bytes of a tag with its head.
const TAG_ITEM_BYTES: usize = 1 + size::TAG;

/// One element of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submission<'a> {
    /// An item that [`Envelope::read`] takes.
    Item(&'a [u8]),
    /// The item of a context.
    Context {
        /// The key pair that it claims.
        key_id: KeyId,
        /// The item.
        item: &'a [u8],
    },
    /// A packet as a radio carried it.
    Packet {
        /// The sender as the transport knows it.
        sender: Option<u64>,
        /// The packet.
        packet: &'a [u8],
    },
}

impl<'a> Submission<'a> {
    /// Takes one element from the front of `bytes` and returns what follows it.
    ///
    /// Errors: those of [`Envelope::read`], and the same for the other elements.
    pub fn read(bytes: &'a [u8]) -> Result<(Self, &'a [u8])> {
        let mut reader = Reader::new(bytes);
        let element = match Shape::of(bytes) {
            Shape::Packet => Self::Packet {
                sender: None,
                packet: read_packet(&mut reader)?,
            },
            Shape::Sent => {
                reader.array(SENT, "packet")?;
                Self::Packet {
                    sender: Some(reader.uint(u64::MAX, "device")?),
                    packet: read_packet(&mut reader)?,
                }
            }
            Shape::Context(fields) => {
                let key_id = skip_context(&mut reader, fields)?;
                reader.fixed::<{ size::TAG }>("tag")?;
                Self::Context {
                    key_id,
                    item: &bytes[..reader.position()],
                }
            }
            Shape::Item => {
                let (_, rest) = Envelope::read(bytes)?;
                return Ok((Self::Item(&bytes[..bytes.len() - rest.len()]), rest));
            }
        };
        Ok((element, &bytes[reader.position()..]))
    }

    /// Least length of the element that `bytes` begin, as [`Envelope::least_bytes`].
    pub fn least_bytes(bytes: &[u8]) -> usize {
        let mut reader = Reader::new(bytes);
        let skipped = match Shape::of(bytes) {
            Shape::Item if bytes.is_empty() => return 1,
            Shape::Item => return Envelope::least_bytes(bytes),
            Shape::Packet => read_packet(&mut reader).map(drop),
            Shape::Sent => reader
                .array(SENT, "packet")
                .and_then(|()| reader.uint(u64::MAX, "device"))
                .and_then(|_| read_packet(&mut reader))
                .map(drop),
            Shape::Context(fields) => {
                let skipped = skip_context(&mut reader, fields);
                let end = skipped.map_or_else(|_| reader.wanted(), |_| reader.position());
                return end + TAG_ITEM_BYTES;
            }
        };
        skipped.map_or_else(|_| reader.wanted(), |()| reader.position())
    }

    /// Whether the first bytes of a source, 16 or all of them, begin a context.
    pub fn begins_context(head: &[u8]) -> bool {
        matches!(Shape::of(head), Shape::Context(_))
    }

    /// A packet as an element; `sender` where the packet has no number of its device.
    pub fn of_packet(sender: Option<u64>, packet: &[u8]) -> Vec<u8> {
        let mut writer = Writer::with_capacity(packet.len() + 16);
        if let Some(sender) = sender {
            writer.array(SENT).uint(sender);
        }
        writer.bytes(packet);
        writer.into_bytes()
    }
}

/// Kind of an element, as its first bytes say.
enum Shape {
    Item,
    Context(&'static [Field]),
    Packet,
    Sent,
}

impl Shape {
    fn of(bytes: &[u8]) -> Self {
        let major = bytes.first().map(|first| first >> 5);
        if major == Some(cbor::BYTES) {
            return Self::Packet;
        }
        let mut reader = Reader::new(bytes);
        match reader.list(u64::from(u8::MAX), "array") {
            Ok(SENT) => return Self::Sent,
            Ok(fields::CONTEXT | fields::TFHE_CONTEXT | fields::PAD_CONTEXT) => {}
            _ => return Self::Item,
        }
        let version = reader.uint(u64::MAX, "version");
        match (version, reader.uint(u64::MAX, "kind")) {
            (Ok(VERSION), Ok(kind::CONTEXT)) => Self::Context(formats::CONTEXT),
            (Ok(VERSION), Ok(kind::TFHE_CONTEXT)) => Self::Context(formats::TFHE_CONTEXT),
            (Ok(VERSION), Ok(kind::PAD_CONTEXT)) => Self::Context(formats::PAD_CONTEXT),
            _ => Self::Item,
        }
    }
}

/// Steps over the fields of a context before its tag; the key pair among them.
fn skip_context(reader: &mut Reader<'_>, fields: &[Field]) -> Result<KeyId> {
    reader.array(fields.len() as u64 + 3, "array")?;
    reader.uint(u64::MAX, "version")?;
    reader.uint(u64::MAX, "kind")?;
    let mut key_id = KeyId::default();
    for &field in fields {
        let seen = field::skip(reader, field)?;
        if let ("key", FieldValue::Bytes(bytes)) = (field.0, seen) {
            key_id.copy_from_slice(bytes);
        }
    }
    Ok(key_id)
}

fn read_packet<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8]> {
    match reader.bytes(PACKET_BYTES, "packet")? {
        [] => Err(WireError::length(
            "packet",
            0,
            format!("1 to {PACKET_BYTES}"),
        )),
        packet => Ok(packet),
    }
}
