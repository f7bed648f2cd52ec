//! Known answers of the model: secrets, points, pads and sums; and claims that are false.
#![allow(missing_docs, clippy::unwrap_used)]

use isopod_keys::{linear_pad_key, linear_point, SecretKey};
use isopod_verify::{Pads, Shape};
use isopod_wire::LinearTag;
use serde_json::Value;

use crate::support::owner;

fn vectors() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../spec/vectors/linear_tag.json"
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn number(record: &Value, field: &str) -> u64 {
    record[field].as_u64().unwrap()
}

fn secret(record: &Value, field: &str) -> SecretKey {
    let bytes = hex::decode(record[field].as_str().unwrap()).unwrap();
    SecretKey::from_bytes(bytes[..].try_into().unwrap())
}

fn shape(record: &Value) -> Shape {
    let packing = hex::decode(record["packing"].as_str().unwrap()).unwrap();
    Shape {
        columns: number(record, "columns") as u32,
        stride: number(record, "stride") as u32,
        packing: packing[..].try_into().ok(),
        log2_unit: record["log2_unit"].as_i64().unwrap() as i8,
    }
}

#[test]
fn points_and_pad_keys_are_those_of_the_model() {
    for record in vectors()["linear_keys"].as_array().unwrap() {
        let point = linear_point(&secret(record, "group_secret"));
        assert_eq!(*point, number(record, "point"));
        let pad_key = linear_pad_key(&secret(record, "device_secret"));
        assert!(pad_key.expose() == secret(record, "pad_key").expose());
    }
}

#[test]
fn pads_are_those_of_the_model() {
    let vectors = vectors();
    let [pad_key, other_key] = [1, 2].map(|at| secret(&vectors["linear_keys"][at], "pad_key"));
    for record in vectors["linear_pads"].as_array().unwrap() {
        let epoch = number(record, "epoch") as u32;
        let mut pads = Pads::new(&pad_key, &shape(record), epoch);
        let sequence = number(record, "sequence");
        assert_eq!(pads.pad(sequence), number(record, "pad"), "{record}");
        // Whatever was asked for before.
        pads.pad(sequence / 2);
        let pad = pads.pad(sequence);
        assert_eq!(pad, number(record, "pad"), "{record}");
        let other = Pads::new(&other_key, &shape(record), epoch).pad(sequence);
        let shared = (pad + other) % LinearTag::MODULUS;
        assert_eq!(shared, number(record, "shared"), "{record}");
    }
}

fn tag(hex: &Value) -> LinearTag {
    let word = hex::decode(hex.as_str().unwrap()).unwrap();
    let word = u64::from_le_bytes(word[..].try_into().unwrap());
    LinearTag::new((word >> 61) as u32, word & LinearTag::MODULUS)
}

#[test]
fn weighted_sums_fold_as_in_the_model() {
    for record in vectors()["linear_sums"].as_array().unwrap() {
        let mut sum = LinearTag::new(number(record, "period") as u32, 0);
        let tags = record["tags"].as_array().unwrap();
        for (frame, hex) in record["entered"].as_array().unwrap().iter().zip(tags) {
            sum = sum.plus(tag(hex), frame[3].as_i64().unwrap()).unwrap();
        }
        assert_eq!(sum, tag(&record["linear_tag"]));
        assert!(sum.plus(LinearTag::new(sum.period() + 1, 0), 1).is_none());
    }
}

#[test]
fn sums_of_columns_fold_and_are_proved_as_in_the_model() {
    for record in vectors()["linear_column_sums"].as_array().unwrap() {
        let mut sum = LinearTag::new(number(record, "period") as u32, 0);
        for hex in record["tags"].as_array().unwrap() {
            sum = sum.plus(tag(hex), 1).unwrap();
        }
        assert_eq!(sum, tag(&record["linear_tag"]));
        // The tag less the pads is the polynomial of the sums, which begins with the number of rows.
        let p = i128::from(LinearTag::MODULUS);
        let point = i128::from(number(record, "point"));
        let is_of_rows = shape(record)
            == Shape {
                log2_unit: 0,
                ..Shape::of_rows(number(record, "columns") as u32, shape(record).packing)
            };
        let rows = i128::from(number(record, "rows")) * i128::from(is_of_rows);
        let values = record["values"].as_array().unwrap().iter();
        let polynomial = values.fold(rows, |sum, value| {
            (sum * point + i128::from(value.as_i64().unwrap())).rem_euclid(p)
        });
        let hidden = (record["entered"].as_array().unwrap().iter()).map(|frame| {
            let device = frame[0].as_u64().unwrap();
            let keys = &vectors()["linear_keys"];
            let key = keys.as_array().unwrap().iter().find(|key| {
                (number(key, "device"), number(key, "period")) == (device, number(record, "period"))
            });
            let mut pads = Pads::new(
                &secret(key.unwrap(), "pad_key"),
                &shape(record),
                frame[1].as_u64().unwrap() as u32,
            );
            i128::from(pads.pad(frame[2].as_u64().unwrap()))
        });
        let found = (polynomial * point + hidden.sum::<i128>()).rem_euclid(p);
        assert_eq!(found as u64, sum.number());
    }
}

/// The secrets of the model follow from a payload that is no blob: here, only that an owner's keys give some.
#[test]
fn every_device_period_and_group_has_secrets_of_its_own() {
    let pair = owner();
    let master = pair.linear_master().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for (group, device, period) in [(0, 1, 0), (1, 1, 0), (0, 2, 0), (0, 1, 1), (1, 2, 1)] {
        let secrets = master.secrets(group, device, period);
        seen.insert((*secrets.group.expose(), *secrets.device.expose()));
    }
    assert_eq!(seen.len(), 5);
}
