//! Roots and nodes (`spec/pad.md`, section 2), and the blocks that make them.

use chacha20::cipher::{KeyIvInit as _, StreamCipher as _, StreamCipherSeek as _};
use chacha20::ChaCha20;
use isopod_keys::SecretKey;
use isopod_wire::codes::{hash_label, size};
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::Zeroizing;

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

/// A root, or a node below it: a key of 32 bytes that wipes itself. Not Debug, not Clone.
pub struct PadKey(Zeroizing<[u8; size::PAD_KEY]>);

impl PadKey {
    /// Copies a key; the caller wipes the original.
    pub fn from_bytes(bytes: &[u8; size::PAD_KEY]) -> Self {
        Self(Zeroizing::new(*bytes))
    }

    /// The root of a context under the pad key of its device.
    pub(crate) fn root(pad_key: &SecretKey, description: &[u8]) -> Self {
        let mut hash = Shake256::default();
        hash.update(hash_label::PAD);
        hash.update(pad_key.expose());
        hash.update(&Sha3_256::digest(description));
        let mut key = Zeroizing::new([0; size::PAD_KEY]);
        hash.finalize_xof().read(&mut key[..]);
        Self(key)
    }

    /// The bytes, for a device or for a range key.
    pub fn expose(&self) -> &[u8; size::PAD_KEY] {
        &self.0
    }

    /// One block of ChaCha20; words 12 to 15 of its state are given.
    pub(crate) fn block(&self, words: [u32; 4]) -> Zeroizing<[u8; BLOCK]> {
        let mut nonce = [0; 12];
        for (bytes, word) in nonce.chunks_exact_mut(4).zip(&words[1..]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut stream = ChaCha20::new((&*self.0).into(), &nonce.into());
        stream.seek(u64::from(words[0]) * BLOCK as u64);
        let mut block = Zeroizing::new([0; BLOCK]);
        stream.apply_keystream(&mut block[..]);
        block
    }

    /// The key that begins such a block.
    pub(crate) fn next(&self, words: [u32; 4]) -> Self {
        let block = self.block(words);
        let mut key = Zeroizing::new([0; size::PAD_KEY]);
        key.copy_from_slice(&block[..size::PAD_KEY]);
        Self(key)
    }
}
