//! Refusal of blobs with a wrong digest, length or value.
#![allow(clippy::unwrap_used)]

mod support;

use isopod_keys::{verify_blob, KeysError, Result};
use isopod_wire::{by_name, BlobKind, KeyBlob, WireError};
use support::blob;

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
    let seed = if kind == BlobKind::SeededPublic {
        32
    } else {
        0
    };
    payload[seed + 4 * at..][..4].copy_from_slice(&value.to_le_bytes());
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
