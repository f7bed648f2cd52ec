//! Public keys in one file per prime.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};
use isopod_keys::verify_blob;
use isopod_wire::{BlobKind, KeyBlob, BLOB_HEADER_BYTES};
use sha3::{Digest, Sha3_256};

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
    place.refused(5, &SPLIT, "split: exists already");
}

#[test]
fn a_damaged_key_is_not_split() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    let mut bytes = place.read("keys/public/public.key");
    bytes[500] ^= 1;
    place.write("keys/public/public.key", bytes);
    place.refused(5, &SPLIT, "digest");
    assert!(!place.exists("split"));
}

/// Flips a residue of pk1 and makes the digest anew, as whoever stores the key could; digest and name of the key verify.
fn flipped(place: &Place) -> Vec<u8> {
    let mut bytes = place.read("keys/public/public.key");
    let (set, at) = {
        let blob = KeyBlob::read(&bytes).unwrap();
        let residues = BLOB_HEADER_BYTES + blob.kind.prefix_bytes(blob.params);
        (blob.params, residues + 4 * blob.params.ring_degree + 4 * 5)
    };
    let word = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let other = (word + 1) % set.data_primes[0] as u32;
    bytes[at..at + 4].copy_from_slice(&other.to_le_bytes());
    let head = &bytes[..BLOB_HEADER_BYTES - 32];
    let digest = Sha3_256::new().chain_update(head);
    let digest = digest.chain_update(&bytes[BLOB_HEADER_BYTES..]).finalize();
    bytes[BLOB_HEADER_BYTES - 32..BLOB_HEADER_BYTES].copy_from_slice(&digest);
    bytes
}

#[test]
fn the_second_half_of_a_public_key_was_believed() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    let bytes = flipped(&place);
    verify_blob(&KeyBlob::read(&bytes).unwrap()).unwrap();
    place.write("keys/public/public.key", bytes);
    place.write("v.csv", "x\n1\n");
    let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out f");
    let inspect = ["inspect", "keys/public/public.key"];
    for command in [&encrypt[..], &SPLIT, &inspect] {
        let message = place.refusal(5, command);
        let wanted = "pk1: residue 5 modulo 1073668097 is not that of the seed";
        assert!(message.contains(wanted), "{message}");
        assert!(message.contains("public/public.key"), "{message}");
    }
    assert!(!place.exists("f") && !place.exists("split"));
}

/// Another pair's whole and good public key in a device's folder would have come onto the device.
#[test]
fn a_device_got_the_key_of_another_pair() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    let other = Place::with_keys("ckks-1024x1-sum", &[]);
    place.write(
        "keys/public/public.key",
        other.read("keys/public/public.key"),
    );
    let image = ["device", "image", "--keys", "keys/device-1"];
    let image = [&image[..], &["--address", "0", "--out", "key.bin"]].concat();
    for command in [&image[..], &SPLIT] {
        place.refused(5, command, "another key pair");
    }
    assert!(!place.exists("key.bin") && !place.exists("split"));
    let public = ["split-key", "--keys", "keys/public", "--out", "split"];
    place.run(&public).success();
}
