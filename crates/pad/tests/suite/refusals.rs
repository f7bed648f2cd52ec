//! Hostile contexts, packets and range keys.

use isopod_keys::SecretKey;
use isopod_packet::seal_context;
use isopod_pad::{PadError, Pads as _, RangeKey};
use isopod_wire::{
    AnySet, Context, Naming, PacketForm, PadDescription, PadFrame, PadHeader, PadRange, WireError,
};

use crate::support::{header, key_id, name, pads, place, small};

/// A change of a context, and the field that then names the refusal.
type Case = (&'static str, fn(&mut PadHeader));

const CASES: [Case; 11] = [
    ("number", |header| header.description.number = 64),
    ("width", |header| header.description.width = 1),
    ("width", |header| header.description.width = 5),
    ("columns", |header| header.description.columns = 0),
    ("packet", |header| header.description.columns = 794),
    ("bound", |header| header.description.bound = 0),
    ("bound", |header| header.description.bound = 32768),
    ("device_bytes", |header| {
        header.description.form.device_bytes = 3
    }),
    ("device_bytes", |header| header.id.device = 65536),
    ("tag_bytes", |header| header.description.form.tag_bytes = 5),
    ("naming", |header| {
        header.description.form.naming = Naming::Random
    }),
];

#[test]
fn contexts_that_no_packets_have_are_refused_by_field() {
    for (wanted, change) in CASES {
        let mut header = header(small(2), name(7, 1, 0));
        change(&mut header);
        match Context::new_pad(&header) {
            Err(WireError::OutOfRange { field, .. } | WireError::Length { field, .. }) => {
                assert_eq!(field, wanted);
            }
            other => panic!("{wanted}: {other:?}"),
        }
    }
    let longest = PadDescription {
        columns: 793,
        ..small(2)
    };
    assert!(Context::new_pad(&header(longest, name(7, 1, 0))).is_ok());
}

#[test]
fn no_part_of_an_item_suffices_and_no_other_set_takes_it() {
    let key = SecretKey::from_bytes(&[9; 32]);
    let context = Context::new_pad(&header(small(3), name(7, 2, 300))).unwrap();
    let item = seal_context(&key, &context);
    let open = |item: &[u8], set| Context::open(item, set, |_, _, _| true);
    assert_eq!(open(&item, AnySet::Pads).unwrap(), context);
    for end in 0..item.len() {
        assert!(open(&item[..end], AnySet::Pads).is_err());
    }
    assert!(open(&[&item[..], &[0]].concat(), AnySet::Pads).is_err());
    for other in ["ckks-2048x1-air", "tfhe-2048-tfhe-rs"] {
        assert!(open(&item, AnySet::by_name(other).unwrap()).is_err());
    }
    let refused = Context::open(&item, AnySet::Pads, |_, _, _| false);
    assert_eq!(refused, Err(WireError::Tag));
}

#[test]
fn sequences_and_epochs_without_pads_are_refused() {
    let read = |description, epoch, sequence| {
        PadFrame::read(header(description, name(7, epoch, sequence)), &[0; 6])
    };
    let ratchet = PadDescription {
        ratchet: true,
        ..small(2)
    };
    assert!(read(small(2), 0, PadHeader::LAST).is_ok());
    assert!(read(small(2), 0, PadHeader::LAST + 1).is_err());
    assert!(read(ratchet, 1, 0).is_ok() && read(ratchet, 65_535, 0).is_ok());
    assert!(read(ratchet, 0, 0).is_err() && read(ratchet, 65_536, 0).is_err());
    assert!(PadFrame::read(header(small(2), name(7, 1, 1)), &[0; 7]).is_err());
}

#[test]
fn ranges_and_parts_of_other_lengths_are_refused() {
    let description = small(2);
    let at = place(&description, name(7, 1, 0));
    let tree = pads().tree(&at).unwrap();
    assert!(tree.range(1, 5, 4).is_err());
    let range = PadRange {
        key_id: key_id(),
        device: 7,
        description,
        epoch: 1,
        first: 3,
        last: 40,
    };
    let parts = tree.range(1, 3, 40).unwrap().parts();
    assert!(RangeKey::new(&range, &parts).is_ok());
    assert!(RangeKey::new(&range, &parts[1..]).is_err());
    assert!(RangeKey::new(&range, &[&parts[..], &[0]].concat()).is_err());
    let last = 2;
    assert!(RangeKey::new(&PadRange { last, ..range }, &parts).is_err());
    let whole = tree.range(1, 0, u32::MAX).unwrap();
    assert!(whole.entries().len() == 16 && whole.entries().iter().all(|entry| entry.depth == 1));
}

#[test]
fn a_range_key_is_of_one_device_and_one_context() {
    let description = small(2);
    let at = place(&description, name(7, 1, 5));
    let mut key = pads().tree(&at).unwrap().range(1, 0, 9).unwrap();
    assert!(key.pad(&at).is_ok());
    let other = PadDescription {
        form: PacketForm {
            tag_bytes: 4,
            ..description.form
        },
        ..description
    };
    for place in [
        place(&other, name(7, 1, 5)),
        place(&description, name(8, 1, 5)),
    ] {
        assert!(matches!(key.pad(&place), Err(PadError::Outside { .. })));
    }
}
