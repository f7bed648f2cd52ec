//! Contexts, keys, tags and packets are those of `spec/vectors/packet.json`.
#![allow(clippy::unwrap_used)]

use crate::support::{name, server, Store};
use isopod_keys::SecretKey;
use isopod_packet::{siphash_128, siphash_64, ContextKey};
use isopod_wire::{pack, AnySet, Context, DeviceItem, FrameId, Naming, PacketHeader};
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

/// The keys of the server, and the context of a record.
fn registered(sender: &Value, record: &Value) -> (Store, Context) {
    let set = AnySet::by_name(record["set"].as_str().unwrap()).unwrap();
    let item = bytes(&record["context"]);
    let context = Context::open(&item, set, |_, _, _| true).unwrap();
    let mut store = Store::new(server(record["set"].as_str().unwrap(), context.key_id()));
    let device_key = store.keys.device_key(context.device());
    assert_eq!(device_key.expose()[..], bytes(&sender["device_key"]));
    let key = ContextKey::new(&device_key, &context);
    assert_eq!(key.expose()[..], bytes(&record["context_key"]));
    let again = match context.header() {
        PacketHeader::Rns(header) => Context::new(header, context.number(), context.form()),
        PacketHeader::Tfhe(header) => Context::new_tfhe(header, context.number(), context.form()),
        PacketHeader::Pad(header) => Context::new_pad(header),
    };
    assert_eq!(again.unwrap(), context, "what is written is what was read");
    store.register(&item).unwrap();
    (store, context)
}

/// The name that a record's packet must get; the server learns the one before it.
fn expected(store: &mut Store, context: &Context, record: &Value) -> FrameId {
    let counter = number(&record["counter"]);
    let announced = context.announced();
    let sequence = match context.form().naming {
        Naming::Random => FrameId::RANDOM | u64::from(context.number()) << 32 | counter,
        Naming::Sequence => counter,
    };
    if context.form().naming == Naming::Sequence {
        let before = counter.saturating_sub(1);
        store.observe(name(announced.device, announced.epoch, before));
    }
    name(announced.device, announced.epoch, sequence)
}

#[test]
fn packets_become_the_frames_that_they_were() {
    let vectors = vectors();
    let records = vectors["packets"].as_array().unwrap();
    assert!(records.len() >= 12);
    for record in records {
        let (mut store, context) = registered(&vectors["sender"], record);
        let expected = expected(&mut store, &context, record);
        let packet = bytes(&record["packet"]);
        let transport = (context.form().device_bytes == 0).then_some(context.device());
        let frame = store.open(transport, &packet).unwrap();
        assert_eq!(frame.header.id, expected);
        let modulus = frame.header.modulus().unwrap();
        let dropped = frame.header.rounding.unwrap().dropped[0];
        let sent: Vec<u64> = frame.c0.iter().map(|value| value >> dropped).collect();
        let packed = pack(modulus.ilog2() + 1 - u32::from(dropped), &sent);
        assert_eq!(packed, context.split(&packet).unwrap().body);
    }
}

#[test]
fn packets_of_tfhe_become_the_frames_that_they_were() {
    let vectors = vectors();
    let records = vectors["tfhe_packets"].as_array().unwrap();
    assert!(records.len() >= 2);
    for record in records {
        let (mut store, context) = registered(&vectors["sender"], record);
        let expected = expected(&mut store, &context, record);
        let packet = bytes(&record["packet"]);
        let name = store.name(None, &packet).unwrap();
        assert_eq!(name, expected);
        let Ok(DeviceItem::Frame(frame)) = store.contexts.open(name, &packet) else {
            panic!("no frame of TFHE");
        };
        assert_eq!((frame.header.id, frame.mask.is_none()), (expected, true));
        let key = ContextKey::new(&store.keys.device_key(name.device), &context);
        assert_eq!(
            frame.header.nonce[..],
            key.packet_keys(name).mask_seed[..16]
        );
        let shift = frame.header.params.log2_modulus - 16;
        let body: Vec<u8> = frame
            .bodies
            .iter()
            .flat_map(|word| ((word >> shift) as u16).to_le_bytes())
            .collect();
        assert_eq!(body, context.split(&packet).unwrap().body);
        assert!(frame.bodies.iter().all(|word| word % (1 << shift) == 0));
    }
}

#[test]
fn a_device_key_is_that_of_the_master() {
    let vectors = vectors();
    let key = SecretKey::from_bytes(&crate::support::master());
    let found = key.device_key(number(&vectors["sender"]["device"]));
    assert_eq!(found.expose()[..], bytes(&vectors["sender"]["device_key"]));
}
