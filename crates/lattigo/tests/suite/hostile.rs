//! Programs that are missing, dead, late, of another version, or that send what is no message: typed errors, and no waiting.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::merged;
use isopod_lattigo::{
    Activation, Alarm, Backend, Count, Covariance, Error, Hidden, Histogram, Network, Options,
    Question, Side, Unit, INSECURE, MOST_EDGES,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A program that greets as a backend does, unless its manner, the folder of its keys, says otherwise.
const PROGRAM: &str = r#"#!/usr/bin/env python3
import os, struct, sys, time
manner = sys.argv[sys.argv.index("--keys") + 1]
def send(kind, body, length=None):
    sys.stdout.buffer.write(struct.pack("<BI", kind, len(body) if length is None else length) + body)
    sys.stdout.buffer.flush()
def receive():
    kind, length = struct.unpack("<BI", sys.stdin.buffer.read(5))
    return kind, sys.stdin.buffer.read(length)
def run(first, values):
    send(3, struct.pack("<II", first, len(values)) + b"".join(struct.pack("<Q", value) for value in values))
def answer(scale, c0, c1):
    send(5, struct.pack("<d", scale))
    run(0, [c0])
    run(0, c1)
def end(status, text):
    print(text, file=sys.stderr)
    sys.exit(status)
if manner == "deaf":
    time.sleep(120)
kind, hello = receive()
if manner == "dies at once":
    end(9, "no luck")
version, lattigo = (1 if manner == "version" else 6), (b"6.2.0" if manner == "lattigo" else b"6.1.1")
ring = (97 if manner == "modulus" else 1152921504606830593, 4096)
label = bytes([len(lattigo)]) + lattigo + b"\x04test"
send(1, b"isopdeep" + struct.pack("<H", version) + label + bytes(64) + struct.pack("<QI", *ring))
if manner == "reads nothing":
    time.sleep(120)
while True:
    kind, job = receive()
    if kind != 2:
        sys.exit(0)
    numbers = job[5] + 1 if job[0] == 2 else 1
    for message in range(3):
        receive()
    if job[0] == 3:
        # Values of readings: coefficients that are their own number, times 2^18.
        send(5, struct.pack("<d", 2.0 ** (40 if manner == "scale" else 27)))
        whole = [number << 18 for number in range(4096)]
        if manner == "out of range":
            whole[-1] = 1073692673
        if manner != "one too few":
            run(0, whole)
        run(0, whole)
        send(10, b"")
        continue
    if manner == "dies":
        end(9, "no luck")
    if manner == "outgrows its memory":
        end(3, "memory: 9 bytes; allowed are 8")
    if manner == "refuses":
        send(6, b"\x04threshold: 9; allowed are 0 to 8")
    if manner == "prints":
        os.write(1, b"panic: something that is no message")
    if manner == "huge":
        send(4, b"", 1 << 31)
    if manner == "chatters":
        for _ in range(5000):
            send(4, struct.pack("<BII", 2, 1, 5))
    if manner == "stops":
        send(4, struct.pack("<BII", 2, 1, 5))
        time.sleep(120)
    if manner == "half":
        os.write(1, b"\x05\x08\x00")
        sys.exit(0)
    if manner == "out of range":
        answer(1.0, 1073692673, [0] * 2048)
    if manner == "too many":
        answer(1.0, 1, [0] * 2049)
    if manner == "scale":
        answer(float("nan"), 1, [0] * 2048)
    if manner == "one too few":
        numbers -= 1
    for number in range(numbers):
        answer(8.0, 16 + number, [5] * 2048)
    send(10, b"")
"#;

struct Fake {
    place: TempDir,
}

impl Fake {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("backend");
        fs::write(&program, PROGRAM).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { place }
    }

    fn options(&self, manner: &str) -> Options {
        Options {
            program: self.place.path().join("backend"),
            keys: PathBuf::from(manner),
            size: INSECURE,
            memory: Some(1 << 30),
            threads: 1,
            patience: Duration::from_secs(60),
        }
    }

    fn count(&self, manner: &str) -> Result<u64, Error> {
        count(&mut Backend::new(self.options(manner)))
    }
}

fn count(backend: &mut Backend) -> Result<u64, Error> {
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    let question = Count {
        threshold: 3.0,
        side: Side::Above,
        gap: None,
    };
    let answer = backend.ask(&[merged], &question, &mut |_| {})?;
    assert_eq!(answer.pieces.len(), 1);
    assert_eq!(answer.pieces[0].c1, vec![5; 2048]);
    Ok(answer.pieces[0].c0[0])
}

/// Edges that are far enough from each other.
fn histogram(edges: usize) -> Histogram {
    let edges = (0..edges).map(|at| at as f64 / 4.0 - 4.0);
    Histogram {
        edges: edges.collect(),
        gap: None,
    }
}

#[test]
fn a_program_answers_again_and_again() {
    let mut backend = Backend::new(Fake::new().options("well"));
    // The folder is gone, and with it the program: it runs.
    assert!(matches!(count(&mut backend), Err(Error::Start { .. })));
    let fake = Fake::new();
    let mut backend = Backend::new(fake.options("well"));
    for _ in 0..3 {
        assert_eq!(count(&mut backend).unwrap(), 16);
    }
    assert_eq!(backend.start().unwrap().label, "test");
}

/// A program that sends fewer numbers than the question has is refused.
#[test]
fn answers_of_several_numbers_are_whole() {
    let fake = Fake::new();
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    let ask = |manner: &str, edges| {
        let mut backend = Backend::new(fake.options(manner));
        backend.ask(
            std::slice::from_ref(&merged),
            &histogram(edges),
            &mut |_| {},
        )
    };
    for edges in [1, MOST_EDGES] {
        let answer = ask("well", edges).unwrap();
        let numbers: Vec<u64> = answer.pieces.iter().map(|piece| piece.c0[0]).collect();
        assert_eq!(numbers, (16..=16 + edges as u64).collect::<Vec<_>>());
        let error = ask("one too few", edges).unwrap_err();
        assert!(matches!(error, Error::Message(_)), "{error}");
    }
}

/// Coefficients take turns in the pieces, and low bits are dropped; a program that sends too few or too large ones is refused.
#[test]
fn answers_to_readings_are_split_into_pieces() {
    let fake = Fake::new();
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    let question = Alarm {
        threshold: 3.0,
        side: Side::Above,
        gap: None,
    };
    let ask = |manner: &str| {
        let mut options = fake.options(manner);
        options.patience = Duration::from_secs(6);
        let one = std::slice::from_ref(&merged);
        Backend::new(options).ask(one, &question, &mut |_| {})
    };
    let answer = ask("well").unwrap();
    let each = answer.plan.each.unwrap();
    // In the ring of tests roundings are smaller, so that more bits may go: all but 10 and 15 or fewer.
    let [first, second] = each.dropped;
    assert!(first > 15 && second > 10 && first > second, "{each:?}");
    assert!(each.error < 0.46 && answer.plan.error() == each.error);
    assert_eq!(answer.pieces.len(), 2);
    for (at, piece) in answer.pieces.iter().enumerate() {
        let whole = (0..2048).map(|j| (2 * j + at as u64) << 18);
        assert_eq!((piece.c0.len(), piece.c1.len()), (2048, 2048));
        for (found, whole) in piece.c1.iter().zip(whole) {
            assert!(found % (1 << second) == 0 && found.abs_diff(whole) <= 1 << (second - 1));
        }
    }
    for (manner, wanted) in [
        ("scale", "scale: 1099511627776"),
        ("out of range", "residue: 1073692673"),
        ("one too few", "kind: Done; allowed is Residues"),
    ] {
        let error = ask(manner).unwrap_err();
        assert!(error.to_string().contains(wanted), "{manner}: {error}");
    }
    let wide = Alarm {
        threshold: 9.0,
        ..question
    }
    .plan(std::slice::from_ref(&merged));
    assert!(wide
        .unwrap_err()
        .to_string()
        .starts_with("threshold: 9; allowed is -8 to 8"));
    let near = Alarm {
        gap: Some(0.01),
        ..question
    }
    .plan(&[merged]);
    assert!(near
        .unwrap_err()
        .to_string()
        .starts_with("gap: 0.01; allowed is"));
}

/// A unit of equal weights.
fn unit(weights: usize, weight: f64) -> Unit {
    Unit {
        weights: vec![weight; weights],
        bias: 0.0,
    }
}

fn hidden(units: Vec<Unit>) -> Option<Hidden> {
    let activation = Activation::Tanh;
    Some(Hidden { units, activation })
}

fn network(hidden: Option<Hidden>, outputs: Vec<Unit>) -> Network {
    Network {
        hidden,
        outputs,
        link: None,
    }
}

/// Rows of 16 columns, of readings up to 8.
#[test]
fn networks_out_of_range_are_refused() {
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    let one = || vec![unit(16, 0.1)];
    for (network, wanted) in [
        (
            network(None, vec![unit(15, 1.0)]),
            "weights: 15; allowed is 16",
        ),
        (
            network(None, vec![]),
            "outputs: 0; allowed is 1 to 16 units of 16 weights",
        ),
        (
            network(None, vec![unit(16, 0.1); 17]),
            "outputs: 17; allowed is 1 to 16",
        ),
        (
            network(hidden(vec![]), one()),
            "hidden: 0; allowed is 1 to 256 units of 16",
        ),
        (
            network(hidden(vec![unit(16, 0.1); 257]), one()),
            "hidden: 257; allowed",
        ),
        (network(hidden(one()), one()), "weights: 16; allowed is 1"),
        (
            network(hidden(vec![unit(16, 2.0)]), vec![unit(1, 1.0)]),
            "hidden: sums up to 257",
        ),
        (
            network(None, vec![unit(16, f64::NAN)]),
            "weights: NaN; allowed is finite numbers",
        ),
    ] {
        let refusal = network
            .plan(std::slice::from_ref(&merged))
            .unwrap_err()
            .to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
    let mut odd = merged.clone();
    odd.frames[0].grid.stride = 17;
    let refusal = network(None, one()).plan(&[odd]).unwrap_err().to_string();
    assert!(
        refusal.starts_with("stride: 17; allowed is a power of two up to 1024"),
        "{refusal}"
    );
    // The error is that of noise and polynomials; a smaller one is promised for smaller weights.
    let error = |weight| {
        network(hidden(vec![unit(16, weight)]), vec![unit(1, 1.0)])
            .plan(std::slice::from_ref(&merged))
            .unwrap()
            .error()
    };
    assert!(error(0.01) < error(0.1) && error(0.1) < error(1.0) && error(1.0) < 2.0);
}

#[test]
fn programs_of_other_versions_are_named() {
    let fake = Fake::new();
    for (manner, wanted) in [
        ("version", "version: 1; allowed is 6"),
        ("lattigo", "Lattigo: 6.2.0; allowed is 6.1.1"),
        ("modulus", "ring: degree 4096, modulus 97; allowed are"),
    ] {
        let error = fake.count(manner).unwrap_err();
        assert!(matches!(error, Error::Version(_)), "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

#[test]
fn dead_programs_say_why() {
    let fake = Fake::new();
    for manner in ["dies at once", "dies"] {
        let error = fake.count(manner).unwrap_err();
        assert!(matches!(error, Error::Died { .. }), "{manner}: {error}");
        assert!(error.to_string().contains("no luck"), "{manner}: {error}");
    }
    let error = fake.count("outgrows its memory").unwrap_err();
    assert!(matches!(error, Error::Memory(_)), "{error}");
    let error = fake.count("refuses").unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
}

#[test]
fn what_is_no_message_ends_the_conversation() {
    let fake = Fake::new();
    for (manner, wanted) in [
        ("prints", "kind: 112"),
        ("huge", "length: 2147483648 bytes"),
        ("chatters", "more than 1000"),
        ("half", "ends early"),
        ("out of range", "residue: 1073692673"),
        ("too many", "run: 2049 from 0"),
        ("scale", "scale: NaN"),
    ] {
        let error = fake.count(manner).unwrap_err();
        assert!(matches!(error, Error::Message(_)), "{manner}: {error}");
        assert!(error.to_string().contains(wanted), "{manner}: {error}");
    }
}

#[test]
fn silent_programs_are_killed_in_time() {
    let fake = Fake::new();
    for (manner, stage) in [
        ("deaf", "start"),
        ("reads nothing", "start"),
        ("stops", "move to slots"),
    ] {
        let begun = Instant::now();
        let mut options = fake.options(manner);
        options.patience = Duration::from_secs(6);
        let error = count(&mut Backend::new(options)).unwrap_err();
        assert!(matches!(error, Error::Late { .. }), "{manner}: {error}");
        assert!(error.to_string().contains(stage), "{manner}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(60), "{manner}");
    }
}

#[test]
fn a_backend_starts_again_after_an_error() {
    let fake = Fake::new();
    let mut backend = Backend::new(fake.options("dies"));
    assert!(matches!(count(&mut backend), Err(Error::Died { .. })));
    assert!(matches!(count(&mut backend), Err(Error::Died { .. })));
    fs::write(
        fake.place.path().join("backend"),
        PROGRAM.replace("== \"dies\"", "== \"lives\""),
    )
    .unwrap();
    assert_eq!(count(&mut backend).unwrap(), 16);
}

#[test]
fn questions_out_of_range_start_no_program() {
    let missing = Options {
        program: Path::new("/").join("missing"),
        ..Fake::new().options("")
    };
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    let ask = |threshold: f64| {
        let question = Count {
            threshold,
            side: Side::Below,
            gap: None,
        };
        let merged = std::slice::from_ref(&merged);
        let refusal = Backend::new(missing.clone()).ask(merged, &question, &mut |_| {});
        refusal.unwrap_err().to_string()
    };
    for threshold in [8.1, -9.0, f64::NAN, f64::INFINITY] {
        assert!(ask(threshold).starts_with(&format!("threshold: {threshold}; allowed is -8 to 8")));
    }
    assert!(ask(8.0).contains("`make deep` builds it"));
    let question = Count {
        threshold: 3.0,
        side: Side::Below,
        gap: Some(0.01),
    };
    let mut other = merged.clone();
    other.header.log2_scale += 1;
    for (merged, wanted) in [
        (
            &[merged.clone(), other][..],
            "log2_scale: another; allowed is that of the first",
        ),
        (&[merged], "gap: 0.01; allowed is 7."),
        (&[], "ciphertexts: 0; allowed is 1 to 4096"),
    ] {
        let refusal = question.plan(merged).unwrap_err().to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
}

#[test]
fn edges_are_as_far_apart_as_their_gaps() {
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    let merged = &[merged][..];
    let plan = |edges: &[f64], gap| {
        let edges = edges.to_vec();
        Histogram { edges, gap }.plan(merged)
    };
    let gap = plan(&[-8.0, 3.0], None).unwrap().gap;
    assert!(gap > 0.09 && gap < 0.10, "{gap}");
    for (edges, asked, wanted) in [
        (&[][..], None, "edges: 0; allowed is 1 to 32"),
        (&[0.5; 33], None, "edges: 33; allowed is 1 to 32"),
        (
            &[0.0, 8.5],
            None,
            "edges: 8.5; allowed is -8 to 8, the bound",
        ),
        (
            &[f64::NAN],
            None,
            "edges: NaN; allowed is -8 to 8, the bound",
        ),
        (
            &[2.0, 1.0],
            None,
            "edges: 2 and 1; allowed is ascending, more than",
        ),
        (
            &[1.0, 1.0],
            None,
            "edges: 1 and 1; allowed is ascending, more than",
        ),
        (
            &[1.0, 1.05],
            None,
            "edges: 1 and 1.05; allowed is ascending, more than",
        ),
        (&[0.0, 1.0], Some(0.01), "gap: 0.01; allowed is "),
    ] {
        let refusal = plan(edges, asked).unwrap_err().to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
    assert!(plan(&[1.0, 1.0 + 2.1 * gap], Some(gap)).is_ok());
    // The gap is that of the edge which readings can be furthest from.
    let apart = plan(&[1.0], None).unwrap().gap;
    assert!(apart < gap && plan(&[1.0, 8.0], None).unwrap().gap == gap);
    // Numbers between two edges are made of the signs at both.
    let errors: Vec<f64> = plan(&[-1.0, 1.0], None)
        .unwrap()
        .numbers
        .iter()
        .map(|n| n.error)
        .collect();
    assert!(errors[0] == errors[2] && errors[1] > errors[0] && errors[1] < 2.0 * errors[0]);
}

#[test]
fn columns_out_of_range_are_refused_before_any_work() {
    let (merged, _) = merged([4, 4], 3.0, 0.1);
    for (pairs, wanted) in [
        (
            vec![[0, 16]],
            "columns: 16; allowed is 0 to 15, the columns of the frames",
        ),
        (vec![], "pairs: 0; allowed is 1 to 64"),
        (vec![[0, 0]; 65], "pairs: 65"),
    ] {
        let refusal = Covariance { pairs }
            .plan(std::slice::from_ref(&merged))
            .unwrap_err();
        assert!(refusal.to_string().starts_with(wanted), "{refusal}");
    }
}
