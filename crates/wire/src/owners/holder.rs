//! Key files of a holder. They hold secrets: no Debug, and secrets are borrowed.

use crate::cbor::codec::Writer;
use crate::codes::{fields, kind, limit, size, VERSION};
use crate::keys::key_file::{begin, Secret};
use crate::owners::ceremony::read_holder;
use crate::{KeyId, Result, WireError};

/// The key file of a holder during the ceremony.
pub struct HolderDraftFile<'a> {
    /// The invitation's bytes.
    pub invitation: &'a [u8],
    /// Number of the holder, from 1.
    pub holder: u8,
    /// Identity of age.
    pub identity: &'a str,
    /// Hides the commitment.
    pub blind: &'a [u8; size::BLIND],
    /// Seed of the holder's part of the key.
    pub seed: &'a [u8; size::HOLDER_SEED],
}

/// The key file of a holder.
pub struct HolderKeyFile<'a> {
    /// The invitation's bytes.
    pub invitation: &'a [u8],
    /// Digest of all files of the ceremony.
    pub fingerprint: &'a [u8; size::DIGEST],
    /// Name of the key.
    pub key_id: KeyId,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// Identity of age.
    pub identity: &'a str,
    /// Recipients of all holders in order, with commas between.
    pub recipients: &'a str,
    /// Packed share of the secret key.
    pub share: &'a [u8],
    /// Key shared with the server.
    pub link: &'a Secret,
    /// Key that device keys are derived from.
    pub device_master: &'a Secret,
    /// Contributions made.
    pub used: u64,
    /// How often the shares were refreshed.
    pub generation: u32,
    /// Seed of what this holder deals in a change; none outside of one.
    pub change: Option<&'a [u8; size::HOLDER_SEED]>,
    /// Transcript of a refresh and the packed share after it; empty without one.
    pub next: &'a [u8],
}

impl<'a> HolderDraftFile<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let allowed = "57, a holder's key file before the ceremony ends";
        let mut reader = begin(bytes, fields::HOLDER_DRAFT, kind::HOLDER_DRAFT, allowed)?;
        let file = Self {
            invitation: reader.bytes(limit::INVITATION_BYTES, "invitation")?,
            holder: read_holder(&mut reader, "holder")?,
            identity: reader.text(size::IDENTITY, "identity")?,
            blind: reader.fixed("blind")?,
            seed: reader.fixed("seed")?,
        };
        reader.finish()?;
        Ok(file)
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(limit::INVITATION_BYTES + 256);
        writer
            .array(fields::HOLDER_DRAFT)
            .uint(VERSION)
            .uint(kind::HOLDER_DRAFT)
            .bytes(self.invitation)
            .uint(self.holder.into())
            .text(self.identity)
            .bytes(self.blind)
            .bytes(self.seed);
        writer.into_bytes()
    }
}

impl<'a> HolderKeyFile<'a> {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let allowed = "58, a holder's key file";
        let mut reader = begin(bytes, fields::HOLDER_KEY, kind::HOLDER_KEY, allowed)?;
        let file =
            Self {
                invitation: reader.bytes(limit::INVITATION_BYTES, "invitation")?,
                fingerprint: reader.fixed("fingerprint")?,
                key_id: *reader.fixed("key")?,
                holder: read_holder(&mut reader, "holder")?,
                identity: reader.text(size::IDENTITY, "identity")?,
                recipients: reader.text(limit::HOLDERS * (size::RECIPIENT + 1), "recipients")?,
                share: reader.bytes(limit::PUBLIC_BYTES, "share")?,
                link: reader.fixed("link")?,
                device_master: reader.fixed("device_master")?,
                used: reader.uint(u64::MAX, "used")?,
                generation: reader.word("generation")?,
                change: match reader.bytes(size::HOLDER_SEED, "change")? {
                    [] => None,
                    bytes => Some(bytes.try_into().map_err(|_| {
                        WireError::length("change", bytes.len(), size::HOLDER_SEED)
                    })?),
                },
                next: reader.bytes(size::DIGEST + limit::PUBLIC_BYTES, "next")?,
            };
        reader.finish()?;
        Ok(file)
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let texts = limit::INVITATION_BYTES + self.recipients.len();
        let shares = self.share.len() + self.next.len();
        let mut writer = Writer::with_capacity(shares + texts + 512);
        writer
            .array(fields::HOLDER_KEY)
            .uint(VERSION)
            .uint(kind::HOLDER_KEY)
            .bytes(self.invitation)
            .bytes(self.fingerprint)
            .bytes(&self.key_id)
            .uint(self.holder.into())
            .text(self.identity)
            .text(self.recipients)
            .bytes(self.share)
            .bytes(self.link)
            .bytes(self.device_master)
            .uint(self.used)
            .uint(self.generation.into())
            .bytes(self.change.map_or(&[][..], |seed| seed))
            .bytes(self.next);
        writer.into_bytes()
    }
}
