//! The memory of frames beside a naive model: sets of all frames ever seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isopod_disk::{Faults, Loss, SimulatedDisk};
use isopod_wire::FrameId;
use proptest::prelude::*;

use super::{empty, id, replay, FOLDER, KEY};
use crate::error::{KeysError, Result};
use crate::record;
use crate::replay::former::{self, Former};
use crate::replay::ranges::Ranges;
use crate::replay::{Replay, MOST_RANGES, REPLAY_FILE, WINDOW};

#[derive(Default)]
struct Naive {
    known: BTreeSet<FrameId>,
    entered: BTreeMap<u8, BTreeSet<FrameId>>,
    answers: u64,
}

impl Naive {
    fn stale(&self, id: FrameId) -> bool {
        let known = || self.known.iter().filter(|known| known.device == id.device);
        let Some(epoch) = known().map(|known| known.epoch).max() else {
            return false;
        };
        let counted = known().filter(|known| known.epoch == epoch && !known.is_random());
        let newest = counted.map(|known| known.sequence).max();
        let late = !id.is_random() && newest.is_some_and(|newest| id.sequence + WINDOW <= newest);
        let old = id.epoch < epoch || (id.epoch == epoch && late);
        old && !self.known.contains(&id)
    }

    fn takes(&self, frames: &[FrameId], request: u8, again: bool) -> bool {
        let distinct: BTreeSet<_> = frames.iter().collect();
        let entered = self.entered.get(&request);
        let repeated = |id| entered.is_some_and(|entered| entered.contains(id));
        distinct.len() == frames.len()
            && !frames.iter().any(|&id| self.stale(id))
            && (again || !frames.iter().any(repeated))
    }
}

fn frame() -> impl Strategy<Value = FrameId> {
    let near = (0u64..40, 0u64..4).prop_map(|(low, high)| low + high * (WINDOW - 20));
    let random = (0u64..3000, 0u64..4).prop_map(|(low, high)| FrameId::RANDOM + low + (high << 32));
    (0u64..3, 0u32..3, prop_oneof![3 => near, 1 => random])
        .prop_map(|(device, epoch, sequence)| id(device, epoch, sequence))
}

fn check(replay: &Replay, frames: &[FrameId], request: u8, again: bool) -> Result<()> {
    let judge = replay.judge([request; 32], again)?;
    frames.iter().try_for_each(|&frame| judge.check(frame))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn judged_as_by_one_who_forgets_nothing(
        batches in prop::collection::vec((prop::collection::vec(frame(), 1..12), 0u8..3, any::<bool>()), 1..24)
    ) {
        let ((_, replay), mut naive) = (empty(0), Naive::default());
        for (frames, request, again) in batches {
            let takes = naive.takes(&frames, request, again);
            let is_distinct = frames.iter().collect::<BTreeSet<_>>().len() == frames.len();
            let judged = check(&replay, &frames, request, again).is_ok();
            prop_assert_eq!(judged && is_distinct, takes);
            let number = replay.commit(&frames, &[request; 32], again).ok();
            prop_assert_eq!(number, takes.then_some(naive.answers));
            if takes {
                naive.answers += 1;
                naive.known.extend(&frames);
                naive.entered.entry(request).or_default().extend(&frames);
            }
        }
    }

    #[test]
    fn the_former_form_is_converted_as_it_is(
        batches in prop::collection::vec((prop::collection::vec(frame(), 1..12), 0u8..3), 0..12)
    ) {
        let (disk, mut naive) = (empty(0).0, Naive::default());
        let mut former = Former { key_id: KEY, next: batches.len() as u64, known: BTreeMap::new(), entered: BTreeMap::new() };
        for (frames, request) in &batches {
            naive.known.extend(frames);
            naive.entered.entry(*request).or_default().extend(frames);
            for id in frames {
                for table in [&mut former.known, former.entered.entry([*request; 32]).or_default()] {
                    table.entry(id.device).or_default().insert(id.epoch, id.sequence);
                }
            }
        }
        write_former(&disk, &former);
        let replay = replay(&disk);
        for sequence in [0, 5, 39, WINDOW + 3, 3 * WINDOW] {
            for (device, epoch, request) in [(0, 0, 0), (1, 2, 1), (2, 1, 2), (3, 0, 0)] {
                let frames = [id(device, epoch, sequence)];
                prop_assert_eq!(check(&replay, &frames, request, false).is_ok(), naive.takes(&frames, request, false));
            }
        }
        let next = replay.commit(&[id(9, 9, 9)], &[9; 32], false).unwrap();
        prop_assert_eq!(next, batches.len() as u64);
    }

    #[test]
    fn ranges_read_back(frames in prop::collection::vec((0..4u32, 0..40u64), 0..60), top: bool) {
        let mut ranges = Ranges::default();
        for (epoch, sequence) in frames {
            ranges.insert(epoch, if top { u64::MAX - sequence } else { sequence });
        }
        let mut bytes = Vec::new();
        ranges.append_to(&mut bytes);
        prop_assert_eq!(Ranges::parse(&bytes), Some(ranges));
    }

    #[test]
    fn bytes_of_nobody_are_no_memory(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(former) = Former::parse(&bytes) {
            prop_assert_eq!(former_bytes(&former), bytes);
        }
    }
}

/// The bytes that an earlier version wrote.
fn former_bytes(former: &Former) -> Vec<u8> {
    let mut bytes = [&former.key_id[..], &former.next.to_le_bytes()].concat();
    write_table(&mut bytes, &former.known);
    for (request, table) in &former.entered {
        bytes.extend(request);
        write_table(&mut bytes, table);
    }
    bytes
}

fn write_table(bytes: &mut Vec<u8>, table: &former::Table) {
    bytes.extend((table.len() as u64).to_le_bytes());
    for (device, ranges) in table {
        bytes.extend(device.to_le_bytes());
        bytes.extend((ranges.all().len() as u64).to_le_bytes());
        for range in ranges.all() {
            bytes.extend(range.epoch.to_le_bytes());
            bytes.extend(range.first.to_le_bytes());
            bytes.extend(range.last.to_le_bytes());
        }
    }
}

fn write_former(disk: &SimulatedDisk, former: &Former) {
    let path = Path::new(FOLDER).join(REPLAY_FILE);
    record::write(disk, &path, former::MAGIC, &former_bytes(former)).unwrap();
}

#[test]
fn a_conversion_that_is_interrupted_leaves_one_form_or_the_other() {
    let mut former = Former {
        key_id: KEY,
        next: 5,
        known: BTreeMap::new(),
        entered: BTreeMap::new(),
    };
    let mut ranges = Ranges::default();
    ranges.insert(3, 7);
    former.known.insert(1, ranges.clone());
    former
        .entered
        .insert([0; 32], BTreeMap::from([(1, ranges)]));
    for operation in 0..60 {
        let disk = empty(operation).0;
        write_former(&disk, &former);
        disk.inject(Faults {
            power_after: Some(operation),
            ..Faults::default()
        });
        let interrupted = check(&replay(&disk), &[id(1, 3, 7)], 0, false);
        disk.restart(Loss::Power);
        let refusal = check(&replay(&disk), &[id(1, 3, 7)], 0, false);
        assert!(
            matches!(refusal, Err(KeysError::Repeated { .. })),
            "{operation}: {interrupted:?} {refusal:?}"
        );
        let number = replay(&disk).commit(&[id(1, 3, 8)], &[0; 32], false);
        assert_eq!(number.unwrap(), 5, "{operation}");
        let path = Path::new(FOLDER).join(REPLAY_FILE);
        let begin = isopod_disk::read(&disk, &path, u64::MAX).unwrap();
        assert_ne!(&begin[..8], former::MAGIC);
    }
}

#[test]
fn frames_of_yesterday_are_stale_today() {
    let (_, replay) = empty(0);
    let frames = [id(1, 5, 0), id(1, 6, 2000)];
    replay.commit(&frames, &[0; 32], false).unwrap();
    let message = |id| check(&replay, &[id], 1, true).unwrap_err().to_string();
    let allowed =
        "allowed are epoch 6 from sequence 977 on, later epochs, or frames known from before";
    assert_eq!(
        message(id(1, 5, 1)),
        format!("frame 1 of epoch 5 of device 1: stale; {allowed}")
    );
    assert_eq!(
        message(id(1, 6, 976)),
        format!("frame 976 of epoch 6 of device 1: stale; {allowed}")
    );
    for fine in [id(1, 6, 977), id(1, 7, 0), id(1, 5, 0), id(2, 0, 0)] {
        assert!(check(&replay, &[fine], 1, false).is_ok(), "{fine:?}");
    }
}

#[test]
fn a_frame_enters_one_answer_to_a_request_unless_on_purpose() {
    let (_, replay) = empty(0);
    let frames = [id(1, 5, 0), id(1, 5, 1)];
    assert_eq!(replay.commit(&frames, &[0; 32], false).unwrap(), 0);
    let refusal = replay.commit(&frames[1..], &[0; 32], false);
    assert!(matches!(
        refusal,
        Err(KeysError::Repeated {
            device: 1,
            epoch: 5,
            sequence: 1
        })
    ));
    assert!(check(&replay, &frames, 0, true).is_ok());
    assert!(check(&replay, &frames, 1, false).is_ok());
    let twice = [frames[0], frames[0]];
    assert!(replay.commit(&twice, &[1; 32], true).is_err());
}

#[test]
fn what_is_forgotten_is_stale_under_all_requests() {
    let (_, replay) = empty(0);
    let gaps = |range: std::ops::Range<u64>| range.map(|at| id(1, 5, 2 * at)).collect::<Vec<_>>();
    replay.commit(&gaps(0..20), &[2; 32], false).unwrap();
    let most = MOST_RANGES as u64;
    replay.commit(&gaps(5..most + 10), &[0; 32], false).unwrap();
    for forgotten in gaps(0..10) {
        for (request, again) in [(0, false), (1, false), (1, true), (2, true)] {
            let refusal = check(&replay, &[forgotten], request, again);
            assert!(
                matches!(refusal, Err(KeysError::Stale { .. })),
                "{refusal:?}"
            );
        }
        // A store that judged its age asks only whether it entered; what is forgotten counts as if it had not.
        let judge = replay.judge([2; 32], false).unwrap();
        assert!(judge.check_entered(forgotten).is_ok());
    }
    assert!(check(&replay, &gaps(10..20), 1, false).is_ok());
    assert!(check(&replay, &gaps(10..20), 0, false).is_err());
    assert!(check(&replay, &gaps(10..20), 2, false).is_err());
}

#[test]
fn the_last_sequence_is_no_overflow() {
    let (_, replay) = empty(0);
    let most = FrameId::RANDOM - 1;
    let frames = [
        id(1, u32::MAX, most),
        id(1, u32::MAX, most - 1),
        id(1, u32::MAX, u64::MAX),
    ];
    replay.commit(&frames, &[0; 32], false).unwrap();
    assert!(check(&replay, &frames[..1], 1, false).is_ok());
    assert!(check(&replay, &[id(1, u32::MAX, 5)], 1, false).is_err());
    let last = [id(u64::MAX, 0, 0)];
    replay.commit(&last, &[0; 32], false).unwrap();
    assert!(check(&replay, &last, 0, false).is_err());
}

#[test]
fn a_judge_reads_on_while_answers_enter() {
    let (_, replay) = empty(0);
    let of = |answer: u64| (0..300).map(|at| id(at, 1, answer)).collect::<Vec<_>>();
    replay.commit(&of(0), &[0; 32], false).unwrap();
    let judge = replay.judge([0; 32], false).unwrap();
    for answer in 1..30 {
        replay.commit(&of(answer), &[0; 32], false).unwrap();
        let device = 10 * answer;
        assert!(judge.check(id(device, 1, 0)).is_err(), "{answer}");
        assert!(judge.check(id(device, 1, 500)).is_ok(), "{answer}");
    }
}
