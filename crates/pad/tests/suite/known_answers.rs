//! Known answers of the model: items, keys, packets, sums and range keys.

use isopod_keys::SecretKey;
use isopod_packet::{seal_context, ContextKey};
use isopod_pad::{open_sum, Entry, PadAccumulator, Pads as _, RangeKey};
use isopod_wire::{
    AnySet, Context, Digested as _, PadDescription, PadFrame, PadGrant, PadRange, PadResult,
    PadSum, Provenance,
};
use serde_json::Value;
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::support::{
    description_of, device_key, header, hex_of, key_id, name, packet, pads, place, vectors, DEVICE,
};

/// Value i of the rule s32 with t = 2 bound + 1.
fn integers(description: &PadDescription) -> Vec<i64> {
    let (mut state, bound) = (12345u32, i128::from(description.bound));
    let next = |_| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (((i128::from(state) * (2 * bound + 1)) >> 32) - bound) as i64
    };
    (0..description.columns).map(next).collect()
}

#[test]
fn items_and_packets_are_those_of_the_model() {
    let vectors = vectors();
    let key = device_key(&vectors);
    for record in vectors["pads"].as_array().unwrap() {
        let (item, description) = (hex_of(record, "context"), description_of(record));
        let announced = name(DEVICE, 3, 42);
        let context = Context::new_pad(&header(description, announced)).unwrap();
        assert_eq!(seal_context(&key, &context), item);
        let read = Context::open(&item, AnySet::Pads, |device, _, _| device == DEVICE).unwrap();
        assert_eq!(
            (read.announced(), read.description()),
            (announced, context.description())
        );
        let context_key = ContextKey::new(&key, &context);
        assert_eq!(context_key.expose()[..], hex_of(record, "context_key"));
        assert_eq!(key_id()[..], hex_of(record, "key"));
        check_packet(record, &description);
    }
}

fn check_packet(record: &Value, description: &PadDescription) {
    let id = name(DEVICE, 3, record["counter"].as_u64().unwrap());
    let (header, wanted) = (header(*description, id), hex_of(record, "packet"));
    let tree = pads().tree(&place(description, id)).unwrap();
    assert_eq!(tree.root().expose()[..], hex_of(record, "root"));
    let values = integers(description);
    assert_eq!(packet(&device_key(&vectors()), &header, &values), wanted);
    let context = Context::new_pad(&header).unwrap();
    let body = context.split(&wanted).unwrap().body;
    let mut sum = PadAccumulator::default();
    sum.add(&PadFrame::read(header, body).unwrap(), 1).unwrap();
    let sum = sum.finish().unwrap().unwrap();
    assert_eq!(open_sum(&sum, &mut pads()).unwrap(), values);
}

#[test]
fn a_range_key_opens_the_sum_of_its_runs() {
    let vectors = vectors();
    let record = &vectors["pad_sums"][0];
    let description = description_of(record);
    let mut sum = PadAccumulator::default();
    let packets = hex_of(record, "packets");
    let context = Context::new_pad(&header(description, name(DEVICE, 3, 0))).unwrap();
    let mut packets = packets.chunks_exact(context.packet_bytes().unwrap());
    for run in record["runs"].as_array().unwrap() {
        let [first, last, weight] = [0, 1, 2].map(|i| run[i].as_i64().unwrap());
        for sequence in first..=last {
            let header = header(description, name(DEVICE, 3, sequence as u64));
            let body = context.split(packets.next().unwrap()).unwrap().body;
            let frame = PadFrame::read(header, body).unwrap();
            sum.add(&frame, weight as i32).unwrap();
        }
    }
    let sum = sum.finish().unwrap().unwrap();
    assert_eq!(record["total"], Value::from(sum.sums.clone()));
    let at = |epoch, sequence| place(&description, name(DEVICE, epoch, sequence));
    let tree = pads().tree(&at(3, 0)).unwrap();
    let (own, given) = (tree.range(3, 250, 278).unwrap(), entries_of(record));
    for (entry, wanted) in own.entries().iter().zip(&given) {
        assert_eq!((entry.depth, entry.number), (wanted.depth, wanted.number));
        assert_eq!(entry.bytes, wanted.bytes);
    }
    assert_eq!(own.entries().len(), given.len());
    let range = PadRange {
        key_id: key_id(),
        device: DEVICE,
        description,
        epoch: 3,
        first: 250,
        last: 278,
    };
    let parts: Vec<u8> = given
        .iter()
        .flat_map(|entry| entry.bytes.to_vec())
        .collect();
    assert_eq!(*own.parts(), parts);
    check_grant(record, &range, &parts);
    check_result(record, &sum);
    let mut key = RangeKey::new(&range, &parts).unwrap();
    let opened = open_sum(&sum, &mut key).unwrap();
    assert_eq!(Value::from(opened), record["true"]);
    for (epoch, sequence) in [(3, 249), (3, 279), (4, 250)] {
        assert!(key.pad(&at(epoch, sequence)).is_err());
    }
}

/// The fields of a sum in a result are the model's.
fn check_result(record: &Value, sum: &PadSum) {
    let result = PadResult {
        key_id: key_id(),
        nonce: [1; 16],
        provenance: Provenance {
            total: 1,
            job: "weighted".into(),
            frames: 27,
            ..Provenance::default()
        },
        sum: sum.clone(),
    };
    let encoded = result.encode().unwrap();
    assert!(encoded.message().ends_with(&hex_of(record, "sum")));
}

/// A grant is the model's, and what is read of it is what it was made of.
fn check_grant(record: &Value, range: &PadRange, parts: &[u8]) {
    let link = SecretKey::from_bytes(&hex_of(record, "link").try_into().unwrap());
    let reader = link.reader_key(&range.described());
    let mut grant = PadGrant {
        range: *range,
        reader: reader.expose(),
        parts,
        digest: &[0; 32],
    };
    let digest = Sha3_256::digest(grant.hashed()).into();
    grant.digest = &digest;
    let file = hex_of(record, "grant");
    assert_eq!(grant.write(), file);
    let read = PadGrant::read(&file).unwrap();
    assert_eq!(
        (read.range, read.reader, read.parts, read.digest),
        (grant.range, grant.reader, grant.parts, grant.digest)
    );
    for end in 0..file.len() {
        assert!(PadGrant::read(&file[..end]).is_err());
    }
}

fn entries_of(record: &Value) -> Vec<Entry> {
    let entry = |value: &Value| Entry {
        depth: value[0].as_u64().unwrap() as u32,
        number: value[1].as_u64().unwrap(),
        bytes: Zeroizing::new(hex::decode(value[2].as_str().unwrap()).unwrap()),
    };
    record["range_key"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect()
}

#[test]
fn the_set_of_pads_has_the_identity_of_its_label() {
    let digest = Sha3_256::digest(isopod_wire::codes::hash_label::PAD);
    assert_eq!(AnySet::Pads.set_id()[..], digest[..8]);
    assert_eq!(AnySet::by_name("pads"), Some(AnySet::Pads));
    assert_eq!(AnySet::by_id(AnySet::Pads.set_id()), Some(AnySet::Pads));
}
