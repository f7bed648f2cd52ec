//! Public keys in one file per prime.
#![allow(clippy::unwrap_used)]

mod support;

use isopod_keys::verify_blob;
use isopod_wire::{BlobKind, KeyBlob};
use support::Place;

const SPLIT: [&str; 5] = ["split-key", "--keys", "keys/device-1", "--out", "split"];

#[test]
fn one_file_per_prime_of_the_devices_key() {
    let place = Place::with_keys("ckks-4096x3-sum", &["--seeded-public-key"]);
    let said = place.output(&SPLIT);
    assert!(said.contains("3 file(s) of 16592 bytes"), "{said}");
    let whole = place.read("keys/public/public.key");
    let whole = KeyBlob::read(&whole).unwrap();
    for prime in 0..3 {
        let bytes = place.read(&format!("split/public-key-{prime}.key"));
        let part = KeyBlob::read(&bytes).unwrap();
        verify_blob(&part).unwrap();
        assert_eq!(part.kind, BlobKind::SeededPublicPrime(prime));
        assert_eq!(part.key_id, whole.key_id);
    }
    let of_fleet = ["split-key", "--keys", "keys/public", "--out", "again"];
    place.run(&of_fleet).success();
    assert_eq!(
        place.read("again/public-key-2.key"),
        place.read("split/public-key-2.key")
    );
    let message = place.refusal(5, &SPLIT);
    assert!(message.contains("split: exists already"), "{message}");
}

#[test]
fn a_damaged_key_is_not_split() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    let mut bytes = place.read("keys/public/public.key");
    bytes[500] ^= 1;
    place.write("keys/public/public.key", bytes);
    let message = place.refusal(5, &SPLIT);
    assert!(message.contains("digest"), "{message}");
    assert!(!place.exists("split"));
}
