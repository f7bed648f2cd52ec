//! Receipts: the known answers of `spec/vectors/streams.json`, and what is none.
#![allow(clippy::unwrap_used)]

use isopod_keys::SecretKey;
use isopod_wire::{FrameId, Outcome, Receipt, WireError};
use serde_json::Value;

/// N bytes start, start + 1, ...
fn counted<const N: usize>(start: &Value) -> [u8; N] {
    let start = start.as_u64().unwrap() as u8;
    std::array::from_fn(|at| start + at as u8)
}

fn known() -> Vec<(SecretKey, Receipt, Vec<u8>)> {
    let text = include_str!("../../../../spec/vectors/streams.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let number = |record: &Value, name: &str| record[name].as_u64().unwrap();
    let read = |record: &Value| {
        let frame = FrameId {
            device: number(record, "device"),
            epoch: number(record, "epoch") as u32,
            sequence: number(record, "sequence"),
        };
        let digits = record["hex"].as_str().unwrap().as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        let receipt = Receipt {
            key_id: counted(&record["key_id_start"]),
            frame,
            outcome: Outcome::ALL[number(record, "outcome") as usize - 1],
        };
        let key = SecretKey::from_bytes(&counted(&record["device_key_start"]));
        let bytes = digits.map(|pair| byte(pair).unwrap()).collect();
        (key, receipt, bytes)
    };
    vectors["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .map(read)
        .collect()
}

#[test]
fn known_answers_are_written_and_read() {
    let known = known();
    assert_eq!(known.len(), 12);
    for (key, receipt, bytes) in known {
        assert_eq!(key.receipt(&receipt), bytes);
        assert_eq!(
            key.open_receipt(receipt.frame.device, &bytes).unwrap(),
            receipt
        );
        assert_eq!(bytes.len(), Receipt::BYTES);
    }
}

#[test]
fn every_changed_bit_and_every_other_device_is_refused() {
    let (key, receipt, bytes) = known().remove(4);
    let device = receipt.frame.device;
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(key.open_receipt(device, &changed).is_err(), "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert!(
            key.open_receipt(device, &bytes[..length]).is_err(),
            "length {length}"
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(
        key.open_receipt(device, &longer),
        Err(WireError::TrailingBytes { .. })
    ));
    assert!(matches!(
        key.open_receipt(device + 1, &bytes),
        Err(WireError::Tag)
    ));
    let other = SecretKey::random().unwrap();
    assert!(matches!(
        other.open_receipt(device, &bytes),
        Err(WireError::Tag)
    ));
}
