//! Tags: XChaCha20-Poly1305 (`[XCHACHA03]`) over an empty plaintext (`spec/wire.md`, section 2).

use chacha20poly1305::aead::AeadInPlace;
use chacha20poly1305::{Key, KeyInit, Tag as AeadTag, XChaCha20Poly1305, XNonce};
use isopod_wire::{Tag, Unsealed};

use crate::secret::SecretKey;

impl SecretKey {
    /// The tag of a message.
    pub fn tag(&self, nonce: &[u8; 24], message: &[u8]) -> Tag {
        let cipher = XChaCha20Poly1305::new(Key::from_slice(self.expose()));
        let tag = cipher.encrypt_in_place_detached(XNonce::from_slice(nonce), message, &mut []);
        // The only refusal is of messages beyond 2^38 bytes, and no item is that long.
        tag.map_or(Tag::default(), Into::into)
    }

    /// Whether the tag is the message's, in constant time.
    pub fn verify(&self, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        let cipher = XChaCha20Poly1305::new(Key::from_slice(self.expose()));
        let tag = AeadTag::from_slice(tag);
        cipher
            .decrypt_in_place_detached(XNonce::from_slice(nonce), message, &mut [], tag)
            .is_ok()
    }

    /// Appends the tag to an item.
    pub fn seal(&self, unsealed: Unsealed) -> Vec<u8> {
        let tag = self.tag(unsealed.nonce(), unsealed.message());
        unsealed.with_tag(tag)
    }
}
