//! Bad results under a valid seal: each is refused by name, and nothing is printed.
#![allow(clippy::unwrap_used)]

use crate::support::Place;
use isopod_keys::{OwnerKeys, Passphrase, ServerKeys};
use isopod_wire::{EncryptedResult, Envelope, ParameterSet};

const DECRYPT: [&str; 5] = ["decrypt", "--keys", "keys/owner", "--in", "r.bin"];

/// A place with the result of a sum in r.bin.
fn summed(set: &str) -> Place {
    let place = Place::with_keys(set, &["--for", "sum"]);
    place.write("v.csv", "x,y\n1,-2\n3,4\n");
    let encrypt = ["encrypt", "--keys", "keys/device-1", "--values", "v.csv"];
    let encrypt = [
        &encrypt[..],
        &[
            "--out",
            "f.bin",
            "--rows-per-frame",
            "1",
            "--bound-bits",
            "3",
        ],
    ];
    place.run(&encrypt.concat()).success();
    let sum = ["evaluate", "--keys", "keys/server", "--job", "sum"];
    let sum = [&sum[..], &["--in", "f.bin", "--out", "r.bin"]];
    place.run(&sum.concat()).success();
    place
}

fn owner(place: &Place) -> OwnerKeys {
    let none = || -> Result<Passphrase, isopod_keys::KeysError> { unreachable!("a plain file") };
    OwnerKeys::open(&place.path("keys/owner"), none).unwrap()
}

/// Replaces the result by a changed one, under the server's seal.
fn forge(place: &Place, change: impl FnOnce(&mut EncryptedResult)) {
    let (owner, bytes) = (owner(place), place.read("r.bin"));
    let envelope = Envelope::read_only(&bytes).unwrap();
    let mut result = envelope.authenticate(&owner).unwrap().result().unwrap();
    change(&mut result);
    let server = ServerKeys::open(&place.path("keys/server")).unwrap();
    place.write("r.bin", server.link().seal(result.encode().unwrap()));
}

/// Arbitrary polynomials at this level.
fn scramble(set: &ParameterSet, primes: usize, result: &mut EncryptedResult) {
    let row = |prime: &u64| -> Vec<u64> {
        let residue = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % prime;
        (0..set.ring_degree as u64).map(residue).collect()
    };
    result.c0 = set.data_primes[..primes].iter().map(row).collect();
    result.c1 = result.c0.clone();
}

#[test]
fn integers_at_too_many_primes() {
    let place = summed("bfv-8192x6-multiply");
    forge(&place, |result| scramble(result.params, 4, result));
    place.refused(3, &DECRYPT, "at 1 to 3 primes");
}

#[test]
fn integers_drowned_in_noise() {
    let place = summed("bfv-4096x2-linear");
    forge(&place, |result| scramble(result.params, 2, result));
    place.refused(3, &DECRYPT, "noise is beyond");
}

#[test]
fn real_numbers_beyond_every_bound() {
    let place = summed("ckks-4096x2-linear");
    forge(&place, |result| scramble(result.params, 2, result));
    place.refused(3, &DECRYPT, "decrypted values exceed");
}

#[test]
fn a_scale_that_the_modulus_does_not_hold() {
    let place = summed("ckks-4096x2-linear");
    forge(&place, |result| result.scale = 2f64.powi(119));
    place.refused(3, &DECRYPT, "do not fit its modulus");
}

#[test]
fn another_key_of_the_set() {
    let place = summed("ckks-4096x2-linear");
    forge(&place, |result| result.key_id[0] ^= 1);
    let message = place.refusal(3, &DECRYPT);
    assert!(
        message.contains("another key pair's; allowed are results of"),
        "{message}"
    );
    let key = place.json(&["inspect", "keys/owner/owner.key"])["items"][0]["key"].clone();
    assert!(message.contains(key.as_str().unwrap()), "{message}");
}

#[test]
fn a_result_that_nobody_sealed() {
    let place = summed("bfv-4096x2-linear");
    let mut bytes = place.read("r.bin");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    place.write("r.bin", bytes);
    assert!(place.refusal(4, &DECRYPT).contains("tag:"));
}

#[test]
fn a_result_of_another_size() {
    let place = summed("bfv-4096x2-linear");
    let bytes = place.read("r.bin");
    place.write("r.bin", &bytes[..bytes.len() - 1]);
    place.refused(3, &DECRYPT, "end early");
}
