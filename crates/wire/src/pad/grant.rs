//! Grants: the pads of a range, for a reader (`spec/wire.md`, section 16). They hold secrets: no Debug, and secrets are borrowed.

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, fields, kind, limit, size, VERSION};
use crate::envelope::tagged::read_kind;
use crate::{Digested, KeyId, PadDescription, Result, WireError};

/// The pads of some sequences of one context and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PadRange {
    /// Which pad master.
    pub key_id: KeyId,
    /// Whose pads.
    pub device: u64,
    /// Contents of the context.
    pub description: PadDescription,
    /// Epoch of the pads.
    pub epoch: u32,
    /// The first pad.
    pub first: u32,
    /// The last pad: sums of packets from `first` to the one before it can be opened.
    pub last: u32,
}

/// A grant.
pub struct PadGrant<'a> {
    /// The range.
    pub range: PadRange,
    /// Key under which the server seals results for this reader.
    pub reader: &'a [u8; size::LINK_KEY],
    /// Nodes and pads of the range, in order.
    pub parts: &'a [u8],
    /// SHA3-256 of [`Digested::hashed`]; a reader verifies it.
    pub digest: &'a [u8; size::DIGEST],
}

impl PadRange {
    /// The bytes that the reader's key is derived from.
    pub fn described(&self) -> Vec<u8> {
        self.describe().into_bytes()
    }

    fn describe(&self) -> Writer {
        let mut writer = Writer::with_capacity(256 + limit::PAD_GRANT_BYTES);
        let description = &self.description;
        writer
            .array(fields::PAD_GRANT)
            .uint(VERSION)
            .uint(kind::PAD_GRANT)
            .bytes(&self.key_id)
            .uint(self.device);
        description.write_fields(&mut writer);
        for number in [self.epoch, self.first, self.last] {
            writer.uint(number.into());
        }
        writer
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let (key_id, device) = (*reader.fixed("key")?, reader.uint(u64::MAX, "device")?);
        let description = PadDescription::read_fields(reader)?;
        let [epoch, first, last] = reader.words(["epoch", "first", "last"])?;
        let range = Self {
            key_id,
            device,
            description,
            epoch,
            first,
            last,
        };
        range.check().map(|()| range)
    }

    /// Refuses a range that holds no packet, and a context that no packets have.
    ///
    /// Errors: [`WireError::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        self.description.check()?;
        self.description.form.check(self.device)?;
        if self.first < self.last {
            return Ok(());
        }
        let allowed = format!("above {}, the first pad", self.first);
        Err(WireError::out_of_range("last", self.last, allowed))
    }
}

impl<'a> PadGrant<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let (fields, kind) = (fields::PAD_GRANT, kind::PAD_GRANT);
        read_kind(&mut reader, fields, kind, allowed::PAD_GRANT)?;
        let range = PadRange::read(&mut reader)?;
        let grant = Self {
            range,
            reader: reader.fixed("reader")?,
            parts: reader.bytes(limit::PAD_GRANT_BYTES, "parts")?,
            digest: reader.fixed("digest")?,
        };
        reader.finish()?;
        Ok(grant)
    }
}

impl Digested for PadGrant<'_> {
    fn hashed(&self) -> Vec<u8> {
        let mut writer = self.range.describe();
        writer.bytes(self.reader).bytes(self.parts);
        writer.into_bytes()
    }

    fn digest(&self) -> &[u8; size::DIGEST] {
        self.digest
    }
}
