//! Merges: the known answers of `spec/vectors/merge.json`, places of readings, and refusals that change nothing.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::Numbers;
use isopod_linear::{LargeRing, Machine, Merge, Merged, Reduction, Ring};
use isopod_wire::{
    by_name, Claims, FrameHeader, FrameId, Kind, Layout, MaskOrder, RoundedFrame, Rounding, Suite,
};
use proptest::prelude::*;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../spec/vectors/merge.json");
const LARGE: LargeRing = LargeRing {
    degree: 8192,
    modulus: 1_152_921_504_606_830_593,
};

fn header(set: &str, sequence: u64, rows: u32) -> FrameHeader {
    let params = by_name(set).unwrap();
    let stride = if rows == 1 {
        params.ring_degree as u32
    } else {
        16
    };
    FrameHeader {
        kind: Kind::PublicKey,
        params,
        parts: params.data_primes.len() as u16,
        suite: Suite::Chacha20,
        key_id: [1; 16],
        id: FrameId {
            device: 7,
            epoch: 1,
            sequence,
        },
        nonce: [2; 16],
        interleave: 1,
        log2_scale: 10,
        count: (rows - 1) * stride + stride.min(2048),
        layout: Layout::CoefficientsRounded,
        dithered: false,
        claims: Claims {
            bound: 3,
            stride,
            buckets: 1,
            packing: None,
        },
        rounding: Some(Rounding {
            run: stride,
            dropped: [0; 2],
        }),
        seed: Vec::new(),
        mask_order: MaskOrder::Ntt,
    }
}

/// A frame of these coefficients of c0 where they are sent, and of c1.
fn frame(header: FrameHeader, c0: &[u64], c1: Vec<u64>) -> RoundedFrame {
    let c0 = header.sent().map(|place| c0[place]).collect();
    RoundedFrame {
        header,
        c0,
        c1: Some(c1),
    }
}

fn random(header: FrameHeader, numbers: &mut Numbers) -> RoundedFrame {
    let (modulus, degree) = (header.modulus().unwrap(), header.params.ring_degree);
    let c0 = numbers.residues(modulus, degree);
    let c1 = numbers.residues(modulus, degree);
    frame(header, &c0, c1)
}

fn merge_by(like: &FrameHeader, large: LargeRing, reduction: Reduction) -> Merge {
    Merge::new(like, "alarm", [3; 32], large, reduction).unwrap()
}

fn merge(like: &FrameHeader, large: LargeRing) -> Merge {
    merge_by(like, large, Reduction::Sine)
}

fn air() -> Merge {
    merge(&header("ckks-2048x1-air", 0, 1), LARGE)
}

fn records(name: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(VECTORS).unwrap();
    document[name].as_array().unwrap().clone()
}

/// The rule of the document.
fn words(modulus: u64) -> impl FnMut(usize) -> Vec<u64> {
    let mut state = 12345u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(state)
    };
    move |count| {
        (0..count)
            .map(|_| (next() << 32 | next()) % modulus)
            .collect()
    }
}

fn merged_as(record: &Value) -> Merged {
    let set = record["set"].as_str().unwrap();
    let large = LargeRing {
        degree: record["degree"].as_u64().unwrap() as usize,
        modulus: record["modulus"].as_u64().unwrap(),
    };
    let like = header(set, 0, 1);
    let mut words = words(like.modulus().unwrap());
    let mut merge = merge(&like, large);
    for sequence in 0..record["frames"].as_u64().unwrap() {
        let [c0, c1] = [(); 2].map(|()| words(like.params.ring_degree));
        merge
            .add(&frame(header(set, sequence, 1), &c0, c1), None)
            .unwrap();
    }
    merge.finish().unwrap()
}

fn digest(polynomial: &[u64]) -> String {
    use sha3::Digest;
    let bytes: Vec<u8> = polynomial
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    hex::encode(sha3::Sha3_256::digest(bytes))
}

#[test]
fn merges_are_those_of_the_model() {
    let records = records("merges");
    assert!(records.len() > 3);
    for record in records {
        let merged = merged_as(&record);
        for (name, polynomial) in [("c0", &merged.c0), ("c1", &merged.c1)] {
            let first: Vec<u64> =
                serde_json::from_value(record[format!("{name}_first")].clone()).unwrap();
            assert_eq!(polynomial[..4], first, "{name} of {record}");
            assert_eq!(
                digest(polynomial),
                record[format!("{name}_sha3")].as_str().unwrap()
            );
        }
    }
}

#[test]
fn the_range_is_that_of_the_model() {
    for record in records("limits") {
        let set = record["set"].as_str().unwrap();
        let most = |field: &str| record[field].as_i64().unwrap();
        let check = |change: &dyn Fn(&mut FrameHeader, i64), field: &str, named: &str| {
            let reduction = match field.starts_with("circle") {
                true => Reduction::Circle,
                false => Reduction::Sine,
            };
            let accepted = |beyond: i64| {
                let mut header = header(set, 0, 1);
                change(&mut header, most(field) + beyond);
                let mut merge = merge_by(&header, LARGE, reduction);
                add_any(&mut merge, header)
            };
            accepted(0).unwrap();
            let refusal = accepted(1).unwrap_err().to_string();
            assert!(
                refusal.starts_with(&format!("{named}: ")),
                "{set} {field}: {refusal}"
            );
        };
        for field in ["log2_bound_and_scale", "circle_log2_bound_and_scale"] {
            check(
                &|header, most| header.claims.bound = most as i32 - 10,
                field,
                "bound",
            );
        }
        let drop = |kind, polynomial: usize| {
            move |header: &mut FrameHeader, bits: i64| {
                header.kind = kind;
                header.rounding.as_mut().unwrap().dropped[polynomial] = bits as u8;
            }
        };
        check(
            &drop(Kind::SecretKey, 0),
            "secret_dropped_0",
            "dropped_0, dropped_1",
        );
        check(
            &drop(Kind::PublicKey, 0),
            "public_dropped_0",
            "dropped_0, dropped_1",
        );
        check(
            &drop(Kind::PublicKey, 1),
            "public_dropped_1",
            "dropped_0, dropped_1",
        );
    }
}

/// Adds a frame of zeros.
fn add_any(merge: &mut Merge, header: FrameHeader) -> isopod_linear::Result<()> {
    let zeros = vec![0; header.params.ring_degree];
    let mask = vec![zeros.clone(); header.primes().len()];
    let secret = header.kind == Kind::SecretKey;
    let mut frame = frame(header, &zeros, zeros.clone());
    if secret {
        frame.c1 = None;
    }
    merge.add(&frame, secret.then_some(&mask[..]))
}

#[test]
fn a_frame_by_secret_key_is_its_mask_in_either_order() {
    let mut header = header("ckks-2048x1-air", 0, 1);
    header.kind = Kind::SecretKey;
    let ring = Ring::new(header.params, 1, Machine::best()).unwrap();
    let mut numbers = Numbers(11);
    let c0 = numbers.residues(header.modulus().unwrap(), 2048);
    let c1 = numbers.residues(header.modulus().unwrap(), 2048);
    let merged = |order, mask: &[Vec<u64>]| {
        let mut frame = frame(header.clone(), &c0, Vec::new());
        frame.c1 = None;
        frame.header.mask_order = order;
        let mut merge = merge(&frame.header, LARGE);
        merge.add(&frame, Some(mask)).unwrap();
        merge.finish().unwrap()
    };
    let in_ntt_order = merged(MaskOrder::Ntt, &ring.transform(&c1).unwrap());
    let as_coefficients = merged(MaskOrder::Coefficients, std::slice::from_ref(&c1));
    assert_eq!(in_ntt_order.c1, as_coefficients.c1);
    let mut public = air();
    let mut sent = header.clone();
    sent.kind = Kind::PublicKey;
    public.add(&frame(sent, &c0, c1.clone()), None).unwrap();
    assert_eq!(public.finish().unwrap().c1, in_ntt_order.c1);
}

/// A change of a frame, and the refusal that it gets.
type Damage = (fn(&mut RoundedFrame), &'static str);

const DAMAGES: [Damage; 9] = [
    (|frame| frame.header.id.sequence = 0, "twice"),
    (|frame| frame.header.key_id = [9; 16], "key: differs"),
    (|frame| frame.header.log2_scale = 9, "log2_scale: differs"),
    (
        |frame| frame.header.params = by_name("ckks-1024x1-sum").unwrap(),
        "set: differs",
    ),
    (
        |frame| frame.header.claims.bound = 9,
        "bound: 9; allowed is 8 or less at",
    ),
    (
        |frame| frame.c1.as_mut().unwrap()[5] = 1 << 40,
        "position 5",
    ),
    (|frame| frame.c0[2047] = u64::MAX, "position 2047"),
    (|frame| frame.c0.truncate(7), "c0: 7 "),
    (|frame| frame.c1 = None, "mask: 0 "),
];

#[test]
fn what_does_not_belong_is_refused_and_changes_nothing() {
    let first = random(header("ckks-2048x1-air", 0, 1), &mut Numbers(3));
    let mut merge = air();
    merge.add(&first, None).unwrap();
    let before = merge.clone().finish().unwrap();
    for (damage, wanted) in DAMAGES {
        let mut frame = first.clone();
        frame.header.id.sequence = 1;
        damage(&mut frame);
        let refusal = merge.add(&frame, None).unwrap_err().to_string();
        assert!(refusal.contains(wanted), "{refusal}");
        assert_eq!(merge.clone().finish().unwrap(), before, "{refusal}");
    }
    let mut frame = first;
    frame.header.id.sequence = 1;
    let refusal = merge.add(&frame, Some(&[vec![0; 2048]])).unwrap_err();
    assert!(refusal.to_string().contains("mask: 1 "), "{refusal}");
}

#[test]
fn no_more_frames_than_fit_are_taken() {
    let mut merge = air();
    let mut add = |sequence| {
        let frame = random(header("ckks-2048x1-air", sequence, 1), &mut Numbers(3));
        merge.add(&frame, None).map(|()| merge.is_full())
    };
    let full: Vec<bool> = (0..4).map(|sequence| add(sequence).unwrap()).collect();
    assert_eq!(full, [false, false, false, true]);
    let refusal = add(4).unwrap_err().to_string();
    assert_eq!(refusal, "frames: 4; allowed is 0 to 3, as more do not fit");
}

#[test]
fn rings_that_do_not_fit_are_refused() {
    let air = header("ckks-2048x1-air", 0, 1);
    let new = |like: &FrameHeader, degree, modulus| {
        let large = LargeRing { degree, modulus };
        let refusal = Merge::new(like, "alarm", [3; 32], large, Reduction::Sine);
        refusal.unwrap_err().to_string()
    };
    for degree in [0, 1024, 2049, 1 << 17] {
        let refusal = new(&air, degree, LARGE.modulus);
        assert!(
            refusal.starts_with(&format!("degree: {degree}; ")),
            "{refusal}"
        );
    }
    for modulus in [0, 1_073_692_672, 1 << 61] {
        let refusal = new(&air, 8192, modulus);
        assert!(
            refusal.starts_with(&format!("modulus: {modulus}; ")),
            "{refusal}"
        );
    }
    let mut slots = header("ckks-4096x2-linear", 0, 1);
    slots.layout = Layout::Slots;
    assert!(new(&slots, 8192, LARGE.modulus).starts_with("layout: 0; "));
    let counts = header("bfv-1024x1-count", 0, 1);
    assert!(new(&counts, 8192, LARGE.modulus).starts_with("set: bfv-1024x1-count; "));
    let nothing = merge(&air, LARGE).finish().unwrap_err().to_string();
    assert_eq!(nothing, "frames: 0; allowed is 1 to 4");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_reading_is_where_its_frame_says(
        rows in prop::collection::vec(2..128u32, 1..5),
        seed: u64,
    ) {
        let mut numbers = Numbers(seed);
        let frames: Vec<_> = (0..).zip(&rows).map(|(sequence, &rows)| {
            random(header("ckks-2048x1-air", sequence, rows), &mut numbers)
        }).collect();
        let mut merge = merge(&frames[0].header, LARGE);
        for frame in &frames {
            merge.add(frame, None).unwrap();
        }
        let merged = merge.finish().unwrap();
        let readings: Vec<_> = merged.readings().collect();
        prop_assert_eq!(readings.len() as u32, rows.iter().sum::<u32>() * 16);
        let (q, q0) = (1_073_692_673u128, u128::from(LARGE.modulus));
        let mut left = merged.c0.clone();
        for reading in readings {
            let position = (reading.row * 16 + reading.column) as usize;
            let sent = u128::from(frames[reading.frame].c0[position]);
            prop_assert_eq!(u128::from(merged.c0[reading.coefficient]), (sent * q0 + q / 2) / q);
            left[reading.coefficient] = 0;
        }
        prop_assert!(left.iter().all(|&coefficient| coefficient == 0));
        let manifest = merged.manifest().unwrap();
        prop_assert_eq!(manifest.ranges().iter().map(|range| range.last - range.first + 1).sum::<u64>(), rows.len() as u64);
    }
}
