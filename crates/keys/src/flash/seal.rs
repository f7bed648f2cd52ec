//! The seal of a key in flash (`spec/wire.md`, section 5).

use isopod_wire::codes::{domain, hash_label, key_blob, size};

/// A verified key blob and its seal. The caller has checked the blob: the seal shows later that its bytes are still those.
pub fn sealed_key(blob: &[u8], generation: u32) -> Vec<u8> {
    let mut key = [0; size::DIGEST];
    key.copy_from_slice(&blob[key_blob::DIGEST]);
    let mut nonce = [0; size::NONCE + 8];
    nonce[..8].copy_from_slice(hash_label::KEY_SEAL);
    nonce[8..16].copy_from_slice(&u64::from(generation).to_le_bytes());
    nonce[16..].copy_from_slice(&domain::KEY_SEAL.to_le_bytes());
    let tag = isopod_tag::tag(&key, &nonce, blob);
    [blob, &nonce[..size::NONCE], &tag].concat()
}
