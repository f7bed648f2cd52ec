//! Manifests: sets of frames that merge, refuse frames that count twice, and tell which are missing.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use isopod_wire::{FrameId, Gap, Manifest, WireError, Writer};
use proptest::prelude::*;

fn id(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

/// Few devices, epochs and sequences, so that ranges join and sets overlap.
fn frames() -> impl Strategy<Value = BTreeMap<FrameId, u32>> {
    let frame = ((0..3u64, 0..2u32, 0..24u64), 1..3u32);
    prop::collection::vec(frame, 0..60).prop_map(|frames| {
        let named = |((device, epoch, sequence), rows)| (id(device, epoch, sequence), rows);
        frames.into_iter().map(named).collect()
    })
}

fn of(frames: &BTreeMap<FrameId, u32>) -> Manifest {
    Manifest::of(frames.iter().rev().map(|(&id, &rows)| (id, rows))).unwrap()
}

fn flat(ranges: &[[u64; 5]]) -> Vec<u8> {
    let mut writer = Writer::with_capacity(64);
    writer.array(5 * ranges.len() as u64);
    for &number in ranges.iter().flatten() {
        writer.uint(number);
    }
    writer.into_bytes()
}

fn refused(ranges: &[[u64; 5]]) -> &'static str {
    Manifest::read(&flat(ranges)).map_or_else(|error| error.name(), |_| "no error")
}

proptest! {
    #[test]
    fn frames_come_back(frames in frames()) {
        let manifest = of(&frames);
        prop_assert_eq!(&Manifest::read(&manifest.encode()).unwrap(), &manifest);
        let read: BTreeMap<FrameId, u32> = manifest.frames().collect();
        prop_assert_eq!(&read, &frames);
        prop_assert_eq!(manifest.count(), frames.len() as u64);
        prop_assert_eq!(manifest.rows(), frames.values().map(|&rows| u128::from(rows)).sum::<u128>());
    }

    #[test]
    fn unions_hold_both_or_refuse_what_counts_twice(one in frames(), other in frames()) {
        let union = of(&one).union(&of(&other));
        let shared = one.keys().find(|id| other.contains_key(id));
        match (union, shared) {
            (Ok(union), None) => {
                let mut both = one.clone();
                both.extend(&other);
                prop_assert_eq!(union, of(&both));
            }
            (Err(WireError::Overlap { device, epoch, first, .. }), Some(_)) => {
                let id = id(device, epoch, first);
                prop_assert!(one.contains_key(&id) && other.contains_key(&id));
            }
            (found, shared) => prop_assert!(false, "{found:?}, shared {shared:?}"),
        }
    }

    #[test]
    fn gaps_are_what_is_missing_between_frames(frames in frames()) {
        let manifest = of(&frames);
        let missing: Vec<FrameId> = manifest
            .gaps()
            .flat_map(|gap| (gap.first..=gap.last).map(move |sequence| id(gap.device, gap.epoch, sequence)))
            .collect();
        let between = |wanted: &FrameId| {
            let same = frames.keys().filter(|id| (id.device, id.epoch) == (wanted.device, wanted.epoch));
            let sequences: Vec<u64> = same.map(|id| id.sequence).collect();
            sequences.iter().any(|&one| one < wanted.sequence) && sequences.iter().any(|&one| one > wanted.sequence)
        };
        let of_epoch = |device, epoch| (0..24).map(move |sequence| id(device, epoch, sequence));
        let all = (0..3).flat_map(|device| (0..2).flat_map(move |epoch| of_epoch(device, epoch)));
        let wanted: Vec<FrameId> = all.filter(|id| !frames.contains_key(id) && between(id)).collect();
        prop_assert_eq!(missing, wanted);
    }

    #[test]
    fn other_bytes_are_refused_or_come_back(bytes: Vec<u8>) {
        if let Ok(manifest) = Manifest::read(&bytes) {
            prop_assert_eq!(manifest.encode(), bytes);
        }
    }
}

#[test]
fn ranges_are_sorted_and_as_long_as_they_can_be() {
    assert_eq!(refused(&[[1, 0, 0, 4, 2], [1, 0, 6, 7, 2]]), "no error");
    assert_eq!(refused(&[[1, 0, 0, 4, 2], [1, 0, 5, 7, 3]]), "no error");
    assert_eq!(
        refused(&[[1, 0, 0, 4, 2], [1, 0, 5, 7, 2]]),
        "not_canonical"
    );
    assert_eq!(
        refused(&[[1, 0, 6, 7, 2], [1, 0, 0, 4, 2]]),
        "not_canonical"
    );
    assert_eq!(refused(&[[1, 0, 0, 4, 2], [1, 0, 4, 7, 2]]), "overlap");
    assert_eq!(refused(&[[1, 0, 5, 4, 2]]), "out_of_range");
    assert_eq!(refused(&[[1, 0, 5, 5, 0]]), "out_of_range");
    assert_eq!(refused(&[[1, 1 << 32, 5, 5, 1]]), "out_of_range");
    let whole = [1, 0, 0, u64::MAX, 1];
    assert_eq!(refused(&[whole]), "out_of_range");
    let most = [1, 0, 1, u64::MAX, u64::from(u32::MAX)];
    assert_eq!(Manifest::read(&flat(&[most])).unwrap().count(), u64::MAX);
    let cut = flat(&[[1, 0, 0, 4, 2]]);
    assert_eq!(Manifest::read(&cut[..5]).unwrap_err().name(), "truncated");
    let longer = [&cut[..], &[0]].concat();
    assert_eq!(
        Manifest::read(&longer).unwrap_err().name(),
        "trailing_bytes"
    );
    assert_eq!(
        Manifest::read(&[0x84, 1, 0, 0, 4]).unwrap_err().name(),
        "length"
    );
}

#[test]
fn a_frame_that_occurs_twice_is_named() {
    let frames = [(id(4, 2, 9), 1), (id(4, 2, 8), 1), (id(4, 2, 9), 1)];
    let error = Manifest::of(frames).unwrap_err().to_string();
    let wanted =
        "manifest: sequences 9 to 9 of device 4, epoch 2 occur twice; allowed is each frame once";
    assert_eq!(error, wanted);
}

#[test]
fn a_gap_names_its_first_and_last_sequence() {
    let manifest = Manifest::of([(id(4, 2, 1), 1), (id(4, 2, 7), 5), (id(4, 3, 0), 1)]).unwrap();
    let gap = Gap {
        device: 4,
        epoch: 2,
        first: 2,
        last: 6,
    };
    assert_eq!(manifest.gaps().collect::<Vec<_>>(), [gap]);
}

#[test]
fn manifests_are_those_of_the_known_answers() {
    let vectors = include_str!("../../../../spec/vectors/provenance.json");
    let vectors: serde_json::Value = serde_json::from_str(vectors).unwrap();
    let records = vectors["manifests"].as_array().unwrap();
    assert!(records.len() >= 4);
    for record in records {
        let frames = record["frames"].as_array().unwrap().iter().map(|frame| {
            let number = |at: usize| frame[at].as_u64().unwrap();
            (id(number(0), number(1) as u32, number(2)), number(3) as u32)
        });
        let bytes = Manifest::of(frames).unwrap().encode();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(record["manifest"], hex);
    }
}
