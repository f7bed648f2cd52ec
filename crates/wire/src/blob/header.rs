//! The header of key blobs of any scheme (`spec/wire.md`, section 5).

use std::ops::Range;

use crate::codes::key_blob::{self, HEAD_BYTES, MAGIC_TEXT};
use crate::codes::size;
use crate::{KeyId, Result, WireError};

/// The fields of the first 48 bytes.
pub(crate) struct HeadFields {
    pub kind: u32,
    pub ring_degree: usize,
    pub set_id: [u8; size::SET_ID],
    pub key_id: KeyId,
    pub primes: usize,
    pub payload_bytes: usize,
}

impl HeadFields {
    /// Encodes the fields.
    pub fn bytes(&self) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        let mut put = |at: Range<usize>, bytes: &[u8]| head[at].copy_from_slice(bytes);
        let word = |value: usize| (value as u32).to_le_bytes();
        put(key_blob::MAGIC, MAGIC_TEXT);
        put(key_blob::KIND, &self.kind.to_le_bytes());
        put(key_blob::RING_DEGREE, &word(self.ring_degree));
        put(key_blob::SET_ID, &self.set_id);
        put(key_blob::KEY_ID, &self.key_id);
        put(key_blob::PRIMES, &word(self.primes));
        put(key_blob::PAYLOAD_BYTES, &word(self.payload_bytes));
        head
    }

    /// Checks that the head has these values, which its kind and set demand, and that the payload has their length.
    pub fn check(&self, parts: &BlobParts<'_>) -> Result<()> {
        exact(
            "ring degree",
            parts.word(key_blob::RING_DEGREE),
            self.ring_degree,
        )?;
        exact("data primes", parts.word(key_blob::PRIMES), self.primes)?;
        exact(
            "payload bytes",
            parts.word(key_blob::PAYLOAD_BYTES),
            self.payload_bytes,
        )?;
        match parts.payload.len().checked_sub(self.payload_bytes) {
            None => Err(WireError::Truncated { field: "payload" }),
            Some(0) => Ok(()),
            Some(extra) => Err(WireError::TrailingBytes { extra }),
        }
    }
}

/// Head, digest and payload of a blob.
pub(crate) struct BlobParts<'a> {
    pub head: &'a [u8; HEAD_BYTES],
    pub digest: &'a [u8; size::DIGEST],
    pub payload: &'a [u8],
}

impl<'a> BlobParts<'a> {
    /// Splits a blob. Errors: too short for a header, or another magic.
    pub fn split(bytes: &'a [u8]) -> Result<Self> {
        let truncated = WireError::Truncated {
            field: "blob header",
        };
        let (head, rest) = bytes
            .split_first_chunk::<HEAD_BYTES>()
            .ok_or(truncated.clone())?;
        let (digest, payload) = rest
            .split_first_chunk::<{ size::DIGEST }>()
            .ok_or(truncated)?;
        let magic = &head[key_blob::MAGIC];
        if magic == b"ISOPODK1" {
            return Err(WireError::UnknownVersion { found: 1 });
        }
        if magic != MAGIC_TEXT {
            let allowed = MAGIC_TEXT.escape_ascii();
            return Err(WireError::out_of_range(
                "magic",
                magic.escape_ascii(),
                allowed,
            ));
        }
        Ok(Self {
            head,
            digest,
            payload,
        })
    }

    pub fn kind(&self) -> u32 {
        self.word(key_blob::KIND)
    }

    pub fn set_id(&self) -> [u8; size::SET_ID] {
        self.chunk(key_blob::SET_ID)
    }

    pub fn key_id(&self) -> KeyId {
        self.chunk(key_blob::KEY_ID)
    }

    /// The number of primes, and in the upper half the prime of a blob for one prime.
    pub fn primes(&self) -> u32 {
        self.word(key_blob::PRIMES)
    }

    fn chunk<const N: usize>(&self, at: Range<usize>) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.head[at]);
        bytes
    }

    fn word(&self, at: Range<usize>) -> u32 {
        u32::from_le_bytes(self.chunk(at))
    }
}

/// The set of an identity, or an error that shows it.
pub(crate) fn known<T>(set: Option<&'static T>, id: &[u8; size::SET_ID]) -> Result<&'static T> {
    set.ok_or_else(|| WireError::unknown_set(id))
}

fn exact(field: &'static str, found: u32, wanted: usize) -> Result<()> {
    if found as usize == wanted {
        return Ok(());
    }
    Err(WireError::out_of_range(field, found, wanted))
}
