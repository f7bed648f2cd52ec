//! A stream of good, damaged, cut and repeated items: every byte enters, waits or is set aside with a reason, on any number of
//! threads.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::Mutex;

use crate::support::{open, quiet, Place};
use isopod_workflow::{Inbox, Job, Message, Request, Values};
use proptest::prelude::*;

const FRAMES: usize = 5;

/// One piece of the stream.
#[derive(Debug, Clone)]
enum Piece {
    /// A part as it was sent.
    Whole(usize, usize),
    /// A part with a flipped bit.
    Flipped(usize, usize, usize),
    /// The begin of a part.
    Cut(usize, usize, usize),
    /// Bytes of nobody.
    Noise(Vec<u8>),
}

fn piece() -> impl Strategy<Value = Piece> {
    let part = || (0..FRAMES, 0usize..2);
    prop_oneof![
        8 => part().prop_map(|(frame, part)| Piece::Whole(frame, part)),
        1 => (part(), 0usize..30_000).prop_map(|((frame, part), at)| Piece::Flipped(frame, part, at)),
        1 => (part(), 1usize..30_000).prop_map(|((frame, part), at)| Piece::Cut(frame, part, at)),
        1 => prop::collection::vec(any::<u8>(), 1..300).prop_map(Piece::Noise),
    ]
}

struct Sent {
    place: Place,
    items: Vec<Vec<Vec<u8>>>,
}

impl Sent {
    fn new() -> Self {
        let place = Place::new("bfv-4096x2-linear", &[]);
        let message = |frame: usize| Message::Integers(vec![1 << frame]);
        let items = (0..FRAMES).map(|frame| place.items(1, frame as u64, &message(frame)));
        let items = items.collect();
        Self { place, items }
    }

    fn bytes(&self, piece: &Piece) -> Vec<u8> {
        match piece {
            Piece::Whole(frame, part) => self.items[*frame][*part].clone(),
            Piece::Flipped(frame, part, at) => {
                let mut bytes = self.items[*frame][*part].clone();
                bytes[*at] ^= 4;
                bytes
            }
            Piece::Cut(frame, part, at) => self.items[*frame][*part][..*at].to_vec(),
            Piece::Noise(bytes) => bytes.clone(),
        }
    }
}

/// Frames whose parts are all in the stream as they were sent.
fn whole(pieces: &[Piece]) -> BTreeSet<usize> {
    let has = |frame: usize, part: usize| {
        let is_it =
            |piece: &Piece| matches!(piece, Piece::Whole(f, p) if (*f, *p) == (frame, part));
        pieces.iter().any(is_it)
    };
    (0..FRAMES)
        .filter(|&frame| has(frame, 0) && has(frame, 1))
        .collect()
}

fn check(sent: &Sent, pieces: &[Piece], threads: usize) -> Result<(), TestCaseError> {
    let stream: Vec<u8> = pieces.iter().flat_map(|piece| sent.bytes(piece)).collect();
    let server = sent.place.server();
    let kept = Mutex::new((0, Vec::new()));
    let mut inbox = Inbox::for_request(&server, &Request::new(Job::Sum), true)
        .unwrap()
        .with_threads(NonZero::new(threads).unwrap())
        .with_quarantine(Box::new(|rejected| {
            let mut kept = kept.lock().unwrap();
            kept.0 += rejected.bytes.len();
            kept.1.push(rejected.reason.to_string());
            Ok(())
        }));
    inbox.read(&stream[..]).unwrap();
    let tally = inbox.close().unwrap();
    let waiting: usize = tally.unfinished.iter().map(|item| item.bytes).sum();
    let answer = inbox.answer(&mut quiet);
    let entered: Vec<usize> = match &answer {
        Ok(answer) => answer
            .frames
            .frames()
            .map(|(id, _)| id.sequence as usize)
            .collect(),
        Err(_) => Vec::new(),
    };
    let taken: usize = entered
        .iter()
        .flat_map(|&frame| &sent.items[frame])
        .map(Vec::len)
        .sum();
    let (set_aside, reasons) = kept.into_inner().unwrap();
    prop_assert_eq!(taken + waiting + set_aside, stream.len());
    prop_assert_eq!(tally.set_aside, reasons.len() as u64);
    prop_assert!(reasons.iter().all(|reason| !reason.is_empty()));
    let possible = whole(pieces);
    prop_assert!(entered.iter().all(|frame| possible.contains(frame)));
    prop_assert_eq!(entered.len(), possible.len());
    if let Ok(answer) = &answer {
        let values = open(&sent.place.owner(), answer)
            .remove(0)
            .values
            .into_owner_only();
        let sum = entered.iter().map(|&frame| 1_i32 << frame).sum();
        prop_assert_eq!(values, Values::Integers(vec![sum]));
    }
    Ok(())
}

/// An item that was broken off takes the begin of the next one for what it lacks, where a byte of that passes for the head of its
/// tag. The next one enters nevertheless, wherever batches of the stream end.
#[test]
fn an_item_that_was_broken_off_hides_no_other() {
    let sent = Sent::new();
    let tag_head = sent.items[0][1].len() - 17;
    let follower = &sent.items[1][0];
    let passes = |&at: &usize| follower[tag_head - at] == 0x50;
    let before: Vec<Piece> = (0..9).map(|_| Piece::Whole(0, 0)).collect();
    for at in (1000..tag_head).filter(passes).step_by(9) {
        for repeats in 5..9 {
            let broken = [Piece::Whole(1, 1), Piece::Cut(0, 1, at), Piece::Whole(1, 0)];
            let pieces = [&before[..repeats], &broken, &[Piece::Whole(0, 0)]].concat();
            check(&sent, &pieces, 1).unwrap();
        }
    }
}

#[test]
fn every_byte_enters_waits_or_is_set_aside() {
    let sent = Sent::new();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(48));
    let stream = (prop::collection::vec(piece(), 1..24), 1usize..4);
    let run = runner.run(&stream, |(pieces, threads)| check(&sent, &pieces, threads));
    run.unwrap();
}
