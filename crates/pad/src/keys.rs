//! Keys of pads (`spec/pad.md`, section 2), and the blocks that make them.

use chacha20::cipher::{KeyIvInit as _, StreamCipher as _, StreamCipherSeek as _};
use chacha20::ChaCha20;
use isopod_wire::codes::{hash_label, size};
use isopod_wire::KeyId;
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::Zeroizing;

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

/// A key of 32 bytes that wipes itself. Not Debug, not Clone.
pub struct PadKey(Zeroizing<[u8; size::PAD_KEY]>);

/// The owner's key, from which those of all devices follow.
pub struct PadMaster(PadKey);

impl PadKey {
    /// Copies a key; the caller wipes the original.
    pub fn from_bytes(bytes: &[u8; size::PAD_KEY]) -> Self {
        Self(Zeroizing::new(*bytes))
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

impl PadMaster {
    /// Takes the owner's key.
    pub fn new(key: PadKey) -> Self {
        Self(key)
    }

    /// The identity that contexts say.
    pub fn key_id(&self) -> KeyId {
        let mut id = [0; size::KEY_ID];
        hashed(&[hash_label::PAD_KEY_ID, self.0.expose()], &mut id);
        id
    }

    /// The pad key of one device.
    pub fn device(&self, device: u64) -> PadKey {
        derived(&[
            hash_label::PAD_DEVICE,
            self.0.expose(),
            &device.to_le_bytes(),
        ])
    }
}

/// The key of a description, under the key of a device or under its pad key.
pub(crate) fn described(label: &[u8], key: &[u8; size::PAD_KEY], description: &[u8]) -> PadKey {
    derived(&[label, key, &Sha3_256::digest(description)])
}

fn derived(parts: &[&[u8]]) -> PadKey {
    let mut key = Zeroizing::new([0; size::PAD_KEY]);
    hashed(parts, &mut key[..]);
    PadKey(key)
}

/// SHAKE256 of some parts.
pub(crate) fn hashed(parts: &[&[u8]], output: &mut [u8]) {
    let mut hash = Shake256::default();
    for part in parts {
        hash.update(part);
    }
    hash.finalize_xof().read(output);
}
