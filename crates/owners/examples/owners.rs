//! `make bench-owners`: a million values that two of three holders open, bytes and time of a contribution, and files of the
//! ceremony. Prints JSON.
#![allow(clippy::print_stdout, clippy::expect_used)]

#[path = "../tests/suite/support.rs"]
mod support;

use std::time::Instant;

use isopod_keys::{seal_to, HolderIdentity};
use isopod_owners::{combine, pack_polynomial};
use isopod_wire::{Announcement, Contribution, Opening, SealedShare};
use serde_json::{json, Value};

use support::{holders, Holders};

const VALUES: usize = 1_000_000;

/// Everything that is counted while values are opened.
struct Opened {
    wrong: usize,
    values: usize,
    /// Bytes of a contribution.
    bytes: usize,
    /// Least time of a contribution.
    seconds: f64,
}

fn main() {
    let holders = holders("bfv-4096x3-sum", 3, 2);
    let opened = open(&holders);
    let degree = holders.ring.degree() as f64;
    let records = [
        record("two-of-three", opened.wrong as f64, 0.0, "wrong values"),
        record(
            "values",
            opened.values as f64,
            f64::INFINITY,
            "opened by two of three holders",
        ),
        record(
            "bytes-per-value",
            opened.bytes as f64 / degree,
            5.2,
            "bytes of a contribution",
        ),
        record(
            "contribute-ms",
            opened.seconds * 1e3,
            5.0,
            "least time of one core for a result of degree 4096",
        ),
        record(
            "contribute-masked-ms",
            masked_seconds() * 1e3,
            f64::INFINITY,
            "least time of one core, with the six masks of seven of ten",
        ),
        record(
            "ceremony-kb",
            ceremony_bytes(&holders) as f64 / 1e3,
            300.0,
            "kilobytes that a holder of three sends",
        ),
    ];
    let method = "cargo run --release -p isopod-owners --example owners";
    println!("{:#}", json!({"method": method, "records": records}));
    let is_over = |record: &Value| match record["limit"].as_f64() {
        Some(limit) => record["value"].as_f64().is_none_or(|value| value > limit),
        None => false,
    };
    std::process::exit(i32::from(records.iter().any(is_over)));
}

/// Opens a million values with each pair of holders in turn.
fn open(holders: &Holders) -> Opened {
    let degree = holders.ring.degree();
    let modulus = holders.invitation.params.plain_modulus.expect("of BFV");
    let mut state = 1;
    let mut opened = Opened {
        wrong: 0,
        values: 0,
        bytes: 0,
        seconds: f64::INFINITY,
    };
    for round in 0..VALUES.div_ceil(degree) {
        let message = (0..degree).map(|at| value(&mut state, modulus as i64 / 2, round + at));
        let message: Vec<i64> = message.collect();
        let result = holders.result(&message, 1.0);
        let pair = [[1, 2], [1, 3], [2, 3]][round % 3];
        let begin = Instant::now();
        let contributions = holders.contributions(&result, &pair);
        // Two were made, one after the other.
        opened.seconds = opened.seconds.min(begin.elapsed().as_secs_f64() / 2.0);
        opened.bytes = contributions[0].write().len();
        opened.values += degree;
        let all: Vec<&Contribution> = contributions.iter().collect();
        opened.wrong += match combine(&result, &holders.plan(&result), &all) {
            Ok(result) => {
                let found = holders.integers(&result);
                found
                    .iter()
                    .zip(&message)
                    .filter(|(found, wanted)| found != wanted)
                    .count()
            }
            Err(_) => degree,
        };
    }
    opened
}

/// Least time of a contribution of one of seven among ten holders.
fn masked_seconds() -> f64 {
    let holders = holders("bfv-4096x3-sum", 10, 7);
    let result = holders.result(&[1; 4096], 1.0);
    let answering = [1, 2, 3, 4, 5, 6, 7];
    let seconds = (0..8).map(|_| {
        let begin = Instant::now();
        let made = holders.contributions(&result, &answering).len();
        begin.elapsed().as_secs_f64() / made as f64
    });
    seconds.fold(f64::INFINITY, f64::min)
}

fn record(case: &str, value: f64, limit: f64, meaning: &str) -> Value {
    let limit = limit.is_finite().then_some(limit);
    json!({"case": case, "value": value, "limit": limit, "meaning": meaning})
}

/// Values of every size, the largest of either sign among them.
fn value(state: &mut u64, most: i64, at: usize) -> i64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    match at % 8 {
        0 => most,
        1 => -most,
        _ => (*state >> 33) as i64 % (2 * most + 1) - most,
    }
}

/// Bytes of the announcement and the opening of the first of three holders.
fn ceremony_bytes(holders: &Holders) -> usize {
    let identity = HolderIdentity::random();
    let packed = pack_polynomial(&holders.ring, &holders.shares[0]);
    let announcement = Announcement {
        invitation: [0; 32],
        holder: 1,
        recipient: identity.recipient(),
        commitment: [0; 32],
    };
    // Which announcements, giver and receiver stand before a share, link key and device master behind it.
    let plaintext = [&[0; 34], &packed[..], &[0; 64]].concat();
    let sealed = seal_to(&[&identity.recipient()], &plaintext).expect("sealed");
    let share = |receiver| SealedShare {
        announcements: [0; 32],
        holder: 1,
        receiver,
        sealed: &sealed,
    };
    let opening = Opening {
        announcements: [0; 32],
        holder: 1,
        blind: [0; 32],
        public: &packed,
    };
    announcement.write().len() + opening.write(&[share(2), share(3)]).len()
}
