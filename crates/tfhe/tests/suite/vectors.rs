//! Known answers of `spec/vectors/tfhe.json`: masks, frames under the sender's key, and refusals of everything else.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;

use crate::support::set;
use isopod_keys::SecretKey;
use isopod_tfhe::{expand_mask, frame_mask};
use isopod_wire::{
    Authenticator, Envelope, FrameId, Relation, Tag, TfheFrame, TfheParams, TfheSuite, WireError,
};
use serde_json::Value;
use sha3::{Digest, Sha3_256};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../spec/vectors/tfhe.json")).unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// The bytes start, start + 1, ...
fn counted<const N: usize>(start: &Value) -> [u8; N] {
    let start = start.as_u64().unwrap() as u8;
    std::array::from_fn(|at| start + at as u8)
}

fn suite(number: &Value) -> TfheSuite {
    [TfheSuite::Chacha20, TfheSuite::Shake256, TfheSuite::Aes128]
        .into_iter()
        .find(|suite| u64::from(suite.number()) == number.as_u64().unwrap())
        .unwrap()
}

/// SHA3-256 of little-endian words, in hexadecimal.
fn digest(words: &[u64], params: &TfheParams) -> String {
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.to_le_bytes()[..params.word_bytes()].to_vec())
        .collect();
    Sha3_256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A server that knows one device.
struct Server {
    device: u64,
    key: SecretKey,
}

impl Server {
    fn new(vectors: &Value) -> Self {
        let sender = &vectors["sender"];
        let master = SecretKey::from_bytes(&counted(&sender["device_master_start"]));
        let device = sender["device"].as_u64().unwrap();
        Self {
            device,
            key: master.device_key(device),
        }
    }
}

impl Authenticator for Server {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Device(self.device) && self.key.verify(nonce, message, tag)
    }
}

fn read(bytes: &[u8], server: &Server, set: &'static TfheParams) -> Result<TfheFrame, WireError> {
    Envelope::read_only(bytes)?
        .authenticate(server)?
        .tfhe_frame(set)
}

#[test]
fn masks_are_the_known_ones() {
    for record in vectors()["tfhe_masks"].as_array().unwrap() {
        let set = set(record["set"].as_str().unwrap());
        let (nonce, key) = (
            counted(&record["nonce_start"]),
            counted(&record["key_id_start"]),
        );
        let mask = expand_mask(set, suite(&record["suite"]), &nonce, &key);
        assert_eq!(
            digest(&mask, set),
            record["sha3"].as_str().unwrap(),
            "{record}"
        );
    }
}

#[test]
fn frames_are_read_and_written_back_the_same() {
    let vectors = vectors();
    let server = Server::new(&vectors);
    let frames = vectors["tfhe_frames"].as_array().unwrap();
    let short: Vec<_> = frames.iter().filter(|record| record["hex"] != "").collect();
    assert!(short.len() >= 16);
    for record in short {
        let (bytes, set) = (bytes(&record["hex"]), set(record["set"].as_str().unwrap()));
        let frame = read(&bytes, &server, set).unwrap();
        assert_eq!(
            digest(&frame_mask(&frame), set),
            record["mask_sha3"].as_str().unwrap()
        );
        if !frame.header.is_rounded() {
            assert_eq!(
                digest(&frame.bodies, set),
                record["body_sha3"].as_str().unwrap()
            );
        }
        assert_eq!(server.key.seal(frame.encode().unwrap()), bytes);
    }
}

#[test]
fn what_was_changed_cut_or_sent_by_others_is_refused() {
    let vectors = vectors();
    let server = Server::new(&vectors);
    let record = &vectors["tfhe_frames"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["hex"] != "")
        .unwrap();
    let (good, set) = (bytes(&record["hex"]), set(record["set"].as_str().unwrap()));
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut changed = good.clone();
            changed[at] ^= 1 << bit;
            assert!(
                read(&changed, &server, set).is_err(),
                "byte {at}, bit {bit}"
            );
        }
        assert!(read(&good[..at], &server, set).is_err(), "{at} bytes");
    }
    let longer = [&good[..], &[0]].concat();
    assert_eq!(
        read(&longer, &server, set),
        Err(WireError::TrailingBytes { extra: 1 })
    );
    let stranger = Server {
        device: server.device,
        key: SecretKey::from_bytes(&[1; 32]),
    };
    assert_eq!(read(&good, &stranger, set), Err(WireError::Tag));
}

/// Altered frames (corrupted, cut, replayed, of another key or set) have the named error after the good one was accepted.
#[test]
fn malformed_frames_have_the_named_error() {
    let vectors = vectors();
    let server = Server::new(&vectors);
    let mut accepted = BTreeSet::new();
    let mut accept = |record: &Value| {
        let set = set(record["set"].as_str().unwrap());
        let FrameId {
            device,
            epoch,
            sequence,
        } = read(&bytes(&record["hex"]), &server, set)?.header.id;
        match accepted.insert((device, epoch, sequence)) {
            true => Ok(()),
            false => Err(WireError::Duplicate {
                device,
                epoch,
                sequence,
                part: 0,
            }),
        }
    };
    accept(&vectors["tfhe_good"][0]).unwrap();
    let malformed = vectors["tfhe_malformed"].as_array().unwrap();
    assert!(malformed.len() >= 45);
    for record in malformed {
        let error = accept(record).expect_err("malformed");
        let named = record["error"].as_str().unwrap();
        assert_eq!(error.name(), named, "{}: {error}", record["defect"]);
    }
}

/// Frames that are read under another set have wrong widths or counts.
#[test]
fn another_set_is_refused() {
    let vectors = vectors();
    let server = Server::new(&vectors);
    let of = |name: &str| {
        let records = vectors["tfhe_frames"].as_array().unwrap().iter();
        records
            .filter(|r| r["hex"] != "" && r["set"] == name)
            .map(|r| bytes(&r["hex"]))
            .next()
            .unwrap()
    };
    let (large, small) = (set("tfhe-2048-tfhe-rs"), set("tfhe-1024-tfhepp"));
    assert_eq!(
        read(&of(large.name), &server, small).unwrap_err().name(),
        "out_of_range"
    );
    assert_eq!(
        read(&of(small.name), &server, large).unwrap_err().name(),
        "length"
    );
}
