//! What every key blob begins with, of any scheme (spec/wire.md, section 5).

use crate::{KeyId, Result, WireError};

const MAGIC: &[u8; 8] = b"ISOPODK1";
/// Bytes before the digest, all of them hashed.
pub const BLOB_HEAD_BYTES: usize = 48;
/// Bytes before the payload.
pub const BLOB_HEADER_BYTES: usize = 80;

/// The fields of the first 48 bytes.
pub(crate) struct HeadFields {
    pub kind: u32,
    pub ring_degree: usize,
    pub set_id: [u8; 8],
    pub key_id: KeyId,
    pub primes: usize,
    pub payload_bytes: usize,
}

impl HeadFields {
    /// As they are stored.
    pub fn bytes(&self) -> [u8; BLOB_HEAD_BYTES] {
        let mut head = [0; BLOB_HEAD_BYTES];
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&self.kind.to_le_bytes());
        head[12..16].copy_from_slice(&(self.ring_degree as u32).to_le_bytes());
        head[16..24].copy_from_slice(&self.set_id);
        head[24..40].copy_from_slice(&self.key_id);
        head[40..44].copy_from_slice(&(self.primes as u32).to_le_bytes());
        head[44..].copy_from_slice(&(self.payload_bytes as u32).to_le_bytes());
        head
    }

    /// That the head says the same as these, which its kind and set demand, and that the payload is as long.
    pub fn check(&self, parts: &BlobParts<'_>) -> Result<()> {
        exact("ring degree", parts.word(12), self.ring_degree)?;
        exact("data primes", parts.word(40), self.primes)?;
        exact("payload bytes", parts.word(44), self.payload_bytes)?;
        match parts.payload.len().checked_sub(self.payload_bytes) {
            None => Err(WireError::Truncated { field: "payload" }),
            Some(0) => Ok(()),
            Some(extra) => Err(WireError::TrailingBytes { extra }),
        }
    }
}

/// A blob in its three parts.
pub(crate) struct BlobParts<'a> {
    pub head: &'a [u8; BLOB_HEAD_BYTES],
    pub digest: &'a [u8; 32],
    pub payload: &'a [u8],
}

impl<'a> BlobParts<'a> {
    /// Errors: too short for a header, or another magic.
    pub fn split(bytes: &'a [u8]) -> Result<Self> {
        let truncated = WireError::Truncated {
            field: "blob header",
        };
        let (head, rest) = bytes
            .split_first_chunk::<BLOB_HEAD_BYTES>()
            .ok_or(truncated.clone())?;
        let (digest, payload) = rest.split_first_chunk::<32>().ok_or(truncated)?;
        if &head[..8] != MAGIC {
            return Err(WireError::out_of_range(
                "magic",
                head[..8].escape_ascii(),
                "ISOPODK1",
            ));
        }
        Ok(Self {
            head,
            digest,
            payload,
        })
    }

    pub fn kind(&self) -> u32 {
        self.word(8)
    }

    pub fn set_id(&self) -> [u8; 8] {
        self.chunk(16)
    }

    pub fn key_id(&self) -> KeyId {
        self.chunk(24)
    }

    /// The number of primes, and above it, of a blob for one prime, which.
    pub fn primes(&self) -> u32 {
        self.word(40)
    }

    fn chunk<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.head[at..at + N]);
        bytes
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.chunk(at))
    }
}

/// The set of an identity, or an error that shows it.
pub(crate) fn known<T>(set: Option<&'static T>, id: &[u8; 8]) -> Result<&'static T> {
    set.ok_or_else(|| WireError::UnknownSet {
        found: id.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

fn exact(field: &'static str, found: u32, wanted: usize) -> Result<()> {
    if found as usize == wanted {
        return Ok(());
    }
    Err(WireError::out_of_range(field, found, wanted))
}
