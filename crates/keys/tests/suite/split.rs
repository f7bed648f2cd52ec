//! Public keys in one blob per prime: the headers of the known answers, the payload of the whole key, and refusals.
#![allow(clippy::unwrap_used)]

use crate::support::blob;
use isopod_keys::{split_public_key, verify_blob, KeysError};
use isopod_wire::codes::{key_blob, key_kind, size};
use isopod_wire::{by_name, sets, BlobKind, KeyBlob, ParameterSet};
use serde_json::Value;

/// Words of a public key, all in range and different for each prime.
fn payload(set: &ParameterSet, kind: BlobKind) -> Vec<u8> {
    let mut bytes = vec![9; kind.prefix_bytes(set)];
    let each = (kind.payload_bytes(set) - bytes.len()) / set.data_primes.len();
    for prime in 0..set.data_primes.len() as u8 {
        let mut word = vec![0; set.word_bytes()];
        word[..2].copy_from_slice(&[prime + 1, 2]);
        bytes.extend(word.into_iter().cycle().take(each));
    }
    bytes
}

#[test]
fn the_parts_of_every_set_are_the_whole_key() {
    for set in sets() {
        for kind in [BlobKind::Public, BlobKind::SeededPublic] {
            let seed = size::MASK_SEED;
            let whole = blob(set.name, kind, &payload(set, kind));
            let whole = KeyBlob::read(&whole).unwrap();
            let bytes = [whole.head, &whole.digest[..], whole.payload].concat();
            let parts = split_public_key(&bytes).unwrap();
            assert_eq!(parts.len(), set.data_primes.len());
            let mut joined = whole.payload[..seed].to_vec();
            for (number, part) in parts.iter().enumerate() {
                let part = KeyBlob::read(part).unwrap();
                verify_blob(&part).unwrap();
                assert_eq!(part.kind.prime(), Some(number));
                assert_eq!((part.params, part.key_id), (set, whole.key_id));
                assert_eq!(part.payload[..seed], whole.payload[..seed]);
                joined.extend(&part.payload[part.kind.prefix_bytes(set)..]);
            }
            assert_eq!(joined, whole.payload, "{}", set.name);
        }
    }
}

fn known(document: &str, list: &str) {
    let document: Value = serde_json::from_str(document).unwrap();
    for record in document[list].as_array().unwrap() {
        let set = by_name(record["set"].as_str().unwrap()).unwrap();
        let prime = record["prime"].as_u64().unwrap() as u16;
        let kind = match record["blob_kind"].as_u64().unwrap() as u32 {
            key_kind::PUBLIC_PRIME => BlobKind::PublicPrime(prime),
            _ => BlobKind::SeededPublicPrime(prime),
        };
        let hex = record["header"].as_str().unwrap();
        let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
        let header: Vec<u8> = (0..key_blob::HEADER_BYTES).map(byte).collect();
        let mut key_id = [0; 16];
        key_id.copy_from_slice(&header[key_blob::KEY_ID]);
        assert_eq!(
            KeyBlob::head(kind, set, &key_id)[..],
            header[..key_blob::HEAD_BYTES]
        );
        assert_eq!(
            key_blob::HEADER_BYTES + kind.payload_bytes(set),
            record["bytes"].as_u64().unwrap() as usize
        );
    }
}

#[test]
fn headers_are_those_of_the_known_answers() {
    known(
        include_str!("../../../../spec/vectors/keys.json"),
        "split_blobs",
    );
    known(
        include_str!("../../../../spec/vectors/primes64.json"),
        "split_blobs64",
    );
}

#[test]
fn only_sound_public_keys_are_split() {
    const SET: &str = "ckks-8192x3w-sum";
    let set = by_name(SET).unwrap();
    let secret = blob(SET, BlobKind::SecretTernary, &[0x55; 2048]);
    assert!(matches!(split_public_key(&secret), Err(KeysError::Blob(_))));
    let mut words = payload(set, BlobKind::SeededPublic);
    words[32 + 8 * 8192 + 7] = 0xff; // beyond the second prime, but only as a 64-bit word
    let outside = blob(SET, BlobKind::SeededPublic, &words);
    let refused = split_public_key(&outside);
    assert!(
        matches!(refused, Err(KeysError::Residue { prime, position: 0 }) if prime == set.data_primes[1])
    );
    let mut damaged = blob(SET, BlobKind::SeededPublic, &words);
    damaged[100] ^= 1;
    assert!(matches!(split_public_key(&damaged), Err(KeysError::Digest)));
    let part = &split_public_key(&blob(
        SET,
        BlobKind::Public,
        &payload(set, BlobKind::Public),
    ))
    .unwrap()[1];
    assert!(matches!(split_public_key(part), Err(KeysError::Blob(_))));
}
