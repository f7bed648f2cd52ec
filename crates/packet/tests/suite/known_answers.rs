//! Contexts, keys, tags and packets are those of `spec/vectors/packet.json`.
#![allow(clippy::unwrap_used)]

use crate::support::{name, server};
use isopod_keys::SecretKey;
use isopod_packet::{siphash_128, siphash_64, ContextKey, Contexts};
use isopod_wire::{pack, Context, Naming};
use serde_json::Value;

fn vectors() -> Value {
    let text = include_str!("../../../../spec/vectors/packet.json");
    serde_json::from_str(text).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn siphashes_of_both_lengths() {
    let key: [u8; 16] = std::array::from_fn(|at| at as u8);
    for record in vectors()["siphashes"].as_array().unwrap() {
        let message: Vec<u8> = (0..number(&record["length"])).map(|at| at as u8).collect();
        assert_eq!(siphash_64(&key, &message)[..], bytes(&record["sip64"]));
        assert_eq!(siphash_128(&key, &message)[..], bytes(&record["sip128"]));
    }
}

#[test]
fn packets_become_the_frames_that_they_were() {
    let vectors = vectors();
    let sender = &vectors["sender"];
    let (device, epoch) = (number(&sender["device"]), number(&sender["epoch"]) as u32);
    let records = vectors["packets"].as_array().unwrap();
    assert!(records.len() >= 12);
    for record in records {
        let (item, packet) = (bytes(&record["context"]), bytes(&record["packet"]));
        let context = Context::open(&item, |_, _, _| true).unwrap();
        let keys = server(record["set"].as_str().unwrap(), context.header().key_id);
        assert_eq!(
            keys.device_key(device).expose()[..],
            bytes(&sender["device_key"])
        );
        let key = ContextKey::new(&keys.device_key(device), &context);
        assert_eq!(key.expose()[..], bytes(&record["context_key"]));
        let again = Context::new(context.header(), context.number(), context.form()).unwrap();
        assert_eq!(again, context, "what is written is what was read");

        let mut contexts = Contexts::new(&keys);
        contexts.register(&item).unwrap();
        let counter = number(&record["counter"]);
        let sequence = match context.form().naming {
            Naming::Random => 1 << 63 | u64::from(context.number()) << 32 | counter,
            Naming::Sequence => {
                contexts.observe(name(device, epoch, counter.saturating_sub(1)));
                counter
            }
        };
        let transport = (context.form().device_bytes == 0).then_some(device);
        let frame = contexts.open(transport, &packet).unwrap();
        assert_eq!(frame.header.id, name(device, epoch, sequence));
        let modulus = frame.header.modulus().unwrap();
        let dropped = frame.header.rounding.unwrap().dropped[0];
        let sent: Vec<u64> = frame.c0.iter().map(|value| value >> dropped).collect();
        let packed = pack(modulus.ilog2() + 1 - u32::from(dropped), &sent);
        assert_eq!(packed, context.split(&packet).unwrap().body);
    }
}

#[test]
fn a_device_key_is_that_of_the_master() {
    let vectors = vectors();
    let key = SecretKey::from_bytes(&crate::support::master());
    let found = key.device_key(number(&vectors["sender"]["device"]));
    assert_eq!(found.expose()[..], bytes(&vectors["sender"]["device_key"]));
}
