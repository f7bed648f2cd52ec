//! Key files of owner, server and device (`spec/wire.md`, section 7). They hold secrets: no Debug, and secrets are borrowed.
//!
//! Writers reserve the exact length first, so that growth leaves no copy behind; callers wipe the returned bytes.

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{fields, kind, size, VERSION};
use crate::{AnySet, KeyId, Result, WireError};

/// A key of a device, of the link, or a device master.
pub type Secret = [u8; size::LINK_KEY];

/// Declaration and count of published decryptions; all zero until the first one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Bits of statistical security, 0 or 30 .. 64.
    pub statistical_bits: u8,
    /// Results that may be published under this key.
    pub queries: u64,
    /// Results published so far, at most `queries`.
    pub used: u64,
}

/// Content of the owner's key file.
pub struct OwnerKeyFile<'a> {
    /// Parameter set.
    pub params: AnySet,
    /// Key pair.
    pub key_id: KeyId,
    /// Blob of the secret key; length checked, content not.
    pub blob: &'a [u8],
    /// Key shared with the server.
    pub link: &'a Secret,
    /// Key that device keys are derived from.
    pub device_master: &'a Secret,
    /// Declaration and count of published decryptions.
    pub sharing: Sharing,
}

/// Content of the server's key file.
pub struct ServerKeyFile<'a> {
    /// Parameter set.
    pub params: AnySet,
    /// Key pair.
    pub key_id: KeyId,
    /// Key shared with the owner.
    pub link: &'a Secret,
    /// Key that device keys are derived from.
    pub device_master: &'a Secret,
}

/// Content of a device's key file: the key that authenticates its frames.
pub struct DeviceKeyFile<'a> {
    /// Key pair.
    pub key_id: KeyId,
    /// Device number.
    pub device: u64,
    /// Key of the device.
    pub key: &'a Secret,
    /// SHA3-256 of [`Digested::hashed`]; a reader verifies it.
    pub digest: &'a [u8; size::DIGEST],
}

/// A file that ends in the SHA3-256 of what is before it; a reader verifies it.
pub trait Digested {
    /// The bytes of the file before the digest, with room for it.
    fn hashed(&self) -> Vec<u8>;

    /// The digest.
    fn digest(&self) -> &[u8; size::DIGEST];

    /// The bytes of the file.
    fn write(&self) -> Vec<u8> {
        let mut writer = Writer::behind(self.hashed());
        writer.bytes(self.digest());
        writer.into_bytes()
    }
}

pub(crate) fn begin<'a>(
    bytes: &'a [u8],
    elements: u64,
    kind: u64,
    allowed: &'static str,
) -> Result<Reader<'a>> {
    let mut reader = Reader::new(bytes);
    reader.array(elements, "array")?;
    let version = reader.uint(u64::MAX, "version")?;
    if version != VERSION {
        return Err(WireError::UnknownVersion { found: version });
    }
    match reader.uint(u64::MAX, "kind")? {
        found if found == kind => Ok(reader),
        found => Err(WireError::UnknownKind { found, allowed }),
    }
}

impl<'a> OwnerKeyFile<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = begin(
            bytes,
            fields::OWNER_KEY,
            kind::OWNER_KEY,
            "48, an owner's key file",
        )?;
        let params = AnySet::read(&mut reader)?;
        let key_id = *reader.fixed("key")?;
        let wanted = params.secret_blob_bytes();
        let blob = reader.bytes(wanted, "blob")?;
        if blob.len() != wanted {
            return Err(WireError::length("blob", blob.len(), wanted));
        }
        let (link, device_master) = (reader.fixed("link")?, reader.fixed("device_master")?);
        let sharing = Sharing::read(&mut reader)?;
        reader.finish()?;
        Ok(Self {
            params,
            key_id,
            blob,
            link,
            device_master,
            sharing,
        })
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(self.blob.len() + 128);
        writer
            .array(fields::OWNER_KEY)
            .uint(VERSION)
            .uint(kind::OWNER_KEY)
            .bytes(self.params.set_id())
            .bytes(&self.key_id);
        writer
            .bytes(self.blob)
            .bytes(self.link)
            .bytes(self.device_master)
            .uint(self.sharing.statistical_bits.into())
            .uint(self.sharing.queries)
            .uint(self.sharing.used);
        writer.into_bytes()
    }
}

impl Sharing {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let statistical_bits = reader.uint(64, "statistical_bits")? as u8;
        let queries = reader.uint(u64::MAX, "queries")?;
        let used = reader.uint(queries, "used")?;
        Ok(Self {
            statistical_bits,
            queries,
            used,
        })
    }
}

impl<'a> ServerKeyFile<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = begin(
            bytes,
            fields::SERVER_KEY,
            kind::SERVER_KEY,
            "49, a server's key file",
        )?;
        let params = AnySet::read(&mut reader)?;
        let key_id = *reader.fixed("key")?;
        let (link, device_master) = (reader.fixed("link")?, reader.fixed("device_master")?);
        reader.finish()?;
        Ok(Self {
            params,
            key_id,
            link,
            device_master,
        })
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(128);
        writer
            .array(fields::SERVER_KEY)
            .uint(VERSION)
            .uint(kind::SERVER_KEY)
            .bytes(self.params.set_id())
            .bytes(&self.key_id);
        writer.bytes(self.link).bytes(self.device_master);
        writer.into_bytes()
    }
}

impl<'a> DeviceKeyFile<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = begin(
            bytes,
            fields::DEVICE_KEY,
            kind::DEVICE_KEY,
            "50, a device's key file",
        )?;
        let key_id = *reader.fixed("key")?;
        let (device, key) = (reader.uint(u64::MAX, "device")?, reader.fixed("frame_key")?);
        let digest = reader.fixed("digest")?;
        reader.finish()?;
        Ok(Self {
            key_id,
            device,
            key,
            digest,
        })
    }
}

impl Digested for DeviceKeyFile<'_> {
    fn hashed(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(128);
        writer
            .array(fields::DEVICE_KEY)
            .uint(VERSION)
            .uint(kind::DEVICE_KEY)
            .bytes(&self.key_id)
            .uint(self.device)
            .bytes(self.key);
        writer.into_bytes()
    }

    fn digest(&self) -> &[u8; size::DIGEST] {
        self.digest
    }
}
