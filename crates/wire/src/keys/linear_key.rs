//! The file `linear.key` of a device: the secrets of its linear tags (`spec/wire.md`, section 7).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{fields, kind, limit, size, VERSION};
use crate::keys::key_file::{begin, Digested, Secret};
use crate::{KeyId, Result, WireError};

/// Content of the file.
pub struct LinearKeyFile<'a> {
    /// Key pair.
    pub key_id: KeyId,
    /// Device number.
    pub device: u64,
    /// Period of the secrets.
    pub period: u32,
    /// Number of the file among those of the device, from 1.
    pub part: u8,
    /// Files of the device.
    pub parts: u8,
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
            part: read_part(&mut reader, "part")?,
            parts: read_part(&mut reader, "parts")?,
            group: reader.fixed("group_secret")?,
            secret: reader.fixed("device_secret")?,
            digest: reader.fixed("digest")?,
        };
        reader.finish()?;
        Ok(file)
    }
}

/// Reads a number of files, one for each holder who answers.
fn read_part(reader: &mut Reader<'_>, field: &'static str) -> Result<u8> {
    match reader.uint(u8::MAX.into(), field)? as usize {
        number if (1..=limit::HOLDERS).contains(&number) => Ok(number as u8),
        number => {
            let allowed = format!("1 to {}", limit::HOLDERS);
            Err(WireError::out_of_range(field, number, allowed))
        }
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
            .uint(self.part.into())
            .uint(self.parts.into())
            .bytes(self.group)
            .bytes(self.secret);
        writer.into_bytes()
    }

    fn digest(&self) -> &[u8; size::DIGEST] {
        self.digest
    }
}
