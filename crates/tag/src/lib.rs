#![doc = include_str!("../README.md")]

#[cfg(target_arch = "x86_64")]
mod field;
#[cfg(target_arch = "x86_64")]
mod ifma;

use chacha20::cipher::{KeyIvInit as _, StreamCipher as _, StreamCipherSeek as _};
use chacha20::XChaCha20;
use poly1305::universal_hash::{KeyInit as _, UniversalHash as _};
use poly1305::Poly1305;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// Bytes of a block of Poly1305, and of a tag.
const BLOCK: usize = 16;

/// Bytes of a block of ChaCha20.
const STREAM_BLOCK: u64 = 64;

/// The tag of a message: XChaCha20-Poly1305 `[XCHACHA03]` with the message as associated data of an empty plaintext.
///
/// Constant time in key and message.
pub fn tag(key: &[u8; 32], nonce: &[u8; 24], message: &[u8]) -> [u8; BLOCK] {
    let mut once = Zeroizing::new([0; 32]);
    XChaCha20::new(key.into(), nonce.into()).apply_keystream(&mut once[..]);
    // The plaintext is empty.
    let mut lengths = [0; BLOCK];
    lengths[..8].copy_from_slice(&(message.len() as u64).to_le_bytes());
    #[cfg(target_arch = "x86_64")]
    if let Some(tag) = ifma::authenticate(&once, message, &lengths) {
        return tag;
    }
    portable(&once, message, &lengths)
}

/// Whether the tag is the message's, in constant time.
pub fn verify(key: &[u8; 32], nonce: &[u8; 24], message: &[u8], tag: &[u8; BLOCK]) -> bool {
    equal(&self::tag(key, nonce, message), tag)
}

/// Enciphers or deciphers bytes that a tag of the same nonce is of: with the stream behind the block of its one-time key.
///
/// Constant time in key and bytes.
pub fn cipher(key: &[u8; 32], nonce: &[u8; 24], bytes: &mut [u8]) {
    let mut stream = XChaCha20::new(key.into(), nonce.into());
    stream.seek(STREAM_BLOCK);
    stream.apply_keystream(bytes);
}

/// Whether two tags are equal, in constant time.
pub fn equal(one: &[u8; BLOCK], other: &[u8; BLOCK]) -> bool {
    one.ct_eq(other).into()
}

/// Poly1305 of a message, filled with zeros to whole blocks, and of one block behind it.
fn portable(once: &[u8; 32], message: &[u8], last: &[u8; BLOCK]) -> [u8; BLOCK] {
    let mut state = Poly1305::new(once.into());
    state.update_padded(message);
    state.update(&[(*last).into()]);
    state.finalize().into()
}

#[cfg(test)]
mod tests;
