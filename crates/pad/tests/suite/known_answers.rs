//! Known answers of the model: items, keys, packets, sums and range keys.

use isopod_pad::{open_sum, Entry, FoldedSum, PadContext, PadReader, PadTree, Pads as _, RangeKey};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::support::{context_of, device_key, hex_of, master, name, packet, vectors, DEVICE};

fn tree_of(context: &PadContext) -> PadTree {
    PadTree::new(context, &master().device(DEVICE), 3).unwrap()
}

/// Value i of the rule s32 with t = 2 bound + 1.
fn integers(context: &PadContext) -> Vec<i64> {
    let (mut state, bound) = (12345u32, i128::from(context.bound));
    let next = |_| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (((i128::from(state) * (2 * bound + 1)) >> 32) - bound) as i64
    };
    (0..context.columns).map(next).collect()
}

fn check_packet(record: &Value, reader: &PadReader) {
    let (context, tree) = (reader.context(), tree_of(reader.context()));
    let name = name(DEVICE, 3, record["counter"].as_u64().unwrap());
    let wanted = hex_of(record, "packet");
    assert_eq!(tree.root().expose()[..], hex_of(record, "root"));
    assert_eq!(packet(reader, &tree, name, &integers(context)), wanted);
    let mut sum = FoldedSum::new(context);
    sum.add(name, 1, reader.read(name, &wanted).unwrap())
        .unwrap();
    assert_eq!(open_sum(&sum, &tree).unwrap(), integers(context));
}

#[test]
fn items_and_packets_are_those_of_the_model() {
    let vectors = vectors();
    let key = device_key(&vectors);
    for record in vectors["pads"].as_array().unwrap() {
        let (item, context) = (hex_of(record, "context"), context_of(record));
        assert_eq!(context.seal(&key, name(DEVICE, 3, 42)), item);
        let (reader, announced) = PadReader::open(&item, &key).unwrap();
        assert_eq!(
            (reader.context(), announced),
            (&context, name(DEVICE, 3, 42))
        );
        assert_eq!(reader.key().expose()[..], hex_of(record, "context_key"));
        assert_eq!(context.key_id[..], hex_of(record, "key"));
        check_packet(record, &reader);
    }
}

#[test]
fn a_range_key_opens_the_sum_of_its_runs() {
    let vectors = vectors();
    let record = &vectors["pad_sums"][0];
    let context = context_of(record);
    let reader = PadReader::new(context.clone(), &device_key(&vectors));
    let mut sum = FoldedSum::new(&context);
    let packets = hex_of(record, "packets");
    let mut packets = packets.chunks_exact(context.packet_bytes());
    for run in record["runs"].as_array().unwrap() {
        let [first, last, weight] = [0, 1, 2].map(|i| run[i].as_i64().unwrap());
        for sequence in first..=last {
            let name = name(DEVICE, 3, sequence as u64);
            let body = reader.read(name, packets.next().unwrap()).unwrap();
            sum.add(name, weight as i32, body).unwrap();
        }
    }
    let total: Vec<u64> = sum
        .total()
        .iter()
        .map(|&value| u64::from(value & 0xffff))
        .collect();
    assert_eq!(record["total"], Value::from(total));
    let (own, given) = (
        tree_of(&context).range(3, 250, 278).unwrap(),
        entries_of(record),
    );
    for (entry, wanted) in own.entries().iter().zip(&given) {
        assert_eq!((entry.depth, entry.number), (wanted.depth, wanted.number));
        assert_eq!(entry.bytes, wanted.bytes);
    }
    assert_eq!(own.entries().len(), given.len());
    let key = RangeKey::new(&context, 3, given).unwrap();
    assert_eq!(Value::from(open_sum(&sum, &key).unwrap()), record["true"]);
    assert!(key.pad(3, 249).is_err() && key.pad(3, 279).is_err() && key.pad(4, 250).is_err());
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
