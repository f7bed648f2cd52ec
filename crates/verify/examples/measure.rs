//! `make bench-verify`: bytes of a linear tag, how long a million frames take to verify, how much folding of tags costs, and
//! forgeries that pass. Prints one JSON object.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "measure/fold.rs"]
mod fold;

use std::time::Instant;

use isopod_keys::{linear_pad_key, linear_point, LinearMaster, OwnerKeys};
use isopod_verify::{Claim, Pads, Period, Shape};
use isopod_wire::{FrameId, FrameRange, LinearTag, Manifest};
use serde_json::{json, Value};

const DEGREE: u32 = 2048;
const DEVICES: u64 = 1000;
const FRAMES: u64 = 1000;
const FORGERIES: u64 = 1_000_000;

fn owner() -> OwnerKeys {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../spec/vectors/rounded.json"
    );
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let blob = hex::decode(vectors["rounded_items"][0]["secret"].as_str().unwrap()).unwrap();
    OwnerKeys::new(blob.into()).unwrap()
}

fn shape() -> Shape {
    Shape {
        columns: DEGREE,
        stride: DEGREE,
        packing: Some([7; 16]),
        log2_unit: 0,
    }
}

/// The sum of the pads of ranges, as their devices would have added them.
fn pads(master: &LinearMaster, ranges: &[FrameRange]) -> LinearTag {
    let mut sum = LinearTag::new(0, 0);
    for range in ranges {
        let secret = master.device(range.device, 0);
        let mut pads = Pads::new(&linear_pad_key(&secret), &shape(), range.epoch);
        for sequence in range.first..=range.last {
            sum = sum.plus(LinearTag::new(0, pads.pad(sequence)), 1).unwrap();
        }
    }
    sum
}

/// xorshift64* (Vigna 2016): test input, not randomness.
fn random(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

/// Random and structured forgeries of one value or more, some with what the server knows added to the tag.
fn accepted(period: &Period<'_>, truth: &Claim<'_>) -> u64 {
    let (mut state, mut accepted) = (1, 0);
    for _ in 0..FORGERIES {
        let mut values = truth.values.to_vec();
        let place = random(&mut state) as usize % values.len();
        let shift = 1 + (random(&mut state) % 4096) as i64;
        values[place].1 += shift;
        let number = truth.tag.number();
        let number = match random(&mut state) % 6 {
            0 => number,
            1 => number + shift as u64,
            2 => number ^ 1 << (random(&mut state) % 61),
            3 => random(&mut state) >> 3,
            4 => number.wrapping_mul(2),
            _ => number + (shift as u64) * (place as u64 + 1),
        };
        let tag = LinearTag::new(0, number % LinearTag::MODULUS);
        let lie = Claim {
            values: &values,
            tag,
            ..*truth
        };
        accepted += u64::from(period.proves(&lie));
    }
    accepted
}

/// Seconds in which frames of all devices, whose sum is zero, are verified.
fn seconds(master: &LinearMaster) -> f64 {
    let ids = (0..DEVICES).flat_map(|device| {
        (0..FRAMES).map(move |sequence| FrameId {
            device,
            epoch: 1,
            sequence,
        })
    });
    let manifest = Manifest::of(ids.map(|id| (id, 1))).unwrap();
    let values: Vec<(u32, i64)> = (0..DEGREE).map(|place| (place, 0)).collect();
    let claim = Claim {
        ring_degree: DEGREE,
        shape: shape(),
        manifest: &manifest,
        tag: pads(master, manifest.ranges()),
        values: &values,
    };
    let start = Instant::now();
    let period = Period::new(master, 0, 0);
    assert!(period.proves(&claim), "a true claim is proved");
    start.elapsed().as_secs_f64()
}

/// Forgeries of the sum of one frame that are believed.
fn accepted_forgeries(master: &LinearMaster) -> u64 {
    let id = FrameId {
        device: 1,
        epoch: 1,
        sequence: 1,
    };
    let manifest = Manifest::of([(id, 1)]).unwrap();
    let values: Vec<(u32, i64)> = (0..10).map(|place| (place, 0)).collect();
    let truth = Claim {
        ring_degree: DEGREE,
        shape: shape(),
        manifest: &manifest,
        tag: pads(master, manifest.ranges()),
        values: &values,
    };
    let period = Period::new(master, 0, 0);
    assert!(period.proves(&truth), "a true claim is proved");
    // The point is not a number that forgeries hit by chance.
    assert_ne!(*linear_point(&master.group(0, 0)), 0);
    accepted(&period, &truth)
}

fn main() {
    let owner = owner();
    let master = owner.linear_master().unwrap();
    let seconds = seconds(&master);
    let accepted = accepted_forgeries(&master);
    let fold = fold::measured();
    println!(
        "{:#}",
        json!({
            "bytes-per-frame": fold.bytes_per_frame,
            "owner-million-frames-seconds": (seconds * 1e4).round() / 1e4,
            "devices": DEVICES,
            "fold-ratio": (fold.ratio * 1e4).round() / 1e4,
            "fold-microseconds": (fold.microseconds * 10.0).round() / 10.0,
            "forgeries": FORGERIES,
            "accepted": accepted,
        })
    );
    assert_eq!(fold.bytes_per_frame, 8, "bytes of a tag");
    assert_eq!(accepted, 0, "a forgery passed");
    let ratio = fold.ratio;
    assert!(
        ratio <= 1.02,
        "tags take {ratio} times as long; allowed is 1.02"
    );
    assert!(
        seconds <= 1.0,
        "a million frames take {seconds} s; allowed is 1 s"
    );
}
