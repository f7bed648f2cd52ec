//! Announcements, openings and shares: what holders send each other while they make a key.

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{fields, kind, limit, size, VERSION};
use crate::keys::key_file::begin;
use crate::{Result, WireError};

/// A SHA3-256.
type Digest = [u8; size::DIGEST];

/// The first step of a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// SHA3-256 of the invitation.
    pub invitation: Digest,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// Recipient of age, as text.
    pub recipient: String,
    /// Commitment to the holder's part of the public key.
    pub commitment: Digest,
}

/// The second step of a holder: the part of the public key. Shares for the other holders follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening<'a> {
    /// SHA3-256 of the invitation and all announcements.
    pub announcements: Digest,
    /// Number of the holder.
    pub holder: u8,
    /// Hid the commitment.
    pub blind: [u8; size::BLIND],
    /// Packed pk0 of the holder; length and residues are not checked.
    pub public: &'a [u8],
}

/// A share of one holder for another, or what a change of holders needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedShare<'a> {
    /// SHA3-256 of the invitation and all announcements; in a change, the digest of the step.
    pub announcements: Digest,
    /// Number of the holder who gives it.
    pub holder: u8,
    /// Number of the holder who gets it.
    pub receiver: u8,
    /// An age file to the receiver.
    pub sealed: &'a [u8],
}

/// Reads the number of a holder.
pub(super) fn read_holder(reader: &mut Reader<'_>, field: &'static str) -> Result<u8> {
    match reader.uint(u8::MAX.into(), field)? {
        number if (1..=limit::HOLDERS as u64).contains(&number) => Ok(number as u8),
        number => {
            let allowed = format!("1 to {}", limit::HOLDERS);
            Err(WireError::out_of_range(field, number, allowed))
        }
    }
}

impl Announcement {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let allowed = "54, the announcement of a holder";
        let (count, kind) = (fields::OWNERS_ANNOUNCEMENT, kind::OWNERS_ANNOUNCEMENT);
        let mut reader = begin(bytes, count, kind, allowed)?;
        let announcement = Self {
            invitation: *reader.fixed("invitation")?,
            holder: read_holder(&mut reader, "holder")?,
            recipient: reader.text(size::RECIPIENT, "recipient")?.to_owned(),
            commitment: *reader.fixed("commitment")?,
        };
        reader.finish()?;
        Ok(announcement)
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(192);
        writer
            .array(fields::OWNERS_ANNOUNCEMENT)
            .uint(VERSION)
            .uint(kind::OWNERS_ANNOUNCEMENT)
            .bytes(&self.invitation)
            .uint(self.holder.into())
            .text(&self.recipient)
            .bytes(&self.commitment);
        writer.into_bytes()
    }
}

impl<'a> Opening<'a> {
    /// Reads an opening and the shares behind it.
    ///
    /// Errors: anything but exactly an opening and any number of shares.
    pub fn read(bytes: &'a [u8]) -> Result<(Self, Vec<SealedShare<'a>>)> {
        let allowed = "55, the opening of a holder";
        let (count, kind) = (fields::OWNERS_OPENING, kind::OWNERS_OPENING);
        let mut reader = begin(bytes, count, kind, allowed)?;
        let opening = Self {
            announcements: *reader.fixed("announcements")?,
            holder: read_holder(&mut reader, "holder")?,
            blind: *reader.fixed("blind")?,
            public: reader.bytes(limit::PUBLIC_BYTES, "public")?,
        };
        let shares = SealedShare::read_all(&bytes[reader.position()..])?;
        Ok((opening, shares))
    }

    /// The bytes of the file.
    pub fn write(&self, shares: &[SealedShare<'_>]) -> Vec<u8> {
        let sealed = SealedShare::room(shares);
        let mut writer = Writer::with_capacity(self.public.len() + sealed + 128);
        writer
            .array(fields::OWNERS_OPENING)
            .uint(VERSION)
            .uint(kind::OWNERS_OPENING)
            .bytes(&self.announcements)
            .uint(self.holder.into())
            .bytes(&self.blind)
            .bytes(self.public);
        for share in shares {
            share.write(&mut writer);
        }
        writer.into_bytes()
    }
}

impl<'a> SealedShare<'a> {
    /// Reads any number of shares, and nothing else.
    pub(super) fn read_all(mut bytes: &'a [u8]) -> Result<Vec<Self>> {
        let mut shares = Vec::new();
        while !bytes.is_empty() {
            let (share, length) = Self::read(bytes)?;
            shares.push(share);
            bytes = &bytes[length..];
        }
        Ok(shares)
    }

    /// Bytes of shares, at most.
    pub(super) fn room(shares: &[Self]) -> usize {
        shares.iter().map(|share| share.sealed.len() + 64).sum()
    }

    /// Reads the first share of `bytes`, and its length.
    fn read(bytes: &'a [u8]) -> Result<(Self, usize)> {
        let allowed = "56, a share";
        let (count, kind) = (fields::OWNERS_SHARE, kind::OWNERS_SHARE);
        let mut reader = begin(bytes, count, kind, allowed)?;
        let share = Self {
            announcements: *reader.fixed("announcements")?,
            holder: read_holder(&mut reader, "holder")?,
            receiver: read_holder(&mut reader, "receiver")?,
            sealed: reader.bytes(limit::SEALED_SHARE_BYTES, "sealed")?,
        };
        Ok((share, reader.position()))
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer
            .array(fields::OWNERS_SHARE)
            .uint(VERSION)
            .uint(kind::OWNERS_SHARE)
            .bytes(&self.announcements)
            .uint(self.holder.into())
            .uint(self.receiver.into())
            .bytes(self.sealed);
    }
}
