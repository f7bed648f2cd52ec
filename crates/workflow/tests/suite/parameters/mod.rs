//! Parameters of any size: what a server accepts, its owner opens, within the printed error of the clear answer; what it refuses
//! names the field or the set, and leaves the server's folder as it was.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod arena;
mod clear;
mod wild;

use std::collections::BTreeMap;
use std::path::PathBuf;

use arena::{Arena, Outcome};
use isopod_wire::{sets, AnySet, Layout, ParameterSet, Scheme};
use isopod_workflow::{Job, JobName, Request};
use wild::Random;

/// Largest degree of the sets that compute here; those beyond take seconds for their keys.
const LARGEST: usize = 4096;
/// The set for the job that multiplies.
const DEEP: &str = "ckks-8192x6-multiply";
/// Parameters that each job is tried with under each set and layout.
const CASES: u64 = 8;

/// Layouts that frames of a set may have, as far as a job takes them.
fn layouts(set: &ParameterSet) -> Vec<Layout> {
    let travels = set.data_primes.len() <= 2 && set.word_bytes() == 4;
    let slots = !set.name.ends_with("-air");
    let all = [
        (slots, Layout::Slots),
        (travels, Layout::CoefficientsRounded),
    ];
    let may = all.into_iter().filter(|(may, _)| *may);
    may.map(|(_, layout)| layout).collect()
}

/// Jobs that a set has.
fn jobs(set: &'static ParameterSet) -> Vec<JobName> {
    let all = JobName::ALL.iter().copied();
    // Merged frames are bootstrapped by another program.
    all.filter(|job| !job.takes_merged(AnySet::Rns(set)))
        .filter(|job| job.check(AnySet::Rns(set)).is_ok())
        .collect()
}

/// Everything that a server stores.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Names of what a refusal may be about.
const FIELDS: [&str; 12] = [
    "weight",
    "bias",
    "window",
    "edges",
    "largest_score",
    "scores",
    "layout",
    "job",
    "columns",
    "keys",
    "stride",
    "rows",
];

/// Tries a job, and says whether it was answered.
fn check(arena: &Arena, job: &Job) -> bool {
    let before = arena.server_files();
    judge(arena, job, (before, arena.attempt(job)))
}

/// Judges what became of a job, beside the server's files before it.
fn judge(arena: &Arena, job: &Job, (before, outcome): (Files, Outcome)) -> bool {
    let what = || format!("{} {:?} {job:?}", arena.set.name, arena.layout);
    match outcome {
        Outcome::Refused(message) => {
            let named = FIELDS.iter().any(|field| message.contains(field));
            assert!(
                named || message.contains(arena.set.name),
                "{}: {message}",
                what()
            );
            let odd = ["NaN bits", "inf bits", "reach NaN", "2^NaN"];
            assert!(
                !odd.iter().any(|odd| message.contains(odd)),
                "{}: {message}",
                what()
            );
            let after = arena.server_files();
            let changed = after
                .iter()
                .find(|(path, bytes)| before.get(*path) != Some(bytes));
            assert_eq!(changed.map(|(path, _)| path), None, "{}: {message}", what());
            false
        }
        Outcome::Unopenable(message) => {
            // A model that says what scores it expects asks for this.
            let wanted = clear::is_unexpected(job, arena);
            assert!(wanted, "{}: accepted, not opened: {message}", what());
            true
        }
        Outcome::Opened(results) => {
            let beyond = clear::beyond(job, arena, &results);
            assert!(beyond.is_none(), "{}: {}", what(), beyond.unwrap());
            true
        }
    }
}

/// Tries every job of a set and a layout with so many choices of parameters; returns how many were answered, of how many.
fn attack(arena: &Arena, jobs: &[JobName], cases: u64, seed: u64) -> (usize, usize) {
    let (mut answered, mut tries) = (0, 0);
    for &name in jobs {
        for case in 0..cases {
            let mut random = Random::new(seed ^ case << 32);
            let Some(job) = wild::job(name, &mut random, arena.rows()) else {
                continue;
            };
            answered += usize::from(check(arena, &job));
            tries += 1;
            if Job::plain(name).is_some() {
                break;
            }
        }
    }
    (answered, tries)
}

#[test]
fn what_a_server_accepts_its_owner_opens() {
    let (mut answered, mut tries) = (0, 0);
    for set in sets().filter(|set| set.ring_degree <= LARGEST) {
        let keys = arena::keys(set, false);
        for layout in layouts(set) {
            for bound_bits in [arena::small_bound(set), arena::default_bound(set)] {
                if set.scheme() == Scheme::Bfv && bound_bits < 0 {
                    continue;
                }
                let arena = Arena::new(&keys, set, layout, bound_bits);
                let found = attack(&arena, &jobs(set), CASES, bound_bits as u64);
                answered += found.0;
                tries += found.1;
            }
        }
    }
    // Most wild parameters are refused, yet not all.
    eprintln!("{answered} of {tries} answered");
    assert!(
        answered > tries / 16 && answered < tries,
        "{answered} of {tries}"
    );
}

#[test]
fn what_multiplies_is_opened_as_well() {
    let set = isopod_wire::by_name(DEEP).unwrap();
    let keys = arena::keys(set, true);
    let arena = Arena::new(&keys, set, Layout::Slots, 0);
    let (answered, tries) = attack(&arena, &[JobName::Sigmoid, JobName::Linear], 6, 1);
    assert!(answered > 0 && answered < tries, "{answered} of {tries}");
}

/// Weights of SQL.
#[test]
fn weights_that_come_with_frames_are_refused_or_their_sum_is_opened() {
    let (mut answered, mut tries) = (0, 0);
    for name in ["ckks-1024x1-sum", "ckks-4096x3-sum", "bfv-4096x2-linear"] {
        let set = isopod_wire::by_name(name).unwrap();
        let keys = arena::keys(set, false);
        let arena = Arena::new(&keys, set, Layout::Slots, arena::default_bound(set));
        for case in 0..24 {
            let mut random = Random::new(case);
            let bits = [0, 0, 8, 24][random.below(4)];
            let weights = wild::numbers(&mut random, arena.rows().frames);
            let before = arena.server_files();
            let outcome = arena.attempt_weighed(bits, &weights);
            // A frame is left out whose weight is zero as an integer.
            let unit = f64::from(bits).exp2();
            let counts = |weight: f64| weight * f64::from(u8::from((weight * unit).round() != 0.0));
            let job = Job::Weighted(weights.into_iter().map(counts).collect());
            answered += usize::from(judge(&arena, &job, (before, outcome)));
            tries += 1;
        }
    }
    assert!(answered > 2 && answered < tries, "{answered} of {tries}");
}

/// Each was answered with exit code 0, and its owner read "decrypted values exceed".
#[test]
fn answers_that_nobody_could_open_are_refused() {
    let cases = [
        ("ckks-2048x1-air", "weighted", vec![1e9, 1.0, 0.0]),
        ("ckks-2048x1-air", "weighted", vec![1e-30, 1e-30, 0.0]),
        ("ckks-4096x3-sum", "weighted", vec![1e12, 1.0, 0.0]),
        ("ckks-2048x1-air", "linear", vec![1e9, 1.0, 0.0, 0.0]),
        ("ckks-4096x2-linear", "linear", vec![1e9, 1.0, 0.0, 0.0]),
        ("ckks-2048x1-air", "weighted", vec![f64::NAN, 1.0, 0.0]),
    ];
    for (name, job, weights) in cases {
        let set = isopod_wire::by_name(name).unwrap();
        let keys = arena::keys(set, false);
        let layout = layouts(set)[0];
        let arena = Arena::new(&keys, set, layout, 4);
        let job = wild::of_weights(JobName::from_name(job).unwrap(), weights);
        check(&arena, &job);
        // The frames are as new to the same question with other weights.
        let sum = arena.answer(&Request::new(Job::Sum), false).unwrap();
        assert!(sum.sequence <= 2);
    }
}
