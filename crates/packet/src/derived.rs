//! Keys that follow from the key of a device: one of each context, and two of each name (`spec/packet.md`, sections 1 and 3).

use chacha20::cipher::{KeyIvInit as _, StreamCipher as _, StreamCipherSeek as _};
use chacha20::ChaCha20;
use isopod_keys::SecretKey;
use isopod_wire::codes::{hash_label, size};
use isopod_wire::{Context, FrameId, Tag};
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::Zeroizing;

const BLOCK: u64 = 64;

/// The key of the packets of one context. Not Debug, not Clone.
pub struct ContextKey(Zeroizing<[u8; size::CONTEXT_KEY]>);

/// Seed and key that a server derives from a packet's name.
pub struct PacketKeys {
    /// Expands to the mask; public.
    pub mask_seed: [u8; size::MASK_SEED],
    /// Key of the tag.
    pub tag_key: Zeroizing<[u8; size::PACKET_KEY]>,
}

impl ContextKey {
    /// The key of a context of the device that has this key.
    pub fn new(device_key: &SecretKey, context: &Context) -> Self {
        let digest = Sha3_256::digest(context.description());
        let mut key = Zeroizing::new([0; size::CONTEXT_KEY]);
        keyed(hash_label::PACKET, device_key, &digest, &mut key[..]);
        Self(key)
    }

    /// The bytes, for a device that stores them in place of the hash.
    pub fn expose(&self) -> &[u8; size::CONTEXT_KEY] {
        &self.0
    }

    /// Block P of a name.
    pub fn packet_keys(&self, name: FrameId) -> PacketKeys {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&name.sequence.to_le_bytes());
        let mut stream = ChaCha20::new((&*self.0).into(), &nonce.into());
        stream.seek(u64::from(name.epoch) * BLOCK);
        let mut block = Zeroizing::new([0; BLOCK as usize]);
        stream.apply_keystream(&mut block[..]);
        let mut keys = PacketKeys {
            mask_seed: [0; size::MASK_SEED],
            tag_key: Zeroizing::new([0; size::PACKET_KEY]),
        };
        let (seed, rest) = block.split_at(size::MASK_SEED);
        keys.mask_seed.copy_from_slice(seed);
        keys.tag_key.copy_from_slice(&rest[..size::PACKET_KEY]);
        keys
    }
}

/// The item of a context, with its tag under the key of its device.
pub fn seal_context(device_key: &SecretKey, context: &Context) -> Vec<u8> {
    context.seal(|message| context_tag(device_key, message))
}

/// Whether a tag is that of a context's item under the key of its device, in constant time.
pub fn verify_context(device_key: &SecretKey, message: &[u8], tag: &Tag) -> bool {
    isopod_tag::equal(&context_tag(device_key, message), tag)
}

/// The tag of a context's item.
fn context_tag(device_key: &SecretKey, message: &[u8]) -> Tag {
    let mut tag = [0; size::TAG];
    keyed(hash_label::CONTEXT, device_key, message, &mut tag);
    tag
}

fn keyed(label: &[u8], device_key: &SecretKey, message: &[u8], output: &mut [u8]) {
    let mut hash = Shake256::default();
    hash.update(label);
    hash.update(device_key.expose());
    hash.update(message);
    hash.finalize_xof().read(output);
}
