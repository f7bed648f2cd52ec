//! SipHash-2-4 `[SIPHASH12]`: a pseudorandom function, so that any bits of it are as hard to guess as random ones.

use std::hash::Hasher as _;

use isopod_wire::codes::size;
use siphasher::sip::SipHasher24;
use siphasher::sip128::{Hasher128 as _, SipHasher24 as SipHasher128};
use subtle::ConstantTimeEq as _;

type Key = [u8; size::PACKET_KEY];

/// The output of 64 bits, least significant byte first.
pub fn siphash_64(key: &Key, message: &[u8]) -> [u8; 8] {
    let mut hasher = SipHasher24::new_with_key(key);
    hasher.write(message);
    hasher.finish().to_le_bytes()
}

/// The output of 128 bits.
pub fn siphash_128(key: &Key, message: &[u8]) -> [u8; 16] {
    let mut hasher = SipHasher128::new_with_key(key);
    hasher.write(message);
    hasher.finish128().as_bytes()
}

/// Whether a tag of 4, 8 or 16 bytes is the message's, in constant time.
pub(crate) fn verify(key: &Key, message: &[u8], tag: &[u8]) -> bool {
    match tag.len() {
        size::TAG => siphash_128(key, message)[..].ct_eq(tag).into(),
        length => match siphash_64(key, message).get(..length) {
            Some(wanted) => wanted.ct_eq(tag).into(),
            None => false,
        },
    }
}
