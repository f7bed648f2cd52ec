//! Another pair's public key under this pair's name, with the digest computed anew, which anybody can: nothing is encrypted with
//! it, since the name is computed from the content.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::quiet;
use isopod_keys::{NewFolder, Protection};
use isopod_wire::codes::key_blob::{DIGEST, HEAD_BYTES, KEY_ID};
use isopod_wire::{AnySet, BLOB_HEADER_BYTES};
use isopod_workflow::{Device, NewKeys};
use sha3::{Digest, Sha3_256};

const SETS: [&str; 6] = [
    "ckks-1024x1-sum",
    "ckks-2048x2-air",
    "bfv-2048x1-count",
    "ckks-8192x3w-sum",
    "tfhe-1024-tuniform",
    "tfhe-2048-tfhe-rs",
];

/// Keys without evaluation keys, in a folder of this name.
fn keys(place: &Path, name: &str, (set, seeded_public_key): (&str, bool)) -> PathBuf {
    let keys = NewKeys {
        set: AnySet::by_name(set).unwrap(),
        seeded_public_key,
        devices: vec![1.into()],
        evaluation: None,
    };
    let folder = place.join(name);
    let new = NewFolder::new(&folder).unwrap();
    let made = keys.write(&new, &Protection::InsecurePlaintext, &mut quiet);
    made.unwrap();
    new.publish().unwrap();
    folder
}

/// The blob with the digest of its content.
fn sealed(mut blob: Vec<u8>) -> Vec<u8> {
    let digest = Sha3_256::new()
        .chain_update(&blob[..HEAD_BYTES])
        .chain_update(&blob[BLOB_HEADER_BYTES..])
        .finalize();
    blob[DIGEST].copy_from_slice(&digest);
    blob
}

/// An error with its causes.
fn told(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

/// Why the device does not encrypt with this public key, in its place or named.
fn refusals(keys: &Path, blob: &[u8]) -> [String; 2] {
    let (own, device) = (keys.join("public/public.key"), keys.join("device-1"));
    let named = keys.join("named.key");
    fs::write(&own, blob).unwrap();
    fs::write(&named, blob).unwrap();
    [
        told(&Device::open(&device, false).err().unwrap()),
        told(&Device::with_public_key(&device, &named).err().unwrap()),
    ]
}

#[test]
fn a_foreign_public_key_under_the_own_name_encrypts_nothing() {
    for (set, seeded) in SETS.iter().flat_map(|&set| [(set, false), (set, true)]) {
        let place = tempfile::tempdir().unwrap();
        let [mine, theirs] = ["mine", "theirs"].map(|name| keys(place.path(), name, (set, seeded)));
        let [own, foreign] =
            [&mine, &theirs].map(|keys| fs::read(keys.join("public/public.key")).unwrap());
        Device::open(&mine.join("device-1"), false).unwrap();
        let mut spliced = foreign.clone();
        spliced[KEY_ID].copy_from_slice(&own[KEY_ID]);
        for refused in refusals(&mine, &sealed(spliced)) {
            assert!(
                refused.contains("key_id is not that of the key"),
                "{set} {seeded}: {refused}"
            );
        }
        for refused in refusals(&mine, &foreign) {
            assert!(
                refused.contains("another key pair"),
                "{set} {seeded}: {refused}"
            );
        }
    }
}

#[test]
fn one_polynomial_of_another_key_is_noticed() {
    for (set, seeded) in SETS.iter().flat_map(|&set| [(set, false), (set, true)]) {
        let place = tempfile::tempdir().unwrap();
        let [mine, theirs] = ["mine", "theirs"].map(|name| keys(place.path(), name, (set, seeded)));
        let [own, foreign] =
            [&mine, &theirs].map(|keys| fs::read(keys.join("public/public.key")).unwrap());
        let middle = BLOB_HEADER_BYTES + (own.len() - BLOB_HEADER_BYTES) / 2;
        for spliced in [
            [&own[..middle], &foreign[middle..]].concat(),
            [
                &own[..BLOB_HEADER_BYTES],
                &foreign[BLOB_HEADER_BYTES..middle],
                &own[middle..],
            ]
            .concat(),
        ] {
            for refused in refusals(&mine, &sealed(spliced)) {
                let known = ["key_id is not that of the key", "is not that of the seed"];
                assert!(
                    known.iter().any(|text| refused.contains(text)),
                    "{set} {seeded}: {refused}"
                );
            }
        }
    }
}
