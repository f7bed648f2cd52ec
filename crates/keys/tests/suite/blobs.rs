//! Refusal of blobs with a wrong digest, length or value.
#![allow(clippy::unwrap_used)]

use crate::support::{blob, under};
use isopod_keys::{split_public_key, verify_blob, KeysError, Result};
use isopod_wire::{by_name, BlobKind, KeyBlob, WireError};

const SET: &str = "ckks-4096x2-linear";

fn check(bytes: &[u8]) -> Result<()> {
    let blob = KeyBlob::read(bytes).map_err(|source| KeysError::Content {
        path: "blob".into(),
        source,
    })?;
    verify_blob(&blob)
}

/// A blob whose word `at` is `value`, the others zero.
fn words(kind: BlobKind, at: usize, value: u32) -> Vec<u8> {
    let mut payload = vec![0; kind.payload_bytes(by_name(SET).unwrap())];
    let prefix = kind.prefix_bytes(by_name(SET).unwrap());
    payload[prefix + 4 * at..][..4].copy_from_slice(&value.to_le_bytes());
    blob(SET, kind, &payload)
}

#[test]
fn every_flipped_byte_of_header_and_payload_is_noticed() {
    let good = blob(SET, BlobKind::SecretTernary, &[0b00_01_10_00; 1024]);
    check(&good).unwrap();
    for at in 0..good.len() {
        let mut bytes = good.to_vec();
        bytes[at] ^= 4;
        assert!(check(&bytes).is_err(), "byte {at}");
    }
    assert!(matches!(check(&good[1..]), Err(KeysError::Content { .. })));
}

#[test]
fn a_coefficient_of_three_is_refused_wherever_it_is() {
    for shift in [0, 2, 4, 6] {
        let mut payload = [0x55; 1024];
        payload[700] |= 3 << shift;
        let refused = check(&blob(SET, BlobKind::SecretTernary, &payload));
        assert!(matches!(refused, Err(KeysError::SecretRange)), "{shift}");
    }
    assert!(check(&blob(SET, BlobKind::SecretTernary, &[0b10_10_10_10; 1024])).is_ok());
}

#[test]
fn words_have_to_be_below_their_prime() {
    let primes = by_name(SET).unwrap().data_primes;
    for (kind, per_prime) in [(BlobKind::Public, 8192), (BlobKind::SeededPublic, 4096)] {
        for (number, at) in [(0, 0), (0, per_prime - 1), (1, 0), (1, per_prime - 1)] {
            let (wanted, place) = (primes[number], number * per_prime + at);
            assert!(check(&words(kind, place, wanted as u32 - 1)).is_ok());
            let refused = check(&words(kind, place, wanted as u32));
            assert!(
                matches!(refused, Err(KeysError::Residue { prime, position }) if (prime, position) == (wanted, at))
            );
        }
    }
    assert!(matches!(
        check(&words(BlobKind::SecretNtt, 9, u32::MAX)),
        Err(KeysError::SecretRange)
    ));
}

/// A loader's part of another key: its digest and its own list are right, its key id is the owner's.
#[test]
fn another_keys_prime_under_this_keys_id() {
    let set = by_name(SET).unwrap();
    for (whole, part) in [
        (
            BlobKind::Public,
            BlobKind::PublicPrime as fn(u16) -> BlobKind,
        ),
        (BlobKind::SeededPublic, BlobKind::SeededPublicPrime),
    ] {
        let [mine, theirs] = [1, 2].map(|value| {
            let mut payload = vec![0; whole.payload_bytes(set)];
            payload[32] = value;
            split_public_key(&blob(SET, whole, &payload)).unwrap()
        });
        let (mine, theirs) = (
            KeyBlob::read(&mine[0]).unwrap(),
            KeyBlob::read(&theirs[0]).unwrap(),
        );
        verify_blob(&mine).unwrap();
        let prefix = part(0).prefix_bytes(set);
        let spliced = [&mine.payload[..prefix], &theirs.payload[prefix..]].concat();
        for payload in [theirs.payload, &spliced] {
            let refused = check(&under(set, part(0), payload, &mine.key_id));
            assert!(matches!(refused, Err(KeysError::KeyId)));
        }
        check(&under(set, part(0), mine.payload, &mine.key_id)).unwrap();
    }
}

#[test]
fn a_public_key_with_another_seed_is_not_this_key() {
    let set = by_name(SET).unwrap();
    let good = words(BlobKind::SeededPublic, 0, 1);
    let good = KeyBlob::read(&good).unwrap();
    let mut payload = good.payload.to_vec();
    payload[0] ^= 1;
    let refused = check(&under(set, BlobKind::SeededPublic, &payload, &good.key_id));
    assert!(matches!(refused, Err(KeysError::KeyId)));
}

#[test]
fn a_blob_of_another_length_is_refused() {
    let good = words(BlobKind::SeededPublic, 0, 0);
    let longer = check(&[&good[..], &[0]].concat());
    assert!(matches!(
        longer,
        Err(KeysError::Content {
            source: WireError::TrailingBytes { extra: 1 },
            ..
        })
    ));
    let shorter = check(&good[..good.len() - 1]);
    assert!(matches!(
        shorter,
        Err(KeysError::Content {
            source: WireError::Truncated { .. },
            ..
        })
    ));
}
