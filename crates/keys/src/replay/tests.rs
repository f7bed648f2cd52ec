//! The book of frames beside a naive model: sets of all frames ever seen.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use isopod_wire::FrameId;
use proptest::prelude::*;

use super::{Book, MOST_RANGES};
use crate::replay::WINDOW;
use crate::KeysError;

fn id(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

#[derive(Default)]
struct Naive {
    known: BTreeSet<FrameId>,
    entered: BTreeMap<u8, BTreeSet<FrameId>>,
    answers: u64,
}

impl Naive {
    fn stale(&self, id: FrameId) -> bool {
        let newest = self.known.iter().filter(|known| known.device == id.device);
        let Some(newest) = newest.max() else {
            return false;
        };
        let old = id.epoch < newest.epoch
            || (id.epoch == newest.epoch && id.sequence + WINDOW <= newest.sequence);
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
    (0u64..3, 0u32..3, near).prop_map(|(device, epoch, sequence)| id(device, epoch, sequence))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn judged_as_by_one_who_forgets_nothing(
        batches in prop::collection::vec((prop::collection::vec(frame(), 1..12), 0u8..3, any::<bool>()), 1..24)
    ) {
        let (mut book, mut naive) = (Book::new([7; 16]), Naive::default());
        for (frames, request, again) in batches {
            let refused = book.check(&frames, &[request; 32], again).is_err();
            prop_assert_eq!(refused, !naive.takes(&frames, request, again));
            if refused {
                continue;
            }
            prop_assert_eq!(book.enter(&frames, &[request; 32]), Some(naive.answers));
            naive.answers += 1;
            naive.known.extend(&frames);
            naive.entered.entry(request).or_default().extend(&frames);
            let read = Book::parse(&book.bytes());
            prop_assert_eq!(read.as_ref(), Some(&book));
        }
    }

    #[test]
    fn bytes_of_nobody_are_no_book(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(book) = Book::parse(&bytes) {
            prop_assert_eq!(book.bytes(), bytes);
        }
    }
}

#[test]
fn frames_of_yesterday_are_stale_today() {
    let mut book = Book::new([7; 16]);
    book.enter(&[id(1, 5, 0), id(1, 6, 2000)], &[0; 32])
        .unwrap();
    let message = |id| {
        let refusal = book.check(&[id], &[1; 32], true);
        refusal.unwrap_err().to_string()
    };
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
        assert!(book.check(&[fine], &[1; 32], false).is_ok(), "{fine:?}");
    }
}

#[test]
fn a_frame_enters_one_answer_to_a_request_unless_on_purpose() {
    let mut book = Book::new([7; 16]);
    let frames = [id(1, 5, 0), id(1, 5, 1)];
    assert_eq!(book.enter(&frames, &[0; 32]), Some(0));
    let refusal = book.check(&frames[1..], &[0; 32], false);
    assert!(matches!(
        refusal,
        Err(KeysError::Repeated {
            device: 1,
            epoch: 5,
            sequence: 1
        })
    ));
    assert!(book.check(&frames, &[0; 32], true).is_ok());
    assert!(book.check(&frames, &[1; 32], false).is_ok());
    let twice = [frames[0], frames[0]];
    assert!(book.check(&twice, &[1; 32], true).is_err());
}

#[test]
fn what_is_forgotten_is_stale() {
    let mut book = Book::new([7; 16]);
    let gaps = |range: std::ops::Range<u64>| range.map(|at| id(1, 5, 2 * at)).collect::<Vec<_>>();
    book.enter(&gaps(0..MOST_RANGES as u64 + 10), &[0; 32])
        .unwrap();
    assert_eq!(book.known[&1].all().len(), MOST_RANGES);
    for forgotten in gaps(0..10) {
        assert!(book.check(&[forgotten], &[1; 32], true).is_err());
    }
    assert!(book.check(&gaps(10..20), &[1; 32], false).is_ok());
    assert!(book.check(&gaps(10..20), &[0; 32], false).is_err());
}

#[test]
fn the_last_sequence_is_no_overflow() {
    let mut book = Book::new([7; 16]);
    book.enter(
        &[id(1, u32::MAX, u64::MAX), id(1, u32::MAX, u64::MAX - 1)],
        &[0; 32],
    )
    .unwrap();
    assert!(book
        .check(&[id(1, u32::MAX, u64::MAX)], &[1; 32], false)
        .is_ok());
    assert!(book.check(&[id(1, u32::MAX, 5)], &[1; 32], false).is_err());
    assert_eq!(Book::parse(&book.bytes()), Some(book));
}
