//! Tags under secret keys (`spec/wire.md`, section 2).

use isopod_wire::{Tag, Unsealed};

use crate::secret::SecretKey;

impl SecretKey {
    /// The tag of a message.
    pub fn tag(&self, nonce: &[u8; 24], message: &[u8]) -> Tag {
        isopod_tag::tag(self.expose(), nonce, message)
    }

    /// Whether the tag is the message's, in constant time.
    pub fn verify(&self, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        isopod_tag::verify(self.expose(), nonce, message, tag)
    }

    /// Appends the tag to an item.
    pub fn seal(&self, unsealed: Unsealed) -> Vec<u8> {
        let tag = self.tag(unsealed.nonce(), unsealed.message());
        unsealed.with_tag(tag)
    }
}
