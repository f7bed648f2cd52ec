//! The C interface under bytes that may be anything: refused with a message, and the process goes on.
// The support of the workflow's tests asks for a feature of that crate.
#![allow(clippy::unwrap_used, unexpected_cfgs)]

#[path = "../../workflow/tests/suite/support/mod.rs"]
mod support;

use std::os::unix::ffi::OsStrExt;
use std::ptr::{null, null_mut};

use isopod_table_abi::*;
use isopod_workflow::{Aggregation, Message};
use proptest::prelude::*;
use support::Place;

const SET: &str = "bfv-4096x3-sum";
const NOTHING: Bytes = Bytes {
    data: null_mut(),
    length: 0,
};

fn slice(bytes: &[u8]) -> Slice {
    Slice {
        data: bytes.as_ptr(),
        length: bytes.len(),
    }
}

/// Status and bytes of a call.
fn taken(call: impl FnOnce(*mut Bytes) -> i32) -> (i32, Vec<u8>) {
    let mut out = NOTHING;
    let status = call(&mut out);
    // SAFETY: what the call wrote.
    let bytes = unsafe { std::slice::from_raw_parts(out.data, out.length) }.to_vec();
    // SAFETY: as above, once.
    unsafe { isopod_table_release(out) };
    (status, bytes)
}

fn open(place: &Place, job: &str, weights: &[f64]) -> Result<*mut Aggregation, (i32, Vec<u8>)> {
    let mut aggregation = null_mut();
    let path = place.path("keys/server");
    let (keys, job) = (slice(path.as_os_str().as_bytes()), slice(job.as_bytes()));
    // SAFETY: all of it is alive.
    let (status, bytes) = taken(|out| unsafe {
        isopod_table_open(
            keys,
            job,
            weights.as_ptr(),
            weights.len(),
            &mut aggregation,
            out,
        )
    });
    match status {
        0 => Ok(aggregation),
        _ => Err((status, bytes)),
    }
}

fn fold(aggregation: *mut Aggregation, items: &[&[u8]]) -> (i32, Vec<u8>) {
    let mut group = null_mut();
    let items: Vec<Slice> = items.iter().map(|item| slice(item)).collect();
    // SAFETY: all of it is alive, and freed once.
    unsafe {
        assert_eq!(
            taken(|out| isopod_table_group_new(aggregation, &mut group, out)).0,
            0
        );
        let folded =
            taken(|out| isopod_table_fold(group, items.as_ptr(), null(), items.len(), out));
        let state = match folded.0 {
            0 => taken(|out| isopod_table_state(group, out)),
            _ => folded,
        };
        isopod_table_group_free(group);
        state
    }
}

#[test]
fn frames_become_states_and_an_answer() {
    let place = Place::new(SET, &[]);
    let frames: Vec<Vec<u8>> = (0..4)
        .map(|at| {
            place
                .items(1, at, &Message::Integers(vec![at as i32, 5]))
                .concat()
        })
        .collect();
    let aggregation = open(&place, "sum", &[]).unwrap();
    let states: Vec<Vec<u8>> = frames
        .chunks(2)
        .map(|pair| {
            let (status, state) = fold(aggregation, &[&pair[0], &pair[1]]);
            assert_eq!(status, 0);
            state
        })
        .collect();
    let (status, state) = fold(aggregation, &[&states[0], &states[1]]);
    assert_eq!(status, 0);
    // SAFETY: all of it is alive.
    let (status, answer) =
        taken(|out| unsafe { isopod_table_answer(aggregation, slice(&state), out) });
    assert_eq!(status, 0);
    for (job, expected) in [("sum", 1), ("column-sum", 0)] {
        let other = open(&place, job, &[]).unwrap();
        let mut is_of = -1;
        // SAFETY: all of it is alive; closed once.
        unsafe {
            let asked = |out| isopod_table_is_of(other, slice(&state), &mut is_of, out);
            assert_eq!(taken(asked), (0, Vec::new()));
            isopod_table_close(other);
        }
        assert_eq!(is_of, expected, "{job}");
    }
    let owner = place.owner();
    let results = owner.read(&answer[..]).unwrap();
    let opened = owner
        .open_results(&results, &mut support::quiet)
        .unwrap()
        .remove(0);
    let values = opened.values.into_owner_only();
    assert_eq!(values, isopod_workflow::Values::Integers(vec![6, 20]));
    let (status, message) = fold(aggregation, &[&states[0], &frames[1]]);
    assert_eq!(
        (
            status,
            String::from_utf8(message).unwrap().contains("device 1")
        ),
        (3, true)
    );
    assert_eq!(fold(aggregation, &[]), (0, Vec::new()));
    // SAFETY: once.
    unsafe { isopod_table_close(aggregation) };
}

#[test]
fn arguments_out_of_range_are_refused() {
    let place = Place::new(SET, &[]);
    for (job, weights) in [
        ("total", &[][..]),
        ("sum", &[1.0]),
        ("dot", &[]),
        ("dot", &[f64::NAN]),
        ("mean", &[]),
    ] {
        assert_eq!(open(&place, job, weights).unwrap_err().0, 3, "{job}");
    }
    let aggregation = open(&place, "sum", &[]).unwrap();
    let mut group = null_mut();
    let long = Slice {
        data: null(),
        length: MOST_BYTES + 1,
    };
    // SAFETY: null pointers and lengths beyond the limits are refused before memory is touched.
    unsafe {
        assert_eq!(isopod_table_state(null(), null_mut()), 3);
        assert_eq!(taken(|out| isopod_table_state(null(), out)).0, 3);
        assert_eq!(
            taken(|out| isopod_table_group_new(null(), &mut group, out)).0,
            3
        );
        assert_eq!(
            taken(|out| isopod_table_group_new(aggregation, null_mut(), out)).0,
            3
        );
        assert_eq!(
            taken(|out| isopod_table_group_new(aggregation, &mut group, out)).0,
            0
        );
        for (items, count) in [
            (null(), 1),
            (&raw const long, 1),
            (&raw const long, MOST_ITEMS + 1),
        ] {
            assert_eq!(
                taken(|out| isopod_table_fold(group, items, null(), count, out)).0,
                3
            );
        }
        assert_eq!(
            taken(|out| isopod_table_answer(aggregation, long, out)).0,
            3
        );
        isopod_table_release(NOTHING);
        isopod_table_group_free(group);
        isopod_table_close(aggregation);
    }
}

#[test]
fn requests_of_no_state_are_refused() {
    let place = Place::new(SET, &[]);
    let aggregation = open(&place, "sum", &[]).unwrap();
    let long = Slice {
        data: null(),
        length: MOST_BYTES + 1,
    };
    let mut is_of = -1;
    for (asked, state, place) in [
        (null(), slice(b"x"), &raw mut is_of),
        (aggregation.cast_const(), long, &raw mut is_of),
        (aggregation.cast_const(), slice(b"x"), null_mut()),
        (aggregation.cast_const(), slice(b"x"), &raw mut is_of),
    ] {
        // SAFETY: null pointers and lengths beyond the limits are refused before memory is touched.
        let refused = taken(|out| unsafe { isopod_table_is_of(asked, state, place, out) });
        assert_eq!(refused.0, 3);
    }
    assert_eq!(is_of, -1);
    // SAFETY: once.
    unsafe { isopod_table_close(aggregation) };
}

#[test]
fn any_bytes_are_refused_or_right() {
    let place = Place::new(SET, &[]);
    let frame = place.items(1, 0, &Message::Integers(vec![3])).concat();
    let aggregation = open(&place, "sum", &[]).unwrap();
    let state = fold(aggregation, &[&frame]).1;
    let strategy = (
        any::<bool>(),
        any::<usize>(),
        any::<u8>(),
        0..4usize,
        proptest::collection::vec(any::<u8>(), 0..64),
    );
    proptest!(ProptestConfig::with_cases(400), |((of_state, at, bits, how, noise) in strategy)| {
        let mut bytes = if of_state { state.clone() } else { frame.clone() };
        let at = at % bytes.len();
        match how {
            0 => bytes[at] ^= bits | 1,
            1 => bytes.truncate(at),
            2 => bytes = noise,
            _ => { bytes.splice(at..at, noise.iter().copied().chain([bits])); }
        }
        let (status, found) = fold(aggregation, &[&bytes]);
        let is_empty = bytes.is_empty();
        prop_assert!(is_empty || [3, 4, 5].contains(&status), "{} {}", status, String::from_utf8_lossy(&found));
        // SAFETY: alive.
        let (status, _) = taken(|out| unsafe { isopod_table_answer(aggregation, slice(&bytes), out) });
        prop_assert!([3, 4, 5].contains(&status));
    });
    // SAFETY: once.
    unsafe { isopod_table_close(aggregation) };
}
