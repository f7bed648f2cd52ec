//! Defects that an attack on the commands found, each with the test that keeps it from coming back.
#![allow(clippy::unwrap_used)]

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{words, Place};

const SET: &str = "ckks-1024x1-sum";
const KEYGEN: [&str; 5] = ["keygen", "--set", SET, "--out", "keys"];
const ENCRYPT: [&str; 5] = ["encrypt", "--keys", "keys/device-1", "--values", "v.csv"];
const SUM: [&str; 5] = ["evaluate", "--keys", "keys/server", "--job", "sum"];
const ROTATE: [&str; 5] = ["rotate", "--keys", "keys", "--out", "fresh"];

/// Plain keys, and a table of two rows.
fn place() -> Place {
    let place = Place::with_keys(SET, &[]);
    place.write("v.csv", "x\n1\n2\n");
    place
}

fn encrypted(place: &Place, out: &str) -> serde_json::Value {
    place.json(&[&ENCRYPT[..], &["--rows-per-frame", "1", "--out", out]].concat())
}

fn loosen(place: &Place, name: &str) {
    fs::set_permissions(place.path(name), Permissions::from_mode(0o644)).unwrap();
}

#[test]
fn two_calls_within_a_second_numbered_their_frames_alike() {
    let place = place();
    let (one, two) = (encrypted(&place, "1.bin"), encrypted(&place, "2.bin"));
    assert_eq!(one["epoch"], two["epoch"]);
    assert_eq!((&one["sequence"], &two["sequence"]), (&0.into(), &2.into()));
    let files = ["--in", "1.bin", "2.bin", "--out", "r.bin"];
    place.run(&[&SUM[..], &files].concat()).success();
    crate::support::close(&place.decrypted("r.bin"), &[6.0], 0.1);
    let below = [&ENCRYPT[..], &["--sequence", "3", "--out", "3.bin"]].concat();
    place.refused(
        3,
        &below,
        "--sequence: 3 may have been used; allowed is 4 or more",
    );
    let below = [&ENCRYPT[..], &["--epoch", "7", "--out", "3.bin"]].concat();
    assert!(place
        .refusal(3, &below)
        .contains("--epoch: 7 may have been used"));
    assert!(!place.exists("3.bin"));
}

#[test]
fn refused_values_took_numbers() {
    let place = place();
    place.write("bad.csv", "x\nnan\n");
    let bad = words("encrypt --keys keys/device-1 --values bad.csv --out f.bin");
    place.refusal(3, &bad);
    place.refusal(
        3,
        &[&ENCRYPT[..], &["--scale-bits", "9", "--out", "f.bin"]].concat(),
    );
    assert_eq!(encrypted(&place, "f.bin")["sequence"], 0);
}

#[test]
fn a_flipped_bit_of_a_device_key_showed_at_the_server_only() {
    let place = place();
    let file = "keys/device-1/frame.key";
    let whole = place.read(file);
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        place.write(file, &flipped);
        place.refusal(5, &[&ENCRYPT[..], &["--out", "f.bin"]].concat());
    }
    place.write(file, &whole);
    encrypted(&place, "f.bin");
}

#[test]
fn rotation_took_the_old_passphrase() {
    let place = Place::new();
    place
        .write_private("old", "correct horse\n")
        .write_private("new", "battery staple\n");
    place
        .run(&[&KEYGEN[..], &["--passphrase-file", "old"]].concat())
        .success();
    let rotate = [&ROTATE[..], &["--passphrase-file", "old"]].concat();
    place.refused(3, &rotate, "--new-passphrase-file or ISOPOD_NEW_PASSPHRASE");
    let again = [&rotate[..], &["--new-passphrase-file", "old"]].concat();
    place.refused(
        3,
        &again,
        "new passphrase: the old key's; allowed is another one",
    );
    assert!(!place.exists("fresh"));
    place
        .run(&[&rotate[..], &["--new-passphrase-file", "new"]].concat())
        .success();
    let inspect = |passphrase: &str| {
        let decrypt = ["inspect", "fresh/public/public.key"];
        place.run(&decrypt).success();
        let share = words("decrypt --keys fresh/owner --in absent --passphrase-file");
        place
            .run(&[&share[..], &[passphrase]].concat())
            .get_output()
            .status
            .code()
    };
    assert_eq!((inspect("old"), inspect("new")), (Some(5), Some(1)));
}

#[test]
fn rotation_dropped_secret_keys_in_silence() {
    let place = Place::with_keys(SET, &["--allow-device-secret-key"]);
    let plain = [&ROTATE[..], &["--insecure-plaintext-key"]].concat();
    loosen(&place, "keys/device-1/secret.key");
    assert!(place.refusal(5, &plain).contains("chmod 600"));
    fs::set_permissions(
        place.path("keys/device-1/secret.key"),
        Permissions::from_mode(0o600),
    )
    .unwrap();
    let facts = place.json(&plain);
    assert_eq!(facts["secret_key_devices"], serde_json::json!([1]));
    assert!(place.exists("fresh/device-1/secret.key"));
    fs::remove_dir_all(place.path("fresh")).unwrap();
    let text = place.output(&plain);
    assert!(text.contains("AND THE SECRET KEY"), "{text}");
    let joins = ["device", "add", "2", "--keys", "keys"];
    place.refused(3, &joins, "device 1 holds the secret key of this pair");
}

#[test]
fn a_copied_folder_published_its_queries_once_more() {
    let place = Place::with_keys("ckks-8192x6-multiply", &["--rotations", "1"]);
    place.write("v.csv", "x\n0.25\n0.5\n");
    let frames = words("--rows-per-frame 1 --scale-bits 40 --out f.bin");
    place.run(&[&ENCRYPT[..], &frames].concat()).success();
    place
        .run(&[&SUM[..], &["--in", "f.bin", "--out", "r.bin"]].concat())
        .success();
    let copy = place.read("keys/owner/owner.key");
    let share = words("share --keys keys/owner --in r.bin --job sum --frames 2");
    let share = [
        &share[..],
        &words("--scale-bits 40 --largest-error 1 --queries 2")[..],
    ]
    .concat();
    let assert = place.run(&share).success();
    let note = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        note.contains("THE COUNT HOLDS ON THIS MACHINE ONLY"),
        "{note}"
    );
    place.write("keys/owner/owner.key", copy);
    let message = place.refusal(5, &share);
    assert!(
        message.contains("used: 0 published results") && message.contains("published 1"),
        "{message}"
    );
}

#[test]
fn an_input_that_is_the_output_was_destroyed() {
    let place = place();
    encrypted(&place, "f.bin");
    fs::create_dir(place.path("sub")).unwrap();
    symlink("f.bin", place.path("symbolic.bin")).unwrap();
    fs::hard_link(place.path("f.bin"), place.path("hard.bin")).unwrap();
    let files = [
        "f.bin",
        "./f.bin",
        "sub/../f.bin",
        "symbolic.bin",
        "hard.bin",
        "v.csv",
        "keys/server/server.key",
    ];
    let before = files.map(|file| place.read(file));
    for out in &files[..5] {
        place.refused(
            3,
            &[&SUM[..], &["--in", "f.bin", "--force", "--out", out]].concat(),
            &format!("--out: {out} is the same file as the input f.bin"),
        );
    }
    place.refused(
        3,
        &[
            &SUM[..],
            &["--in", "symbolic.bin", "--force", "--out", "f.bin"],
        ]
        .concat(),
        "the input symbolic.bin",
    );
    place.refusal(
        3,
        &[
            &SUM[..],
            &words("--in f.bin --force --out keys/server/server.key")[..],
        ]
        .concat(),
    );
    place.refusal(3, &[&ENCRYPT[..], &["--force", "--out", "v.csv"]].concat());
    assert_eq!(files.map(|file| place.read(file)), before);
}

#[test]
fn one_output_replaced_another() {
    let place = place();
    for other in ["f.bin", "./f.bin", "keys/../f.bin"] {
        let both = ["--out", "f.bin", "--force", "--write-packing", other];
        place.refused(
            3,
            &[&ENCRYPT[..], &both].concat(),
            "f.bin: named for two outputs",
        );
    }
    assert_eq!(place.names(), ["keys", "v.csv"]);
}

#[test]
fn a_dash_was_a_file() {
    let place = place();
    let assert = place
        .run(&[&ENCRYPT[..], &["--rows-per-frame", "1", "--out", "-"]].concat())
        .success();
    let output = assert.get_output();
    place.write("f.bin", &output.stdout);
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 rows of 1 values"));
    let assert = place
        .run(&[&SUM[..], &["--in", "f.bin", "--out", "-"]].concat())
        .success();
    place.write("r.bin", &assert.get_output().stdout);
    crate::support::close(&place.decrypted("r.bin"), &[3.0], 0.1);
    assert!(!place.exists("-"));
}

#[test]
fn a_terminal_got_binary_frames() {
    let place = place();
    let terminal =
        rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)
            .unwrap();
    rustix::pty::grantpt(&terminal).unwrap();
    rustix::pty::unlockpt(&terminal).unwrap();
    let name = rustix::pty::ptsname(&terminal, Vec::new()).unwrap();
    let side = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("isopod"));
    command
        .current_dir(place.path(""))
        .args(ENCRYPT)
        .args(["--out", "-"]);
    let output = command
        .stdout(side)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("--out: - is a terminal"), "{message}");
}

/// Starts the command, waits for something unfinished, sends the signal, and gives the status.
fn interrupted(place: &Place, arguments: &[&str], signal: &str) -> ExitStatus {
    // A shell's background jobs ignore interrupts, and what they start inherits that.
    let mut command = Command::new("env");
    let command = command
        .arg("--default-signal=HUP,INT,TERM")
        .arg(assert_cmd::cargo::cargo_bin("isopod"))
        .current_dir(place.path(""))
        .args(arguments);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !partial(place) && started.elapsed() < Duration::from_secs(60) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    child.wait().unwrap()
}

fn partial(place: &Place) -> bool {
    place.names().iter().any(|name| name.ends_with(".partial"))
}

#[test]
fn an_interrupted_run_left_its_files() {
    let place = place();
    let rows: String = (0..40_000).map(|_| "1\n").collect();
    place.write("v.csv", format!("x\n{rows}"));
    let many = [&ENCRYPT[..], &["--rows-per-frame", "1", "--out", "f.bin"]].concat();
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        let status = interrupted(&place, &many, signal);
        assert_eq!(status.signal(), Some(number));
        assert_eq!(place.names(), ["keys", "v.csv"]);
    }
    let keygen = words("keygen --set ckks-32768x14w-multiply --out more --insecure-plaintext-key");
    assert_eq!(interrupted(&place, &keygen, "-TERM").signal(), Some(15));
    assert_eq!(place.names(), ["keys", "v.csv"]);
}

#[test]
fn a_signal_that_the_parent_ignores_ended_the_run() {
    let place = place();
    let rows: String = (0..8000).map(|_| "1\n").collect();
    place.write("v.csv", format!("x\n{rows}"));
    let script = "trap '' HUP; \"$@\" & child=$!; tries=0
        until ls -A | grep -q partial || [ $tries = 2000 ]; do tries=$((tries + 1)); done
        kill -HUP $child && wait $child";
    let mut shell = Command::new("sh");
    let shell = shell
        .args(["-c", script, "sh"])
        .arg(assert_cmd::cargo::cargo_bin("isopod"));
    let shell = shell
        .args(ENCRYPT)
        .args(["--rows-per-frame", "1", "--out", "f.bin"]);
    let status = shell
        .current_dir(place.path(""))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(place.names(), ["f.bin", "keys", "v.csv"]);
}

#[test]
fn what_a_killed_run_left_was_never_named() {
    let place = place();
    place.write(".f.bin.x1Y2z3.partial", "half");
    let assert = place
        .run(&[&ENCRYPT[..], &["--out", "f.bin"]].concat())
        .success();
    let note = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        note.contains("note: .f.bin.x1Y2z3.partial: unfinished"),
        "{note}"
    );
}

#[test]
fn a_passphrase_was_read_from_a_file_that_others_read() {
    let place = Place::new();
    place.write_private("open", "correct horse\n");
    loosen(&place, "open");
    let message = place.refusal(5, &[&KEYGEN[..], &["--passphrase-file", "open"]].concat());
    assert!(
        message.contains("mode 644") && message.contains("chmod 600"),
        "{message}"
    );
    assert!(!place.exists("keys"));
}

#[test]
fn endless_files_were_read_to_the_end() {
    let place = place();
    let large = fs::File::create(place.path("m.json")).unwrap();
    large.set_len(1 << 34).unwrap();
    for (file, most) in [("m.json", "16777216"), ("/dev/zero", "16777216")] {
        let message = place.refusal(
            5,
            &[&ENCRYPT[..], &["--out", "f.bin", "--model", file]].concat(),
        );
        assert!(
            message.contains(file) && message.contains(most),
            "{message}"
        );
    }
    place.refused(
        5,
        &[&KEYGEN[..4], &["other", "--passphrase-file", "/dev/zero"]].concat(),
        "allowed are at most 4096 bytes",
    );
    for file in ["m.json", "/dev/zero"] {
        place.refused(3, &["inspect", file], "item 0 at byte 0: ");
    }
}

#[test]
fn names_steered_the_terminal() {
    let place = place();
    let name = std::ffi::OsStr::from_bytes(b"\x1b[2J\nf\xc2\x9b31m.bin");
    let out = name.to_str().unwrap();
    let text = place.output(&[&ENCRYPT[..], &["--out", out]].concat());
    assert!(
        text.starts_with("\\u{1b}[2J\\nf\\u{9b}31m.bin: 2 rows"),
        "{text}"
    );
    let outputs = [
        place.output(&["inspect", out]),
        place.output(&["inspect", out, "--json"]),
        place.refusal(3, &[&ENCRYPT[..], &["--out", out]].concat()),
        place.refusal(3, &[&ENCRYPT[..], &["--out", out, "--json"]].concat()),
        place.refusal(1, &["inspect", "\u{1b}]0;absent\u{7}"]),
        place.refusal(2, &["params", "--\u{1b}[2J"]),
    ];
    for text in outputs {
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{7}']), "{text:?}");
    }
    place.write("v.csv", "\u{1b}[31mx\nfour\n");
    place.refused(
        3,
        &[&ENCRYPT[..], &["--out", "g.bin"]].concat(),
        "column \\u{1b}[31mx",
    );
}

#[test]
fn a_bad_tag_was_inspected_with_success() {
    let place = place();
    encrypted(&place, "f.bin");
    let mut frames = place.read("f.bin");
    frames[3000] ^= 1;
    place.write("f.bin", &frames);
    place.run(&["inspect", "f.bin"]).success();
    let assert = place
        .run(&["inspect", "f.bin", "--keys", "keys/server"])
        .code(4);
    let output = assert.get_output();
    assert!(String::from_utf8_lossy(&output.stdout).contains("DOES NOT VERIFY"));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("f.bin: item 0: tag:"), "{message}");
}

#[test]
fn keys_were_made_for_a_stride_of_thirteen() {
    let place = Place::new();
    let keygen = words("keygen --set ckks-4096x2-linear --out keys --for total --stride");
    for stride in ["13", "0", "4096"] {
        let message = place.refusal(3, &[&keygen[..], &[stride]].concat());
        let wanted = format!("--stride: {stride}; allowed is a power of two from 1 to 2048");
        assert!(message.contains(&wanted), "{message}");
    }
    let keygen = keygen.into_iter().map(|word| match word {
        "total" => "histogram",
        "ckks-4096x2-linear" => "bfv-4096x2-linear",
        _ => word,
    });
    let keygen: Vec<_> = keygen.collect();
    let message = place.refusal(3, &[&keygen[..], &["4"]].concat());
    let wanted = "no stride is allowed for it";
    assert!(message.contains(wanted), "{message}");
    assert!(place.names().is_empty());
}

#[test]
fn rounding_was_called_a_defence() {
    let place = Place::new();
    let help = place.output(&["decrypt", "--help"]);
    assert!(
        help.contains("however they are rounded") && !help.contains("publish rounded"),
        "{help}"
    );
}
