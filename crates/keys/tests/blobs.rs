//! Blobs with a wrong digest, length or value are refused.
#![allow(clippy::unwrap_used)]

use isopod_keys::{build_blob, verify_blob, KeysError, Result};
use isopod_wire::{by_name, BlobKind, CkksParams, KeyBlob, WireError};

fn params() -> &'static CkksParams {
    by_name("ckks-4096x2-linear").unwrap()
}

fn check(bytes: &[u8]) -> Result<()> {
    let blob = KeyBlob::read(bytes).map_err(|source| KeysError::Content {
        path: "blob".into(),
        source,
    })?;
    verify_blob(&blob)
}

/// Payload whose word `at` is `value`.
fn words(kind: BlobKind, at: usize, value: u32) -> Vec<u8> {
    let mut payload = vec![0; kind.payload_bytes(params())];
    let seed = if kind == BlobKind::SeededPublic {
        32
    } else {
        0
    };
    payload[seed + 4 * at..][..4].copy_from_slice(&value.to_le_bytes());
    payload
}

#[test]
fn every_flipped_byte_of_header_and_payload_is_noticed() {
    let payload = [0b00_01_10_00; 1024];
    let good = build_blob(BlobKind::SecretTernary, params(), &[5; 16], &payload).unwrap();
    check(&good).unwrap();
    for at in 0..good.len() {
        let mut bytes = good.to_vec();
        bytes[at] ^= 4;
        assert!(check(&bytes).is_err(), "byte {at}");
    }
    assert!(matches!(check(&good[1..]), Err(KeysError::Content { .. })));
}

#[test]
fn the_digest_is_sha3_of_head_and_payload() {
    let blob = build_blob(
        BlobKind::SecretTernary,
        by_name("ckks-1024x1-sum").unwrap(),
        &[5; 16],
        &[0x24; 256],
    )
    .unwrap();
    let hex: String = blob[48..80]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        hex,
        "fc39f3f139da7271e4bbf71ddd8825c429312587d32496168d3da7f8f769ad49"
    );
}

#[test]
fn a_coefficient_of_three_is_refused_wherever_it_is() {
    for shift in [0, 2, 4, 6] {
        let mut payload = [0x55; 1024];
        payload[700] |= 3 << shift;
        let refused = build_blob(BlobKind::SecretTernary, params(), &[5; 16], &payload);
        assert!(matches!(refused, Err(KeysError::SecretRange)), "{shift}");
    }
    assert!(build_blob(
        BlobKind::SecretTernary,
        params(),
        &[5; 16],
        &[0b10_10_10_10; 1024]
    )
    .is_ok());
}

#[test]
fn words_have_to_be_below_their_prime() {
    let [first, second] = [0, 1].map(|at| params().data_primes[at] as u32);
    let cases = [
        (BlobKind::Public, 8192, 0, 8191),
        (BlobKind::SeededPublic, 4096, 0, 4095),
    ];
    for (kind, per_prime, low, high) in cases {
        for (at, prime) in [
            (low, first),
            (high, first),
            (per_prime + low, second),
            (per_prime + high, second),
        ] {
            assert!(build_blob(kind, params(), &[5; 16], &words(kind, at, prime - 1)).is_ok());
            let refused = build_blob(kind, params(), &[5; 16], &words(kind, at, prime)).map(drop);
            let (wanted, place) = (u64::from(prime), at % per_prime);
            assert!(
                matches!(refused, Err(KeysError::Residue { prime, position }) if (prime, position) == (wanted, place))
            );
        }
    }
    let refused = build_blob(
        BlobKind::SecretNtt,
        params(),
        &[5; 16],
        &words(BlobKind::SecretNtt, 9, u32::MAX),
    );
    assert!(matches!(refused, Err(KeysError::SecretRange)));
}

#[test]
fn a_payload_of_another_length_is_refused() {
    let refused = build_blob(BlobKind::Public, params(), &[5; 16], &[0; 100]).map(drop);
    assert!(matches!(
        refused,
        Err(KeysError::Payload {
            found: 100,
            wanted: 65536
        })
    ));
    let good = build_blob(
        BlobKind::SeededPublic,
        params(),
        &[5; 16],
        &words(BlobKind::SeededPublic, 0, 0),
    )
    .unwrap();
    let error = check(&[&good[..], &[0]].concat()).unwrap_err();
    assert!(matches!(
        error,
        KeysError::Content {
            source: WireError::TrailingBytes { extra: 1 },
            ..
        }
    ));
}
