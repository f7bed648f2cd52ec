//! Inputs as they are: many files, damaged and late ones, files that grow, and sums that go on in other runs.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{close, Place};
use serde_json::Value;

const SET: &str = "bfv-4096x2-linear";
const SUM: [&str; 5] = ["evaluate", "--keys", "keys/server", "--job", "sum"];

/// Keys of two devices.
fn place() -> Place {
    let place = Place::with_keys(SET, &["--device", "1", "--device", "2"]);
    fs::create_dir_all(place.path("frames/old")).unwrap();
    place
}

/// Encrypts one value as a frame of its own.
fn frame(place: &Place, device: u8, sequence: u64, value: i32, out: &str) {
    place.write("v.csv", format!("x\n{value}\n"));
    let keys = format!("keys/device-{device}");
    let sequence = sequence.to_string();
    let name = [
        "--epoch",
        "1",
        "--sequence",
        &sequence,
        "--bound-bits",
        "13",
    ];
    let encrypt = [
        "encrypt", "--keys", &keys, "--values", "v.csv", "--out", out,
    ];
    place.run(&[&encrypt[..], &name].concat()).success();
}

/// Evaluates with this exit code: the facts, and standard error.
fn evaluated(place: &Place, code: i32, more: &[&str]) -> (Value, String) {
    let assert = place
        .run(&[&SUM[..], more, &["--json"]].concat())
        .code(code);
    let output = assert.get_output();
    let facts = serde_json::from_slice(&output.stdout).unwrap();
    (facts, String::from_utf8(output.stderr.clone()).unwrap())
}

fn refused(place: &Place, code: i32, more: &[&str]) -> String {
    place.refusal(code, &[&SUM[..], more].concat())
}

#[test]
fn directories_globs_lists_and_standard_input() {
    let place = place();
    frame(&place, 1, 0, 1, "frames/a.bin");
    frame(&place, 1, 1, 20, "frames/old/b.bin");
    frame(&place, 2, 0, 300, "frames/c.txt");
    frame(&place, 2, 1, 4000, "d.bin");
    place.write("frames/.hidden", "no frame");
    place.write("list.txt", "frames/a.bin\n\nd.bin\n");
    let inputs: [(&[&str], f64); 5] = [
        (&["--in", "frames"], 321.0),
        (&["--in", "frames/*.bin", "frames/o*"], 21.0),
        (&["--in", "@list.txt"], 4001.0),
        (&["--in", "d.bin", "frames", "--threads", "3"], 4321.0),
        (&["--in", "frames", "--strict", "--threads", "1"], 321.0),
    ];
    for (input, wanted) in inputs {
        let out = ["--out", "r.bin", "--force", "--again"];
        evaluated(&place, 0, &[input, &out].concat());
        close(&place.decrypted("r.bin"), &[wanted], 0.5);
    }
    let mut piped = place.command();
    let out = ["--in", "-", "--out", "s.bin", "--again"];
    let piped = piped.args([&SUM[..], &out].concat());
    let both = [place.read("frames/a.bin"), place.read("d.bin")].concat();
    piped.write_stdin(both).assert().success();
    close(&place.decrypted("s.bin"), &[4001.0], 0.5);
    for (input, wanted) in [
        ("frames/*.dat", "frames/*.dat: matches no file"),
        ("@missing.txt", "missing.txt"),
        ("frames/.none", "frames/.none"),
    ] {
        let message = place.run(&[&SUM[..], &["--in", input, "--out", "x.bin"]].concat());
        let message = message.failure().get_output().stderr.clone();
        let message = String::from_utf8(message).unwrap();
        assert!(message.contains(wanted), "{message}");
    }
    fs::create_dir(place.path("empty")).unwrap();
    let message = refused(&place, 3, &["--in", "empty", "--out", "x.bin"]);
    assert!(
        message.contains("empty: no files in this directory"),
        "{message}"
    );
}

#[test]
fn a_stray_file_among_frames_is_named_as_no_isopod_file() {
    let place = place();
    frame(&place, 1, 0, 1, "frames/a.bin");
    let strays: [(&str, &[u8]); 4] = [
        ("notes.txt", b"These are notes.\n"),
        ("picture.png", b"\x89PNG\r\n\x1a\n"),
        ("table.csv", b"x\n1\n"),
        ("readme.gz", &[0x1f, 0x8b, 8, 0]),
    ];
    for (name, bytes) in strays {
        let path = format!("frames/{name}");
        place.write(&path, bytes);
        let wanted = format!("{path}: part at byte 0: item: no Isopod file");
        let strict = ["--in", "frames", "--out", "s.bin", "--strict", "--again"];
        let message = refused(&place, 3, &strict);
        assert!(message.contains(&wanted), "{message}");
        let input = ["--in", "frames", "--out", "r.bin", "--force", "--again"];
        let message = evaluated(&place, 6, &input).1;
        let wanted = format!("the first: {path} at byte 0: item: no Isopod file");
        assert!(message.contains(&wanted), "{message}");
        place.refused(3, &["inspect", &path], "no Isopod file");
        fs::remove_file(place.path(&path)).unwrap();
    }
}

#[test]
fn a_damaged_frame_stopped_all_others() {
    let place = place();
    for sequence in 0..4 {
        frame(
            &place,
            1,
            sequence,
            1 << sequence,
            &format!("{sequence}.bin"),
        );
    }
    let mut damaged = place.read("1.bin");
    damaged[40_000] ^= 1;
    let noise = vec![0x96; 3000];
    let day = [
        place.read("0.bin"),
        damaged,
        noise,
        place.read("2.bin"),
        place.read("0.bin"),
        place.read("3.bin"),
    ];
    place.write("day.bin", day.concat());
    let strict = ["--in", "day.bin", "--out", "r.bin", "--strict"];
    let message = refused(&place, 4, &strict);
    assert!(message.contains("day.bin: part at byte"), "{message}");
    let input = ["--in", "day.bin", "--out", "r.bin"];
    let (facts, message) = evaluated(&place, 6, &input);
    assert_eq!(facts["frames"], 3);
    assert_eq!(facts["quarantine"], "r.bin.quarantine");
    assert!(message.contains("--in r.bin.quarantine"), "{message}");
    close(&place.decrypted("r.bin"), &[13.0], 0.5);
    let reasons = String::from_utf8(place.read("r.bin.quarantine.reasons.jsonl")).unwrap();
    let reasons: Vec<Value> = reasons
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(facts["set_aside"], reasons.len());
    for wanted in ["tag", "missing", "duplicate"] {
        let has = |line: &Value| line["reason"].as_str().unwrap().contains(wanted);
        assert!(reasons.iter().any(has), "{wanted}: {reasons:?}");
    }
    // The undamaged copy of the frame, which its device sent again, completes what was set aside.
    let bytes: u64 = reasons
        .iter()
        .map(|line| line["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(bytes, place.read("r.bin.quarantine").len() as u64);
    let again = ["--in", "r.bin.quarantine", "1.bin", "--out", "s.bin"];
    evaluated(&place, 6, &again);
    close(&place.decrypted("s.bin"), &[2.0], 0.5);
    assert!(place.exists("s.bin.quarantine"));
}

#[test]
fn a_part_that_came_late_completes_what_was_set_aside() {
    let place = place();
    frame(&place, 1, 0, 5, "a.bin");
    frame(&place, 2, 0, 70, "b.bin");
    let frame = place.read("b.bin");
    let (begin, end) = frame.split_at(frame.len() / 2);
    place.write("early.bin", [&place.read("a.bin")[..], begin].concat());
    place.write("late.bin", end);
    evaluated(&place, 6, &["--in", "early.bin", "--out", "r.bin"]);
    let both = ["--in", "r.bin.quarantine", "late.bin", "--out", "s.bin"];
    let (facts, _) = evaluated(&place, 0, &both);
    assert_eq!(facts["frames"], 1);
    close(&place.decrypted("s.bin"), &[70.0], 0.5);
}

#[test]
fn a_file_that_still_grows_is_read_as_far_as_it_is_whole() {
    let place = place();
    frame(&place, 1, 0, 5, "a.bin");
    frame(&place, 1, 1, 70, "b.bin");
    let (first, second) = (place.read("a.bin"), place.read("b.bin"));
    place.write("day.bin", [&first[..], &second[..100]].concat());
    let cut = ["--in", "day.bin", "--out", "p.bin", "--partial"];
    let (_, told) = evaluated(&place, 6, &cut);
    let wanted = "day.bin: cut off within an item, whose 100 bytes from byte";
    assert!(told.contains(wanted), "{told}");
    let growing = [&cut[..], &["--growing", "--force"]].concat();
    let (facts, _) = evaluated(&place, 0, &growing);
    assert_eq!(facts["unfinished"][0]["bytes"], 100);
    assert_eq!(facts["unfinished"][0]["position"], first.len());
    place.write("day.bin", [first, second].concat());
    let (facts, _) = evaluated(&place, 0, &["--in", "day.bin", "p.bin", "--out", "r.bin"]);
    assert_eq!((&facts["frames"], &facts["known"]), (&2.into(), &1.into()));
    close(&place.decrypted("r.bin"), &[75.0], 0.5);
}

#[test]
fn sums_form_a_tree_and_count_nothing_twice() {
    let place = place();
    let states = ["p0.bin", "p1.bin", "p2.bin"];
    for (number, state) in states.iter().enumerate() {
        let file = format!("{number}.bin");
        frame(&place, 1, number as u64, 10_i32.pow(number as u32), &file);
        evaluated(&place, 0, &["--in", &file, "--out", state, "--partial"]);
    }
    let pair = ["--in", "p0.bin", "p1.bin", "--out", "p01.bin", "--partial"];
    evaluated(&place, 0, &pair);
    let message = refused(&place, 3, &["--in", "p01.bin", "p1.bin", "--out", "x.bin"]);
    assert!(
        message.contains("p1.bin: partial state at byte 0"),
        "{message}"
    );
    assert!(message.contains("frame"), "{message}");
    evaluated(&place, 0, &["--in", "p01.bin", "p2.bin", "--out", "r.bin"]);
    close(&place.decrypted("r.bin"), &[111.0], 0.5);
    // Frames that entered through states have entered.
    let message = refused(&place, 3, &["--in", "p2.bin", "--out", "x.bin"]);
    assert!(message.contains("repeated"), "{message}");
    let message = refused(&place, 3, &["--in", "2.bin", "--out", "x.bin"]);
    assert!(message.contains("repeated"), "{message}");
}

#[test]
fn a_state_of_another_job_or_key_or_a_damaged_one_is_refused() {
    let place = place();
    frame(&place, 1, 0, 1, "a.bin");
    let state = ["--in", "a.bin", "--out", "p.bin", "--partial"];
    evaluated(&place, 0, &state);
    let total = ["evaluate", "--keys", "keys/server", "--job", "total"];
    let input = ["--in", "p.bin", "--out", "x.bin"];
    place.refused(
        3,
        &[&total[..], &input].concat(),
        "partial state: not taken here",
    );
    place.refused(
        3,
        &[&total[..], &state].concat(),
        "--partial: total has no partial states",
    );
    let other = Place::with_keys(SET, &[]);
    other.write("p.bin", place.read("p.bin"));
    assert!(refused(&other, 4, &input).contains("tag"));
    let mut damaged = place.read("p.bin");
    damaged[2000] ^= 1;
    place.write("p.bin", damaged);
    assert!(refused(&place, 4, &input).contains("partial state at byte 0: tag"));
    assert!(!place.exists("x.bin"));
}

#[test]
fn a_full_disk_in_the_middle_loses_nothing() {
    // There is room for the memory of frames, and not for the answer.
    let options = ["--device", "1", "--no-evaluation-keys"];
    let place = Place::with_keys("ckks-16384x13-multiply", &options);
    frame(&place, 1, 0, 41, "a.bin");
    let program = assert_cmd::cargo::cargo_bin("isopod");
    let script = format!(
        "trap '' XFSZ; ulimit -f 200; exec {} {} --in a.bin --out r.bin",
        program.display(),
        SUM.join(" ")
    );
    let mut shell = assert_cmd::Command::new("sh");
    let full = shell
        .current_dir(place.path(""))
        .args(["-c", &script])
        .assert();
    let message = String::from_utf8(full.code(1).get_output().stderr.clone()).unwrap();
    assert!(message.contains("r.bin"), "{message}");
    assert!(message.contains("evaluate with --again"), "{message}");
    assert!(!place.exists("r.bin"));
    assert_eq!(
        place
            .names()
            .iter()
            .filter(|name| name.contains("partial"))
            .count(),
        0
    );
    evaluated(&place, 0, &["--in", "a.bin", "--out", "r.bin", "--again"]);
    close(&place.decrypted("r.bin"), &[41.0], 0.5);
}

#[test]
fn a_pipe_lost_its_first_bytes() {
    let place = place();
    frame(&place, 1, 0, 6, "a.bin");
    let program = assert_cmd::cargo::cargo_bin("isopod");
    let script = format!(
        "mkfifo pipe; cat a.bin > pipe & exec {} {} --in pipe --out r.bin --strict",
        program.display(),
        SUM.join(" ")
    );
    let mut shell = assert_cmd::Command::new("sh");
    let piped = shell.current_dir(place.path("")).args(["-c", &script]);
    piped.assert().success();
    close(&place.decrypted("r.bin"), &[6.0], 0.5);
}

#[test]
fn a_quarantine_in_the_place_of_the_answer_is_refused_before_the_work() {
    let place = place();
    frame(&place, 1, 0, 6, "a.bin");
    let both = ["--in", "a.bin", "--out", "r.bin", "--quarantine", "r.bin"];
    let message = refused(&place, 3, &both);
    assert!(
        message.contains("r.bin: named for two outputs"),
        "{message}"
    );
    place.write("q.bin", "kept");
    let taken = ["--in", "a.bin", "--out", "r.bin", "--quarantine", "q.bin"];
    let message = refused(&place, 3, &taken);
    assert!(
        message.contains("--quarantine: q.bin exists already"),
        "{message}"
    );
    evaluated(&place, 0, &["--in", "a.bin", "--out", "r.bin"]);
}
