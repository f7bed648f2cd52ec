//! The known answers of results in rounded coefficients (`spec/vectors/rounded.json`), read by the parser of the host and by
//! that of the device.
#![allow(clippy::unwrap_used)]

use isopod_device::{Decryptor, DeviceError};
use isopod_wire::{Authenticator, EncryptedResult, Envelope, Grid, Relation, Scheme, Tag};
use serde_json::Value;

/// The link key of the owner.
struct Link([u8; 32]);

impl Authenticator for Link {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Link && isopod_tag::verify(&self.0, nonce, message, tag)
    }
}

fn records() -> Vec<Value> {
    let vectors = include_str!("../../../spec/vectors/rounded.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    vectors["rounded_items"].as_array().unwrap().clone()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn link_key(record: &Value) -> [u8; 32] {
    bytes(&record["link_key"]).try_into().unwrap()
}

fn opened(record: &Value) -> EncryptedResult {
    let item = bytes(&record["item"]);
    let envelope = Envelope::read_only(&item).unwrap();
    let result = envelope
        .authenticate(&Link(link_key(record)))
        .unwrap()
        .result();
    result.unwrap()
}

/// The float64 patterns of the values.
fn patterns(record: &Value) -> Vec<u64> {
    let patterns = record["f64_bits"].as_array().unwrap().iter();
    patterns
        .map(|pattern| u64::from_str_radix(pattern.as_str().unwrap(), 16).unwrap())
        .collect()
}

fn integers(record: &Value) -> Vec<i32> {
    serde_json::from_value(record["s32"].clone()).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn values_are_those_of_the_known_answers() {
    let records = records();
    assert_eq!(records.len(), 3);
    for record in &records {
        let (result, item) = (opened(record), bytes(&record["item"]));
        let mut decryptor = Decryptor::new(&bytes(&record["secret"])).unwrap();
        assert_eq!(result.params.name, record["set"].as_str().unwrap());
        if decryptor.params().scheme() == Scheme::Bfv {
            let on_device = decryptor.decrypt_integers_sealed(&item, &link_key(record));
            assert_eq!(
                decryptor.decrypt_integers(&result).unwrap(),
                integers(record)
            );
            assert_eq!(on_device.unwrap(), integers(record));
            continue;
        }
        let bound = record["log2_bound"].as_i64().unwrap() as i8;
        let values = decryptor.decrypt(&result, Some(bound)).unwrap();
        let on_device = decryptor.decrypt_sealed(&item, &link_key(record), bound);
        assert_eq!(bits(values.for_owner_only()), patterns(record));
        assert_eq!(bits(on_device.unwrap().for_owner_only()), patterns(record));
    }
}

#[test]
fn results_are_written_as_they_were_read() {
    for record in &records() {
        let item = bytes(&record["item"]);
        let key = link_key(record);
        let unsealed = opened(record).encode().unwrap();
        let tag = isopod_tag::tag(&key, unsealed.nonce(), unsealed.message());
        assert_eq!(unsealed.with_tag(tag), item);
    }
}

/// Equal claims of a value in slot 0.
fn in_slots(result: &EncryptedResult) -> EncryptedResult {
    let zeros = vec![vec![0; result.params.ring_degree]; result.primes()];
    EncryptedResult {
        linear_tag: None,
        first: 0,
        grid: Grid {
            rows: 1,
            columns: 1,
            stride: 1,
        },
        rounded: None,
        c0: zeros.clone(),
        c1: zeros,
        ..result.clone()
    }
}

/// Scales around powers of two, those that are too large or too small for any bound among them.
fn scales() -> impl Iterator<Item = f64> {
    (-6..126).step_by(3).flat_map(|bits| {
        let power = f64::from(bits).exp2();
        [power.next_down(), power, power.next_up()]
    })
}

/// A server plans by `decoding` what the C library checks by itself.
#[test]
fn results_are_decoded_at_the_scales_and_bounds_that_are_planned() {
    for record in &records() {
        let rounded = opened(record);
        if rounded.params.scheme() == Scheme::Bfv {
            continue;
        }
        let mut decryptor = Decryptor::new(&bytes(&record["secret"])).unwrap();
        let mut is_refused = |result: &EncryptedResult, bound: Option<i8>| {
            let refused = decryptor.decrypt(result, bound).err();
            matches!(refused, Some(DeviceError::DecodeBound { .. }))
        };
        let mut seen = [0, 0];
        for mut result in [rounded.clone(), in_slots(&rounded)] {
            for (scale, bound) in scales().zip([1e-12, 1.0, 1e9, 1e300].into_iter().cycle()) {
                (result.scale, result.bound) = (scale, bound);
                let decoding = result.decoding();
                seen[usize::from(decoding.is_some())] += 1;
                assert_eq!(is_refused(&result, None), decoding.is_none(), "{scale:e}");
                if decoding.is_none() {
                    let bounds = [-60, -20, 20, 57];
                    let refused = bounds.map(|bound| is_refused(&result, Some(bound)));
                    assert_eq!(refused, [true; 4], "{scale:e}");
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
    }
}
