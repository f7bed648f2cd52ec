//! Questions on merged frames, from keys to the answer, in the ring of tests; refusals; programs that end.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{repository, words, Place};

const THRESHOLD: f64 = 75.0;
/// Readings in two frames, which are one ciphertext of the ring of tests.
const READINGS: usize = 900;

/// A program that greets as the one for the ring of tests does, in the version of its first argument, and ends at a job.
const FAKE: &str = r#"#!/usr/bin/env python3
import os, struct, sys
def receive():
    kind, length = struct.unpack("<BI", sys.stdin.buffer.read(5))
    return sys.stdin.buffer.read(length)
receive()
hello = b"isopdeep" + struct.pack("<H", VERSION) + b"\x056.1.1\x04test" + bytes(64)
hello += struct.pack("<QI", 1152921504606830593, 4096)
sys.stdout.buffer.write(struct.pack("<BI", 1, len(hello)) + hello)
sys.stdout.buffer.flush()
receive()
os.kill(os.getpid(), 9)
"#;

/// Readings from 0 to 120, none of them nearer than 2 to the threshold, and how many are above.
fn readings() -> (String, usize) {
    let far = (0..).map(|at: usize| (at * 7919 % 1200) as f64 / 10.0);
    let far = far.filter(|reading| (reading - THRESHOLD).abs() > 2.0);
    let readings: Vec<f64> = far.take(READINGS).collect();
    let above = readings.iter().filter(|&&reading| reading > THRESHOLD);
    let rows: String = readings
        .iter()
        .map(|reading| format!("{reading}\n"))
        .collect();
    (format!("a\n{rows}"), above.count())
}

/// Keys and two frames.
fn place() -> (Place, usize) {
    let place = Place::with_keys("ckks-2048x1-air", &[]);
    let (rows, above) = readings();
    place.write("v.csv", rows);
    place.encrypt(&words(
        "--scale-bits 10 --bound-bits 7 --rows-per-frame 500",
    ));
    (place, above)
}

/// Both programs with the ring of tests, in `programs`; false without Go.
fn builds_programs(place: &Place) -> bool {
    let mut go = Command::new("go");
    go.current_dir(repository("deep"))
        .args(["build", "-tags", "insecure", "-o"])
        .arg(place.path("programs/"))
        .args(["./cmd/isopod-deep", "./cmd/isopod-deep-keys"]);
    let Ok(built) = go.output() else {
        eprintln!("skipped: no Go");
        return false;
    };
    let text = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{text}");
    true
}

/// A program that is none, in a folder of this name, and a folder that begins as keys of the ring of tests do.
fn fake(place: &Place, folder: &str, version: &str) {
    let program = place.path(folder).join("isopod-deep");
    fs::create_dir_all(place.path(folder)).unwrap();
    fs::write(&program, FAKE.replace("VERSION", version)).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(place.path("ring")).unwrap();
    place.write("ring/keys.deep", b"isopodkey\x0binsecure-12");
}

fn count<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let own = words("evaluate --keys keys/server --in f.bin --out r.bin --job count");
    [&own, more].concat()
}

#[test]
fn a_count_reaches_its_owner() {
    let (place, above) = place();
    if !builds_programs(&place) {
        return;
    }
    let keys = "server-keys --keys keys/owner --size insecure-12 --programs programs --out ring";
    place.run(&words(keys)).success();
    let ring = "--above 75 --deep-keys ring --programs programs";
    let too_little = [&words(ring)[..], &["--deep-memory", "100"]].concat();
    let wanted = "memory: 104857600 bytes; allowed are 524288000 or more";
    place.refused(1, &count(&too_little), wanted);
    let facts = place.json(&count(&words(ring)));
    assert_eq!(facts["values"], READINGS);
    assert_eq!(facts["ciphertexts"], 1);
    let (gap, error) = (&facts["gap"], facts["error"].as_f64().unwrap());
    assert!(gap.as_f64().unwrap() < 2.0 && error < 1.0, "{facts}");
    let opened = place.json(&words("decrypt --keys keys/owner --in r.bin"));
    let value = opened["values"][0]["value"].as_f64().unwrap();
    assert!((value - above as f64).abs() <= error, "{value} {above}");
    assert_eq!(opened["values"].as_array().unwrap().len(), 1);
    // No frame counts twice.
    place.refused(
        3,
        &count(&[&words(ring)[..], &["--force"]].concat()),
        "again",
    );
}

#[test]
fn programs_that_end_lose_nothing() {
    let (place, _) = place();
    fake(&place, "old", "1");
    fake(&place, "killed", "2");
    let ring = words("--above 75 --deep-keys ring");
    let with = |programs| count(&[&ring[..], &["--programs", programs]].concat());
    place.refused(1, &with("none"), "`make deep` builds it");
    place.refused(1, &with("old"), "version: 1; allowed is 2");
    for _ in 0..2 {
        // The frames did not enter, so they may be tried again.
        place.refused(1, &with("killed"), "backend: ended with signal: 9");
        assert!(!place.exists("r.bin"));
    }
}

#[test]
fn questions_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "2");
    let ring = |more: &'static str| {
        let own = words("--deep-keys ring --programs killed");
        count(&[&own[..], &words(more)].concat())
    };
    place.refused(5, &count(&["--above", "75"]), "needs keys of a large ring");
    let missing = count(&words("--above 75 --deep-keys none"));
    place.refused(5, &missing, "`isopod server-keys --size` makes them");
    fs::create_dir_all(place.path("other")).unwrap();
    place.write("other/keys.deep", b"isopodkey\x07deep-99");
    let other = count(&words("--above 75 --deep-keys other"));
    place.refused(5, &other, "keys: of size deep-99; allowed are deep-16");
    let beyond = "threshold: 128.5; allowed is -128 to 128";
    place.refused(3, &ring("--above 128.5"), beyond);
    place.refused(3, &ring("--below 75 --gap 0.25"), "gap: 0.25; allowed is ");
    place.refused(
        3,
        &ring("--below 75 --gap 0"),
        "gap: 0; allowed are numbers above 0",
    );
    place.refused(3, &ring("--above nan"), "threshold");
    // At the usual scale the bound leaves the range.
    place.write("v.csv", "a\n1\n");
    place.encrypt(&words("--bound-bits 7 --force"));
    let wanted = "bound: 7; allowed is 3 or less at log2_scale 15";
    place.refused(3, &ring("--above 75"), wanted);
    assert!(!place.exists("r.bin"));
}
