//! Hostile items, packets and range keys.

use isopod_keys::SecretKey;
use isopod_pad::{Entry, FoldedSum, PadContext, PadError, PadReader, PadTree, RangeKey};
use zeroize::Zeroizing;

use crate::support::{context, master, name, packet};

fn key() -> SecretKey {
    SecretKey::from_bytes(&[9; 32])
}

#[test]
fn every_bit_of_an_item_counts_and_no_part_of_it_suffices() {
    let context = PadContext {
        packing: vec![4; 16],
        ..context(7, 3)
    };
    let item = context.seal(&key(), name(7, 2, 300));
    assert_eq!(
        PadContext::open(&item, &key()).unwrap(),
        (context, name(7, 2, 300))
    );
    for bit in 0..8 * item.len() {
        let mut changed = item.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(PadContext::open(&changed, &key()).is_err(), "bit {bit}");
    }
    for end in 0..item.len() {
        assert!(PadContext::open(&item[..end], &key()).is_err());
    }
    assert!(PadContext::open(&[&item[..], &[0]].concat(), &key()).is_err());
    assert_eq!(
        PadContext::open(&item, &SecretKey::from_bytes(&[8; 32])),
        Err(PadError::Tag)
    );
}

/// A change of a context, and the field that then names the refusal.
type Case = (&'static str, fn(&mut PadContext));

const CASES: [Case; 11] = [
    ("number", |context| context.number = 64),
    ("width", |context| context.width = 1),
    ("width", |context| context.width = 5),
    ("columns", |context| context.columns = 0),
    ("packet", |context| context.columns = 794),
    ("bound", |context| context.bound = 0),
    ("bound", |context| context.bound = 32768),
    ("device_bytes", |context| context.device_bytes = 3),
    ("device_bytes", |context| context.device = 65536),
    ("tag_bytes", |context| context.tag_bytes = 5),
    ("packing", |context| context.packing = vec![1; 15]),
];

#[test]
fn authentic_items_of_no_context_are_refused_by_field() {
    for (wanted, change) in CASES {
        let mut context = context(7, 2);
        change(&mut context);
        let item = context.seal(&key(), name(context.device, 1, 0));
        match PadContext::open(&item, &key()) {
            Err(PadError::Field { field, .. }) => assert_eq!(field, wanted),
            other => panic!("{wanted}: {other:?}"),
        }
    }
    let mut longest = context(7, 2);
    longest.columns = 793;
    assert!(longest.check().is_ok());
}

#[test]
fn every_bit_of_a_packet_counts_and_so_does_its_name() {
    for tag_bytes in [4, 8, 16] {
        let context = PadContext {
            tag_bytes,
            ..context(7, 2)
        };
        let tree = PadTree::new(&context, &master().device(7), 1).unwrap();
        let reader = PadReader::new(context, &key());
        let bytes = packet(&reader, &tree, name(7, 1, 70_000), &[1, 2, 3]);
        assert_eq!(reader.read(name(7, 1, 70_000), &bytes).unwrap().len(), 6);
        assert_eq!(reader.counter(&bytes).unwrap(), 70_000u32 as u16);
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(
                reader.read(name(7, 1, 70_000), &changed).is_err(),
                "bit {bit}"
            );
        }
        for other in [
            name(7, 1, 70_001),
            name(7, 1, 70_000 - 65_536),
            name(7, 2, 70_000),
            name(8, 1, 70_000),
        ] {
            assert_eq!(reader.read(other, &bytes), Err(PadError::Tag));
        }
        assert!(reader.read(name(7, 1, 70_000), &bytes[1..]).is_err());
        assert!(reader.read(name(7, 1, 70_000), &[]).is_err());
    }
}

#[test]
fn bodies_ranges_and_parts_of_other_lengths_are_refused() {
    let context = context(7, 2);
    let tree = PadTree::new(&context, &master().device(7), 1).unwrap();
    assert!(FoldedSum::new(&context)
        .add(name(7, 1, 1), 1, &[0; 7])
        .is_err());
    for (first, last) in [(5, 4), (0, 1 << 32)] {
        assert!(tree.range(1, first, last).is_err());
    }
    for (depth, length) in [(0, 32), (9, 6), (8, 32), (7, 6)] {
        let entry = Entry {
            depth,
            number: 0,
            bytes: Zeroizing::new(vec![0; length]),
        };
        assert!(RangeKey::new(&context, 1, vec![entry]).is_err());
    }
    let whole = tree.range(1, 0, (1 << 32) - 1).unwrap();
    assert!(whole.entries().len() == 16 && whole.entries().iter().all(|entry| entry.depth == 1));
}
