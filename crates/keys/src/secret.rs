//! Symmetric keys of 32 bytes that wipe themselves, and fresh random bytes.

use isopod_wire::codes::{hash_label, size};
use isopod_wire::{Receipt, Secret, Tag, Unsealed};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};

/// Bytes that are wiped when dropped.
pub type SecretBytes = Zeroizing<Vec<u8>>;

/// A 32-byte key of a device or of the link, or the device master. Not Debug, not Clone.
pub struct SecretKey(Zeroizing<Secret>);

impl SecretKey {
    /// Draws a fresh key.
    ///
    /// Errors: [`KeysError::Entropy`].
    pub fn random() -> Result<Self> {
        let mut bytes = Zeroizing::new([0; size::LINK_KEY]);
        fill(bytes.as_mut())?;
        Ok(Self(bytes))
    }

    /// Copies a key; the caller wipes the original.
    pub fn from_bytes(bytes: &Secret) -> Self {
        Self(Zeroizing::new(*bytes))
    }

    /// The bytes, to be written to a file of their owner.
    pub fn expose(&self) -> &Secret {
        &self.0
    }

    /// The tag of a message.
    pub fn tag(&self, nonce: &[u8; 24], message: &[u8]) -> Tag {
        isopod_tag::tag(self.expose(), nonce, message)
    }

    /// Whether the tag is the message's, in constant time.
    pub fn verify(&self, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        isopod_tag::verify(self.expose(), nonce, message, tag)
    }

    /// Deciphers bytes that a tag of the same nonce is of.
    pub fn decipher(&self, nonce: &[u8; 24], bytes: &mut [u8]) {
        isopod_tag::cipher(self.expose(), nonce, bytes);
    }

    /// Appends the tag to an item.
    pub fn seal(&self, unsealed: Unsealed) -> Vec<u8> {
        let tag = self.tag(unsealed.nonce(), unsealed.message());
        unsealed.with_tag(tag)
    }

    /// A receipt for the device of this key.
    pub fn receipt(&self, receipt: &Receipt) -> Vec<u8> {
        receipt.seal(|message| self.receipt_tag(message))
    }

    /// Reads a receipt for this device, with self as its key.
    ///
    /// Errors: those of [`Receipt::open`].
    pub fn open_receipt(&self, device: u64, bytes: &[u8]) -> isopod_wire::Result<Receipt> {
        Receipt::open(bytes, |of, message, tag| {
            of == device && isopod_tag::equal(&self.receipt_tag(message), tag)
        })
    }

    /// The tag of a receipt, in constant time (`spec/wire.md`, section 11).
    fn receipt_tag(&self, message: &[u8]) -> Tag {
        let mut hash = Shake256::default();
        hash.update(hash_label::RECEIPT);
        hash.update(self.expose());
        hash.update(message);
        let mut tag = [0; size::TAG];
        hash.finalize_xof().read(&mut tag);
        tag
    }

    /// Derives the key of a reader of pads, with self as the link key; `described` says of which (`spec/wire.md`, section 16).
    pub fn reader_key(&self, described: &[u8]) -> Self {
        let mut hash = Shake256::default();
        hash.update(hash_label::PAD_READER);
        hash.update(self.expose());
        hash.update(&Sha3_256::digest(described));
        let mut key = Zeroizing::new([0; size::LINK_KEY]);
        hash.finalize_xof().read(key.as_mut());
        Self(key)
    }

    /// Derives the key of one device, with self as the device master (`spec/wire.md`, section 2).
    pub fn device_key(&self, device: u64) -> Self {
        let mut hash = Shake256::default();
        hash.update(hash_label::DEVICE);
        hash.update(self.expose());
        hash.update(&device.to_le_bytes());
        let mut key = Zeroizing::new([0; size::FRAME_KEY]);
        hash.finalize_xof().read(key.as_mut());
        Self(key)
    }
}

/// Draws fresh public bytes, such as nonces.
///
/// Errors: [`KeysError::Entropy`].
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| KeysError::Entropy(error.to_string()))
}
