//! Encoded items that still lack their tag, and the choice of the key that makes it (`spec/wire.md`, section 2).

use crate::cbor::codec::Writer;
use crate::{Nonce, Tag};

/// Relation whose key authenticates an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The key of this device.
    Device(u64),
    /// The key that owner and server share.
    Link,
}

/// An item without its tag.
pub struct Unsealed {
    relation: Relation,
    nonce: [u8; 24],
    message: Vec<u8>,
}

impl Unsealed {
    pub(crate) fn new(relation: Relation, nonce: Nonce, domain: u64, message: Vec<u8>) -> Self {
        Self {
            relation,
            nonce: extended_nonce(&nonce, domain),
            message,
        }
    }

    /// Relation whose key makes the tag.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// The nonce of the tag.
    pub fn nonce(&self) -> &[u8; 24] {
        &self.nonce
    }

    /// Message that the tag covers.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The finished item.
    pub fn with_tag(self, tag: Tag) -> Vec<u8> {
        let mut item = self.message;
        let mut tail = Writer::with_capacity(tag.len() + 1);
        tail.bytes(&tag);
        item.extend_from_slice(&tail.into_bytes());
        item
    }
}

/// nonce[16] || LE64(domain), as `spec/wire.md` section 2 gives it.
pub(crate) fn extended_nonce(nonce: &Nonce, domain: u64) -> [u8; 24] {
    let mut extended = [0; 24];
    extended[..16].copy_from_slice(nonce);
    extended[16..].copy_from_slice(&domain.to_le_bytes());
    extended
}
