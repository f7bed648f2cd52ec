//! Blobs of any content with a valid digest and key id.
#![allow(missing_docs)]

use isopod_wire::{by_name, pack, BlobKind, KeyBlob, KeyId, ParameterSet};
use sha3::{Digest, Sha3_256};

pub fn blob(set: &str, kind: BlobKind, payload: &[u8]) -> Vec<u8> {
    let params = by_name(set).expect("a known set");
    let key_id = match kind {
        BlobKind::Public | BlobKind::SeededPublic => key_id(params, kind, payload),
        _ => [5; 16],
    };
    under(params, kind, payload, &key_id)
}

/// A blob with a valid digest under any key id.
pub fn under(set: &ParameterSet, kind: BlobKind, payload: &[u8], key_id: &KeyId) -> Vec<u8> {
    let head = KeyBlob::head(kind, set, key_id);
    let digest = Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize();
    [&head[..], &digest, payload].concat()
}

/// The key id of a whole public key: 2^-w by Fermat, where the library halves.
fn key_id(set: &ParameterSet, kind: BlobKind, payload: &[u8]) -> KeyId {
    let mut hash = Sha3_256::new().chain_update(b"isopod-v2-key-id");
    hash.update(set.set_id);
    hash.update(&payload[..32]);
    let polynomial = set.ring_degree * set.word_bytes();
    let each = polynomial * if kind == BlobKind::Public { 2 } else { 1 };
    for (&prime, words) in set.data_primes.iter().zip(payload[32..].chunks(each)) {
        let canonical = |word: &[u8]| {
            let value = word
                .iter()
                .rev()
                .fold(0, |sum: u128, &byte| sum << 8 | u128::from(byte));
            let radix = (1u128 << (8 * set.word_bytes())) % u128::from(prime);
            (value % u128::from(prime) * power(radix, prime - 2, prime) % u128::from(prime)) as u64
        };
        let values: Vec<u64> = words[..polynomial]
            .chunks(set.word_bytes())
            .map(canonical)
            .collect();
        hash.update(Sha3_256::digest(pack(64 - prime.leading_zeros(), &values)));
    }
    hash.finalize()[..16].try_into().expect("16 bytes")
}

fn power(base: u128, exponent: u64, prime: u64) -> u128 {
    (0..64).rev().fold(1, |value, bit| {
        let square = value * value % u128::from(prime);
        match exponent >> bit & 1 {
            1 => square * base % u128::from(prime),
            _ => square,
        }
    })
}
