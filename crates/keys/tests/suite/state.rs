//! The file `state` of a device's folder: numbers are given once, whoever asks and however often.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use isopod_keys::{reserve, KeysError, NumberChoice, Reserved, STATE_FILE};

fn next(folder: &Path, frames: u64) -> Reserved {
    reserve(folder, 7, NumberChoice::default(), frames).unwrap()
}

fn wanted(epoch: Option<u32>, sequence: Option<u64>) -> NumberChoice {
    NumberChoice { epoch, sequence }
}

#[test]
fn two_calls_within_a_second_do_not_collide() {
    let place = tempfile::tempdir().unwrap();
    let (one, two) = (next(place.path(), 3), next(place.path(), 1));
    assert_eq!((one.first, two.first), (0, 3));
    assert_eq!(one.epoch, two.epoch);
    assert!(one.epoch > 1_600_000_000, "seconds of the clock");
}

#[test]
fn calls_at_once_do_not_collide() {
    let place = tempfile::tempdir().unwrap();
    let all: Vec<Reserved> = std::thread::scope(|scope| {
        let each = |_| scope.spawn(|| (0..8).map(|_| next(place.path(), 5)).collect::<Vec<_>>());
        let threads: Vec<_> = (0..4).map(each).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let firsts: BTreeSet<u64> = all.iter().map(|reserved| reserved.first).collect();
    assert_eq!(firsts, (0..32).map(|at| 5 * at).collect());
    assert!(all.iter().all(|reserved| reserved.epoch == all[0].epoch));
}

#[test]
fn numbers_that_may_have_been_used_are_refused_and_recorded_ones_hold() {
    let place = tempfile::tempdir().unwrap();
    let ask = |epoch, sequence| reserve(place.path(), 7, wanted(epoch, sequence), 2);
    assert_eq!(
        ask(Some(5), Some(9)).unwrap(),
        Reserved { epoch: 5, first: 9 }
    );
    let message = |asked: Result<Reserved, KeysError>| asked.unwrap_err().to_string();
    assert_eq!(
        message(ask(Some(5), Some(10))),
        "sequence: 10 may have been used; allowed is 11 or more"
    );
    assert_eq!(
        message(ask(Some(4), Some(99))),
        "epoch: 4 may have been used; allowed is 5 or more"
    );
    assert_eq!(
        next(place.path(), 1),
        Reserved {
            epoch: 5,
            first: 11
        }
    );
    assert_eq!(ask(Some(6), None).unwrap(), Reserved { epoch: 6, first: 0 });
    assert!(message(ask(None, Some(u64::MAX)))
        .contains("sequence: 18446744073709551615 is out of range"));
    assert_eq!(next(place.path(), 1), Reserved { epoch: 6, first: 2 });
}

#[test]
fn a_damaged_state_is_refused_and_kept() {
    let place = tempfile::tempdir().unwrap();
    next(place.path(), 1);
    let path = place.path().join(STATE_FILE);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let refusal = reserve(place.path(), 7, NumberChoice::default(), 1);
        assert!(matches!(refusal, Err(KeysError::Record { .. })), "{length}");
        assert_eq!(fs::read(&path).unwrap().len(), length);
    }
    fs::write(&path, &whole).unwrap();
    let other = reserve(place.path(), 8, NumberChoice::default(), 1);
    assert!(other
        .unwrap_err()
        .to_string()
        .contains("the state of device 7; allowed is that of device 8"));
}
