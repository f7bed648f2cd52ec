//! Frames from packed parts: in any order, each once, all of one header.
#![allow(clippy::unwrap_used)]

use crate::support::{header, part, Anyone, Numbers};
use isopod_wire::{
    Authentic, Envelope, FrameHeader, Kind, Mask, PackedFrame, PackedPart, Part, Result, Suite,
    WireError,
};

const SET: &str = "ckks-4096x3-multiply";

fn parts(header: &FrameHeader) -> Vec<Part> {
    (0..header.parts)
        .map(|number| part(header, number, &mut Numbers(u64::from(number))))
        .collect()
}

fn items(parts: &[Part]) -> Vec<Vec<u8>> {
    let item = |part: &Part| part.encode().unwrap().with_tag([0; 16]);
    parts.iter().map(item).collect()
}

fn packed(item: &[u8]) -> PackedPart<'_> {
    let item: Authentic<Envelope<'_>> = Envelope::read_only(item)
        .unwrap()
        .authenticate(&Anyone)
        .unwrap();
    item.packed_part().unwrap()
}

fn frame<'a>(items: impl IntoIterator<Item = &'a Vec<u8>>) -> Result<PackedFrame<'a>> {
    PackedFrame::new(items.into_iter().map(|item| packed(item)).collect())
}

#[test]
fn every_order_gives_the_same_frame() {
    let header = header(SET, Kind::PublicKey, Suite::Chacha20);
    let parts = parts(&header);
    let items = items(&parts);
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for order in orders {
        let frame = frame(order.map(|at: usize| &items[at])).unwrap();
        let frame = frame.unpack().unwrap();
        let c1 = parts.iter().map(|part| part.c1.clone().unwrap()).collect();
        assert_eq!(
            (frame.header, frame.mask),
            (header.clone(), Mask::Polynomials(c1))
        );
        assert!(frame.c0.iter().zip(&parts).all(|(c0, part)| c0 == &part.c0));
    }
}

#[test]
fn a_frame_of_a_lower_level_is_complete_with_its_parts() {
    let mut header = header(SET, Kind::SecretKey, Suite::SealShake256);
    header.parts = 2;
    let items = items(&parts(&header));
    let frame = frame(items.iter().rev()).unwrap().unpack().unwrap();
    assert_eq!(frame.c0.len(), 2);
    let (suite, seed) = (Suite::SealShake256, vec![9; 64]);
    assert_eq!(frame.mask, Mask::Seed { suite, seed });
}

#[test]
fn a_missing_or_repeated_part_is_named() {
    let items = items(&parts(&header(SET, Kind::SecretKey, Suite::Chacha20)));
    let (device, epoch, sequence) = (7, 3, 1000);
    let missing = vec![0, 1];
    let named = WireError::MissingParts {
        device,
        epoch,
        sequence,
        missing,
    };
    assert_eq!(frame([&items[2]]).unwrap_err(), named);
    let part = 1;
    let named = WireError::Duplicate {
        device,
        epoch,
        sequence,
        part,
    };
    assert_eq!(frame([&items[1], &items[0], &items[1]]).unwrap_err(), named);
    assert!(frame([]).is_err());
}

#[test]
fn headers_have_to_agree() {
    let header = header(SET, Kind::PublicKey, Suite::Chacha20);
    let first = items(&parts(&header)).remove(0);
    type Change = (&'static str, fn(&mut FrameHeader));
    let changes: [Change; 8] = [
        ("suite", |h| h.suite = Suite::Shake256),
        ("key", |h| h.key_id[0] ^= 1),
        ("sequence", |h| h.id.epoch += 1),
        ("nonce", |h| h.nonce[15] ^= 1),
        ("interleave", |h| h.interleave = 4),
        ("log2_scale", |h| h.log2_scale += 1),
        ("parts", |h| h.parts -= 1),
        ("bound", |h| h.claims.bound += 1),
    ];
    for (field, change) in changes {
        let mut other = header.clone();
        change(&mut other);
        let second = items(&parts(&other)).remove(1);
        let refused = frame([&first, &second]).unwrap_err();
        assert_eq!(refused, WireError::Mismatch { field });
    }
}
