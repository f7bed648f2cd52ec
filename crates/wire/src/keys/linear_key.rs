//! The file `linear.key` of a device: the secrets of its linear tags (`spec/wire.md`, section 7).

use crate::cbor::codec::Writer;
use crate::codes::{fields, kind, size, VERSION};
use crate::keys::key_file::{begin, Digested, Secret};
use crate::{KeyId, Result};

/// Content of the file.
pub struct LinearKeyFile<'a> {
    /// Key pair.
    pub key_id: KeyId,
    /// Device number.
    pub device: u64,
    /// Period of the secrets.
    pub period: u32,
    /// Secret of the group.
    pub group: &'a Secret,
    /// Secret of the device.
    pub secret: &'a Secret,
    /// SHA3-256 of [`Digested::hashed`]; a reader verifies it.
    pub digest: &'a [u8; size::DIGEST],
}

impl<'a> LinearKeyFile<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let allowed = "52, a file of keys of linear tags";
        let mut reader = begin(bytes, fields::LINEAR_KEY, kind::LINEAR_KEY, allowed)?;
        let file = Self {
            key_id: *reader.fixed("key")?,
            device: reader.uint(u64::MAX, "device")?,
            period: reader.word("period")?,
            group: reader.fixed("group_secret")?,
            secret: reader.fixed("device_secret")?,
            digest: reader.fixed("digest")?,
        };
        reader.finish()?;
        Ok(file)
    }
}

impl Digested for LinearKeyFile<'_> {
    fn hashed(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(192);
        writer
            .array(fields::LINEAR_KEY)
            .uint(VERSION)
            .uint(kind::LINEAR_KEY)
            .bytes(&self.key_id)
            .uint(self.device)
            .uint(self.period.into())
            .bytes(self.group)
            .bytes(self.secret);
        writer.into_bytes()
    }

    fn digest(&self) -> &[u8; size::DIGEST] {
        self.digest
    }
}
