//! Expansion of masks from their seeds (`spec/tfhe.md`, section 2), independent of the device library; tests compare the two.

use aes::cipher::{Block, BlockCipherEncrypt, KeyInit};
use aes::Aes128;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20::ChaCha20;
use isopod_wire::{KeyId, Nonce, TfheFrame, TfheParams, TfheSuite};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;

/// Domain of the masks' streams.
const DOMAIN: u32 = 1;
/// Bytes of a block of the SHAKE-256 suite.
const SHAKE_BLOCK: usize = 136;

/// Expands the mask a of a secret-key frame to N words of the modulus.
pub fn expand_mask(
    params: &TfheParams,
    suite: TfheSuite,
    nonce: &Nonce,
    key_id: &KeyId,
) -> Vec<u64> {
    let bytes = params.ring_degree * params.word_bytes();
    let mut key = [0; 32];
    key[..16].copy_from_slice(nonce);
    key[16..].copy_from_slice(key_id);
    let stream = match suite {
        TfheSuite::Chacha20 => chacha20(&key, bytes),
        TfheSuite::Shake256 => shake256(&key, bytes),
        TfheSuite::Aes128 => aes128(nonce, bytes),
    };
    let word = |chunk: &[u8]| {
        chunk
            .iter()
            .rev()
            .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    };
    stream.chunks_exact(params.word_bytes()).map(word).collect()
}

/// The mask of a frame, sent or expanded.
pub fn frame_mask(frame: &TfheFrame) -> Vec<u64> {
    let header = &frame.header;
    match &frame.mask {
        Some(mask) => mask.clone(),
        None => expand_mask(header.params, header.suite, &header.nonce, &header.key_id),
    }
}

fn chacha20(key: &[u8; 32], bytes: usize) -> Vec<u8> {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&DOMAIN.to_le_bytes());
    let mut stream = vec![0; bytes];
    ChaCha20::new(key.into(), &nonce.into()).apply_keystream(&mut stream);
    stream
}

fn shake256(key: &[u8; 32], bytes: usize) -> Vec<u8> {
    let mut stream = vec![0; bytes];
    for (counter, block) in stream.chunks_mut(SHAKE_BLOCK).enumerate() {
        let mut hash = Shake256::default();
        hash.update(key);
        for word in [DOMAIN, 0, counter as u32] {
            hash.update(&word.to_le_bytes());
        }
        hash.finalize_xof().read(block);
    }
    stream
}

fn aes128(nonce: &Nonce, bytes: usize) -> Vec<u8> {
    let cipher = Aes128::new(nonce.into());
    let block = |counter: usize| {
        let mut block = Block::<Aes128>::from((counter as u128).to_le_bytes());
        cipher.encrypt_block(&mut block);
        block
    };
    (0..bytes / 16).flat_map(block).collect()
}
