//! Malformed parts: each is refused with its own error, and no altered part is accepted.
#![allow(clippy::unwrap_used)]

use crate::support::{header, open, part, replace, result, Anyone, Checksum, Numbers};
use isopod_wire::{by_name, Envelope, FrameHeader, Kind, Layout, Part, Suite, WireError};

const SET: &str = "ckks-1024x1-sum";
const PRIME: u64 = 67104769;

fn good() -> Part {
    part(
        &header(SET, Kind::PublicKey, Suite::Chacha20),
        0,
        &mut Numbers(3),
    )
}

fn good_bytes() -> Vec<u8> {
    Checksum::seal(good().encode().unwrap())
}

/// Reads a part whatever its tag.
fn forced(bytes: &[u8]) -> Result<Part, WireError> {
    Envelope::read_only(bytes)?.authenticate(&Anyone)?.part()
}

fn name<T>(result: Result<T, WireError>) -> &'static str {
    result.err().map_or("no error", |error| error.name())
}

/// Offset of each field in [`good_bytes`], from that of the field before and its encoded length.
const SET_AT: usize = 4;
const SUITE_AT: usize = SET_AT + 9;
const KEY_AT: usize = SUITE_AT + 1;
const DEVICE_AT: usize = KEY_AT + 17;
const EPOCH_AT: usize = DEVICE_AT + 1;
const SEQUENCE_AT: usize = EPOCH_AT + 1;
const NONCE_AT: usize = SEQUENCE_AT + 3;
const PART_AT: usize = NONCE_AT + 17;
const PARTS_AT: usize = PART_AT + 1;
const INTERLEAVE_AT: usize = PARTS_AT + 1;
const SCALE_AT: usize = INTERLEAVE_AT + 1;
const COUNT_AT: usize = SCALE_AT + 1;
const LAYOUT_AT: usize = COUNT_AT + 1;
const BOUND_AT: usize = LAYOUT_AT + 1;
const STRIDE_AT: usize = BOUND_AT + 1;
const BUCKETS_AT: usize = STRIDE_AT + 1;
const PACKING_AT: usize = BUCKETS_AT + 1;
const RUN_AT: usize = PACKING_AT + 1;
const SEED_AT: usize = RUN_AT + 3;
const RESIDUES_AT: usize = SEED_AT + 1;

fn with(at: usize, old: &[u8], new: &[u8]) -> Vec<u8> {
    let bytes = good_bytes();
    assert_eq!(&bytes[at..at + old.len()], old, "offset {at}");
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

#[test]
fn every_truncation() {
    let bytes = good_bytes();
    for length in (0..100).chain((100..bytes.len()).step_by(97)) {
        assert_eq!(
            name(Envelope::read(&bytes[..length])),
            "truncated",
            "{length}"
        );
    }
    assert!(open(&bytes).is_ok());
}

#[test]
fn a_prefix_tells_the_least_length_of_its_item() {
    let bytes = good_bytes();
    let mut before = 0;
    for length in 0..=bytes.len() {
        let least = Envelope::least_bytes(&bytes[..length]);
        assert!(
            before <= least && least <= bytes.len(),
            "{length} bytes: {least}"
        );
        assert!(
            least > length || length == bytes.len(),
            "{length} bytes: {least}"
        );
        before = least;
    }
    assert_eq!(Envelope::least_bytes(&bytes[..400]), bytes.len());
    let longer = [&bytes[..], &bytes].concat();
    assert_eq!(Envelope::least_bytes(&longer), bytes.len());
}

#[test]
fn trailing_bytes_and_sequences() {
    let twice = [good_bytes(), good_bytes()].concat();
    assert_eq!(name(Envelope::read_only(&twice)), "trailing_bytes");
    let (_, rest) = Envelope::read(&twice).unwrap();
    assert_eq!(rest, good_bytes());
}

#[test]
fn any_changed_bit_fails_authentication_or_grammar() {
    let bytes = good_bytes();
    for at in (0..RESIDUES_AT + 8).chain(bytes.len() - 20..bytes.len()) {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            assert!(open(&changed).is_err(), "byte {at} bit {bit}");
        }
    }
}

#[test]
fn a_wrong_key_is_a_tag_error() {
    let mut bytes = good_bytes();
    *bytes.last_mut().unwrap() ^= 1;
    assert_eq!(name(open(&bytes).map(drop)), "tag");
    let other_device = with(DEVICE_AT, &[7], &[8]);
    assert_eq!(name(open(&other_device).map(drop)), "tag");
}

#[test]
fn encodings_other_than_the_deterministic_one() {
    let cases = [
        with(0, &[0x98], &[0x99, 0]),
        with(0, &[0x98, 25], &[0x9f]),
        with(2, &[2], &[0x18, 2]),
        with(3, &[1], &[0x19, 0, 1]),
        with(SET_AT, &[0x48], &[0x58, 8]),
        with(SET_AT, &[0x48], &[0x5f]),
        with(DEVICE_AT, &[7], &[0x1b, 0, 0, 0, 0, 0, 0, 0, 7]),
        with(SEQUENCE_AT, &[0x19, 3, 232], &[0x1a, 0, 0, 3, 232]),
        with(PART_AT, &[0], &[0x1c]),
        with(SEED_AT, &[0x40], &[0x58, 0]),
        with(RESIDUES_AT, &[0x59, 26, 0], &[0x5a, 0, 0, 26, 0]),
    ];
    for (number, bytes) in cases.iter().enumerate() {
        assert_eq!(name(forced(bytes)), "not_canonical", "case {number}");
    }
}

#[test]
fn fields_of_another_type() {
    let types = [
        with(0, &[0x98, 25], &[0xb1]),
        with(2, &[2], &[0x20]),
        with(SUITE_AT, &[1], &[0xf5]),
        with(KEY_AT, &[0x50], &[0x70]),
        with(SEED_AT, &[0x40], &[0xf6]),
    ];
    for (number, bytes) in types.iter().enumerate() {
        assert_eq!(name(forced(bytes)), "wrong_type", "case {number}");
    }
}

#[test]
fn unknown_numbers_and_names() {
    assert_eq!(
        forced(&with(2, &[2], &[3])),
        Err(WireError::UnknownVersion { found: 3 })
    );
    for kind in [0, 3, 4, 7, 16] {
        let refused = name(forced(&with(3, &[1], &[kind])));
        let expected = if kind == 16 { "length" } else { "unknown_kind" };
        assert_eq!(refused, expected, "kind {kind}");
    }
    assert_eq!(name(forced(&with(SUITE_AT, &[1], &[4]))), "unknown_suite");
    assert_eq!(name(forced(&with(SUITE_AT, &[1], &[0]))), "unknown_suite");
    let set = by_name(SET).unwrap().set_id;
    let unknown = replace(&good_bytes(), &set, &[0; 8]);
    assert_eq!(
        forced(&unknown),
        Err(WireError::UnknownSet {
            found: "0000000000000000".into()
        })
    );
}

#[test]
fn lengths_that_the_set_does_not_have() {
    assert_eq!(name(forced(&with(0, &[0x98, 25], &[0x90]))), "length");
    assert_eq!(name(forced(&with(SET_AT, &[0x48], &[0x47]))), "length");
    assert_eq!(name(forced(&with(SEED_AT, &[0x40], &[0x41, 0]))), "length");
    assert_eq!(name(forced(&with(PARTS_AT, &[1], &[2]))), "length");
    assert_eq!(name(forced(&with(PARTS_AT, &[1], &[0]))), "length");
    let shorter = replace(
        &with(RESIDUES_AT, &[0x59, 26, 0], &[0x59, 25, 255]),
        &good_bytes()[RESIDUES_AT + 3..RESIDUES_AT + 4],
        &[],
    );
    let error = forced(&shorter).unwrap_err();
    assert_eq!(
        error,
        WireError::Length {
            field: "residues",
            found: 6655,
            allowed: "6656".into()
        }
    );
    let other_set = by_name("ckks-2048x1-sum").unwrap().set_id;
    let wrong_set = replace(&good_bytes(), &by_name(SET).unwrap().set_id, &other_set);
    assert_eq!(name(forced(&wrong_set)), "length");
}

#[test]
fn a_claimed_length_is_capped_before_anything_is_taken() {
    let huge = with(
        RESIDUES_AT,
        &[0x59, 26, 0],
        &[0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    );
    assert_eq!(name(forced(&huge)), "length");
    assert_eq!(name(forced(&with(SEED_AT, &[0x40], &[0x58, 65]))), "length");
}

#[test]
fn values_out_of_range() {
    let cases: &[(usize, &[u8], &[u8], &str)] = &[
        (
            EPOCH_AT,
            &[3],
            &[0x1b, 0, 0, 0, 1, 0, 0, 0, 0],
            "epoch: 4294967296",
        ),
        (PART_AT, &[0], &[1], "part: 1 "),
        (PART_AT, &[0], &[0x1a, 0, 1, 0, 0], "part: 65536"),
        (INTERLEAVE_AT, &[1], &[3], "interleave: 3"),
        (INTERLEAVE_AT, &[1], &[16], "interleave: 16"),
        (INTERLEAVE_AT, &[1], &[0], "interleave: 0"),
        (
            SCALE_AT,
            &[18],
            &[9],
            "log2_scale: 9 is out of range; allowed is 10 to 22",
        ),
        (SCALE_AT, &[18], &[23], "log2_scale: 23"),
        (
            COUNT_AT,
            &[5],
            &[0],
            "count: 0 is out of range; allowed is 1 to 512",
        ),
        (COUNT_AT, &[5], &[0x19, 2, 1], "count: 513"),
        (
            LAYOUT_AT,
            &[0],
            &[6],
            "layout: 6 is out of range; allowed is 0 to 5 or 8 to 11",
        ),
        (
            COUNT_AT,
            &[5, 0],
            &[5, 1],
            "count: 5 is out of range; allowed is a power of two",
        ),
        (COUNT_AT, &[5, 0], &[6, 3], "count: 6"),
        (
            COUNT_AT,
            &[5, 0],
            &[0x19, 4, 1, 4],
            "count: 1025 is out of range; allowed is 1 to 1024",
        ),
    ];
    for (at, old, new, text) in cases {
        let error = forced(&with(*at, old, new)).unwrap_err();
        assert_eq!(error.name(), "out_of_range");
        assert!(error.to_string().starts_with(text), "{error} / {text}");
    }
    assert!(forced(&with(COUNT_AT, &[5], &[0x19, 2, 0])).is_ok());
    assert!(forced(&with(COUNT_AT, &[5, 0, 4, 5], &[8, 1, 4, 8])).is_ok());
    assert!(forced(&with(COUNT_AT, &[5, 0], &[0x19, 4, 0, 4])).is_ok());
}

#[test]
fn a_dither_is_a_layout_of_real_and_complex_slots() {
    for (number, layout) in [8, 9, 10, 11].into_iter().zip(Layout::ALL) {
        let bytes = with(COUNT_AT, &[5, 0, 4, 5], &[8, number, 4, 8]);
        let read = forced(&bytes).unwrap();
        assert_eq!((read.header.layout, read.header.dithered), (layout, true));
        assert_eq!(read.encode().unwrap().message()[LAYOUT_AT], number);
        let nearest = with(COUNT_AT, &[5, 0, 4, 5], &[8, number - 8, 4, 8]);
        let nearest = forced(&nearest).unwrap();
        assert_eq!(
            (nearest.header.layout, nearest.header.dithered),
            (layout, false)
        );
        assert_eq!(read.header.difference(&nearest.header), Some("layout"));
    }
    for number in [6, 7, 12, 13] {
        assert_eq!(
            name(forced(&with(LAYOUT_AT, &[0], &[number]))),
            "out_of_range"
        );
    }
}

#[test]
fn coefficients_and_integers_have_no_dither() {
    let refused = |set: &str, layout: Layout| {
        let mut header = header(set, Kind::PublicKey, Suite::Chacha20);
        (header.layout, header.dithered) = (layout, true);
        (header.log2_scale, header.claims.bound) = (header.params.log2_scale.default, 1);
        let refused = part(&header, 0, &mut Numbers(3)).encode().map(drop);
        refused.unwrap_err().to_string()
    };
    let coefficients = refused(SET, Layout::Coefficients);
    assert_eq!(
        coefficients,
        "layout: 12 is out of range; allowed is 0 to 5 or 8 to 11"
    );
    let integers = refused("bfv-1024x1-count", Layout::Slots);
    assert_eq!(
        integers,
        "layout: 8 is out of range; allowed is 0, 1, 4 or 5 for a set of BFV"
    );
}

#[test]
fn roundings_that_the_layout_does_not_allow() {
    let cases: &[(usize, &[u8], &[u8], &str)] = &[
        (RUN_AT, &[0], &[1], "run: 1 is out of range; allowed is 0"),
        (RUN_AT, &[0, 0], &[0, 1], "dropped_0: 1"),
        (RUN_AT, &[0, 0, 0], &[0, 0, 1], "dropped_1: 1"),
        (
            LAYOUT_AT,
            &[0],
            &[5],
            "run: 0 is out of range; allowed is 5 to 5, the last row below 1024",
        ),
    ];
    for (at, old, new, text) in cases {
        let error = forced(&with(*at, old, new)).unwrap_err();
        assert_eq!(error.name(), "out_of_range");
        assert!(error.to_string().starts_with(text), "{error} / {text}");
    }
}

#[test]
fn claims_that_the_values_do_not_allow() {
    let cases: &[(usize, &[u8], &[u8], &str)] = &[
        (
            BOUND_AT,
            &[4],
            &[0x34],
            "bound: -21 is out of range; allowed is -20 to 40 for ckks-1024x1-sum",
        ),
        (BOUND_AT, &[4], &[0x18, 41], "bound: 41"),
        (
            BOUND_AT,
            &[4],
            &[0x1a, 0x80, 0, 0, 0],
            "bound: 2147483648 is out of range; allowed is integers of 32 bits",
        ),
        (
            BOUND_AT,
            &[4],
            &[0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            "bound: -18446744073709551616",
        ),
        (
            STRIDE_AT,
            &[5],
            &[0],
            "stride: 0 is out of range; allowed is 1 to 32768",
        ),
        (STRIDE_AT, &[5], &[0x19, 0x80, 1], "stride: 32769"),
        (
            COUNT_AT,
            &[5, 0, 4, 5],
            &[8, 1, 4, 16],
            "stride: 16 is out of range; allowed is 8, as all are one row",
        ),
        (
            BUCKETS_AT,
            &[1],
            &[5],
            "buckets: 5 is out of range; allowed is a power of two that divides the 5 columns",
        ),
        (BUCKETS_AT, &[1], &[2], "buckets: 2"),
        (BUCKETS_AT, &[1], &[0], "buckets: 0"),
    ];
    for (at, old, new, text) in cases {
        let error = forced(&with(*at, old, new)).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error} / {text}");
    }
}

#[test]
fn claims_that_the_values_allow() {
    for bound in [&[0x33][..], &[0], &[0x18, 40]] {
        assert!(forced(&with(BOUND_AT, &[4], bound)).is_ok());
    }
    let blocks = with(COUNT_AT, &[5, 0, 4, 5, 1], &[12, 0, 4, 8, 4]);
    let header = forced(&blocks).unwrap().header;
    assert_eq!((header.grid().rows, header.grid().columns), (2, 4));
}

#[test]
fn encodings_of_claims() {
    let short = with(PACKING_AT, &[0x40], &[0x41, 0]);
    assert_eq!(name(forced(&short)), "length");
    assert_eq!(
        name(forced(&with(BOUND_AT, &[4], &[0x18, 4]))),
        "not_canonical"
    );
    assert_eq!(
        name(forced(&with(BOUND_AT, &[4], &[0x38, 4]))),
        "not_canonical"
    );
    assert_eq!(name(forced(&with(BOUND_AT, &[4], &[0x40]))), "wrong_type");
}

#[test]
fn parts_of_version_1_are_refused_by_name() {
    let error = forced(&with(2, &[2], &[1])).unwrap_err().to_string();
    assert_eq!(
        error,
        "version: 1; allowed is 2; make new keys and encrypt anew"
    );
}

#[test]
fn a_part_of_bfv_has_its_kind_scale_and_layouts() {
    let good = part(
        &header("bfv-1024x1-count", Kind::SecretKey, Suite::Chacha20),
        0,
        &mut Numbers(3),
    );
    let bytes = Checksum::seal(good.encode().unwrap());
    assert_eq!(
        (bytes[3], &open(&bytes).unwrap().part().unwrap()),
        (4, &good)
    );
    let as_ckks = replace(&bytes, &[25, 2, 4], &[25, 2, 2]);
    let error = forced(&as_ckks).unwrap_err().to_string();
    assert!(
        error.ends_with("allowed is 3 or 4 for a set of BFV"),
        "{error}"
    );
    let refused = |change: fn(&mut FrameHeader)| {
        let mut bad = good.clone();
        change(&mut bad.header);
        name(bad.encode().map(drop))
    };
    assert_eq!(refused(|h| h.log2_scale = 1), "out_of_range");
    assert_eq!(refused(|h| h.count = 1025), "out_of_range");
    assert_eq!(refused(|h| h.count = 1024), "no error");
    assert_eq!(refused(|h| h.layout = Layout::Complex), "out_of_range");
    assert_eq!(
        refused(|h| h.layout = Layout::SlotsRepeated),
        "out_of_range"
    );
    assert_eq!(refused(|h| h.layout = Layout::Coefficients), "no error");
    let most = good.header.params.plain_modulus.unwrap() as i32 / 2;
    for (bound, wanted) in [
        (0, "out_of_range"),
        (-1, "out_of_range"),
        (1, "no error"),
        (most, "no error"),
        (most + 1, "out_of_range"),
    ] {
        let mut part = good.clone();
        part.header.claims.bound = bound;
        assert_eq!(name(part.encode().map(drop)), wanted, "{bound}");
    }
}

#[test]
fn a_level_has_its_first_primes() {
    let mut header = header("ckks-4096x3-multiply", Kind::PublicKey, Suite::Chacha20);
    header.parts = 2;
    let second = part(&header, 1, &mut Numbers(3));
    let bytes = Checksum::seal(second.encode().unwrap());
    assert_eq!(open(&bytes).unwrap().part().unwrap(), second);
    let mut third = second.clone();
    third.part = 2;
    assert_eq!(name(third.encode().map(drop)), "out_of_range");
    for parts in [0, 4] {
        let mut bad = second.clone();
        bad.header.parts = parts;
        assert_eq!(name(bad.encode().map(drop)), "length");
    }
}

#[test]
fn a_secret_key_part_has_its_seed_and_one_slice() {
    let good = part(
        &header(SET, Kind::SecretKey, Suite::Chacha20),
        0,
        &mut Numbers(3),
    );
    let refused = |change: fn(&mut FrameHeader)| {
        let mut bad = good.clone();
        change(&mut bad.header);
        name(bad.encode().map(drop))
    };
    assert_eq!(refused(|h| h.interleave = 2), "out_of_range");
    assert_eq!(refused(|h| h.seed = vec![0; 64]), "length");
    assert_eq!(refused(|h| h.suite = Suite::SealShake256), "length");
    assert_eq!(refused(|h| h.kind = Kind::PublicKey), "length");
    assert_eq!(refused(|h| h.count = 0), "out_of_range");
}

#[test]
fn residues_have_to_be_reduced() {
    let mut bytes = good_bytes();
    let first = RESIDUES_AT + 3;
    bytes[first..first + 4].copy_from_slice(&PRIME.to_le_bytes()[..4]);
    assert_eq!(
        forced(&bytes),
        Err(WireError::ResidueRange {
            prime: PRIME,
            position: 0
        })
    );
    bytes[first..first + 4].copy_from_slice(&(PRIME - 1).to_le_bytes()[..4]);
    assert_eq!(forced(&bytes).unwrap().c0[0], PRIME - 1);
    let mut bad = good();
    bad.c0[1023] = PRIME;
    assert_eq!(
        bad.encode().map(drop),
        Err(WireError::ResidueRange {
            prime: PRIME,
            position: 1023
        })
    );
    bad.c0.pop();
    assert_eq!(name(bad.encode().map(drop)), "length");
}

#[test]
fn one_item_is_not_another() {
    let bytes = Checksum::seal(result(SET, 1, &mut Numbers(1)).encode().unwrap());
    assert_eq!(name(open(&bytes).unwrap().part()), "unknown_kind");
    assert_eq!(
        name(open(&bytes).unwrap().evaluation_keys()),
        "unknown_kind"
    );
    assert_eq!(name(open(&good_bytes()).unwrap().result()), "unknown_kind");
}

#[test]
fn messages_name_field_and_allowed_range() {
    let errors = [
        WireError::Truncated { field: "tag" },
        WireError::TrailingBytes { extra: 3 },
        WireError::NotCanonical { field: "epoch" },
        WireError::WrongType {
            field: "seed",
            expected: "a byte string",
        },
        WireError::NoItem,
        WireError::UnknownVersion { found: 9 },
        WireError::UnknownKind {
            found: 9,
            allowed: "1 to 4",
        },
        WireError::UnknownSet { found: "00".into() },
        WireError::UnknownSuite { found: 9 },
        WireError::Length {
            field: "seed",
            found: 1,
            allowed: "32".into(),
        },
        WireError::ResidueRange {
            prime: 17,
            position: 4,
        },
        WireError::Mismatch { field: "nonce" },
    ];
    for error in errors {
        assert!(error.to_string().contains("allowed"), "{error}");
    }
}
