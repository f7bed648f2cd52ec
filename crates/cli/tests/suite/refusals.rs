//! Bad input: an error that names field and range, the documented exit code, and no file.
#![allow(clippy::unwrap_used)]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use crate::support::{words, Place};

const SET: &str = "ckks-1024x1-sum";

fn encrypt<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [
        &words("encrypt --key keys/device-1 --values v.csv --out f.bin")[..],
        more,
    ]
    .concat()
}

fn sum<'a>(input: &'a str, out: &'a str) -> Vec<&'a str> {
    vec![
        "evaluate",
        "--keys",
        "keys/server",
        "--job",
        "sum",
        "--in",
        input,
        "--out",
        out,
    ]
}

/// A place with keys, values 1 and 2 in frames of their own, and their sum.
fn summed() -> Place {
    let place = Place::with_keys(SET, &[]);
    place.write("v.csv", "x\n1\n2\n");
    place.run(&encrypt(&["--rows-per-frame", "1"])).success();
    place.run(&sum("f.bin", "r.bin")).success();
    place
}

#[test]
fn values_that_are_refused_leave_no_file() {
    let place = Place::with_keys(SET, &[]);
    let cases = [
        (
            "x,y\n1,2\n3,nan\n",
            "row 2, column y: NaN; allowed are finite numbers",
        ),
        (
            "x\ninf\n",
            "row 1, column x: inf; allowed are finite numbers",
        ),
        (
            "x\n1\n-16.5\n",
            "row 2, column x: -16.5 is out of range; allowed is -16 to 16",
        ),
        ("x\nfour\n", "row 1, column x: \"four\" is no number"),
        ("x,y\n1,2\n3\n", "found record with 1 fields"),
        ("x\n", "no rows after the header"),
        ("", "no rows after the header"),
        (
            "1,2\n3,4\n",
            "header: 1,2; the first line must name the columns",
        ),
        ("x,x\n3,4\n", "header: two columns are called \"x\""),
    ];
    for (text, wanted) in cases {
        place.write("v.csv", text);
        let message = place.refusal(3, &encrypt(&[]));
        assert!(
            message.starts_with("error: v.csv: ") && message.contains(wanted),
            "{message}"
        );
        assert_eq!(place.names(), ["keys", "v.csv"]);
    }
    let names: Vec<String> = (0..513).map(|column| format!("c{column}")).collect();
    let cells = vec!["1"; 513].join(",");
    place.write("v.csv", format!("{}\n{cells}\n", names.join(",")));
    assert!(place
        .refusal(3, &encrypt(&[]))
        .contains("513 columns; allowed are 1 to 512"));
}

#[test]
fn settings_out_of_range() {
    let place = Place::with_keys(SET, &[]);
    place.write("v.csv", "x,y,z\n1,2,3\n");
    let cases: [(&[&str], &str); 5] = [
        (
            &["--scale-bits", "9"],
            "--scale-bits: 9 is out of range; allowed is 10 to 22",
        ),
        (
            &["--scale-bits", "22", "--bound-bits", "20"],
            "sum of log2_scale and log2_bound",
        ),
        (
            &["--rows-per-frame", "0"],
            "--rows-per-frame: 0 is out of range; allowed is 1 to 128",
        ),
        (
            &["--rows-per-frame", "129"],
            "--rows-per-frame: 129 is out of range",
        ),
        (
            &["--sequence", "18446744073709551615"],
            "--sequence: 18446744073709551615 is out of range",
        ),
    ];
    for (more, wanted) in cases {
        place.refused(3, &encrypt(more), wanted);
        assert!(!place.exists("f.bin"));
    }
    place.refused(
        3,
        &["keygen", "--set", "ckks-1", "--out", "other"],
        "ckks-4096x2-linear",
    );
    place.refused(
        3,
        &["params", "ckks-1"],
        "allowed is one of ckks-1024x1-sum",
    );
}

#[test]
fn files_are_replaced_only_by_force() {
    let place = summed();
    let before = place.read("f.bin");
    let message = place.refusal(3, &encrypt(&[]));
    assert!(
        message.contains("f.bin: exists already") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(place.read("f.bin"), before);
    place.run(&encrypt(&["--force"])).success();
    assert_ne!(place.read("f.bin"), before);
    place.refusal(3, &sum("f.bin", "r.bin"));
    place.refused(
        5,
        &[
            "keygen",
            "--set",
            SET,
            "--out",
            "keys",
            "--insecure-plaintext-key",
        ],
        "keys: exists already",
    );
}

#[test]
fn damaged_frames_are_refused_and_nothing_is_lost() {
    let place = summed();
    let frames = place.read("f.bin");
    let mut flipped = frames.clone();
    flipped[3000] ^= 1;
    place.write("bad.bin", &flipped);
    place.refused(4, &sum("bad.bin", "x.bin"), "bad.bin: part at byte 0: tag:");
    place.write("bad.bin", &frames[..frames.len() - 1]);
    let strict = [&sum("bad.bin", "x.bin")[..], &["--strict", "--again"]].concat();
    assert!(place
        .refusal(3, &strict)
        .contains("tag: the bytes end early"));
    place.write(
        "bad.bin",
        [&frames[..], &frames[..frames.len() / 2]].concat(),
    );
    assert!(place.refusal(3, &strict).contains("is a duplicate"));
    place.write("bad.bin", "");
    assert!(place
        .refusal(3, &sum("bad.bin", "x.bin"))
        .contains("no frames"));
    assert!(place
        .refusal(1, &sum("absent.bin", "x.bin"))
        .contains("absent.bin"));
    assert!(!place.exists("x.bin"));
    assert_eq!(place.read("f.bin"), frames);
}

#[test]
fn an_incomplete_frame_names_its_missing_part() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    place.write("v.csv", "x\n1\n");
    place
        .run(&encrypt(&["--epoch", "5", "--sequence", "9"]))
        .success();
    let frames = place.read("f.bin");
    place.write("half.bin", &frames[..frames.len() / 2]);
    place.refused(
        3,
        &sum("half.bin", "x.bin"),
        "part: [1] of device 1, epoch 5, sequence 9 missing",
    );
}

#[test]
fn other_peoples_keys_do_not_fit() {
    let place = summed();
    place
        .run(&[
            "keygen",
            "--set",
            SET,
            "--out",
            "other",
            "--insecure-plaintext-key",
        ])
        .success();
    let with_other = words("evaluate --keys other/server --job sum --in f.bin --out x.bin");
    assert!(place.refusal(4, &with_other).contains("tag:"));
    assert!(place
        .refusal(4, &["decrypt", "--keys", "other/owner", "--in", "r.bin"])
        .contains("tag:"));
    let not_results = place.refusal(3, &["decrypt", "--keys", "keys/owner", "--in", "f.bin"]);
    assert!(
        not_results.contains("kind: 1 is not allowed here; allowed is 16"),
        "{not_results}"
    );
    let evaluation = Place::with_keys("ckks-4096x2-linear", &["--rotations", "1"]);
    evaluation
        .run(&words(
            "keygen --out other --insecure-plaintext-key --rotations 1",
        ))
        .success();
    evaluation.write("v.csv", "x,y\n1,2\n");
    evaluation.run(&encrypt(&[])).success();
    evaluation.write(
        "keys/server/evaluation.keys",
        evaluation.read("other/server/evaluation.keys"),
    );
    let total = words("evaluate --keys keys/server --job total --in f.bin --out x.bin");
    evaluation.refused(4, &total, "evaluation.keys: tag:");
}

#[test]
fn rotations_that_are_missing_are_named() {
    let place = Place::with_keys("ckks-4096x2-linear", &["--rotations", "1"]);
    place.write("v.csv", "x,y,z\n1,2,3\n");
    place.run(&encrypt(&[])).success();
    let total = words("evaluate --keys keys/server --job total --in f.bin --out x.bin");
    let message = place.refusal(3, &total);
    assert!(
        message.contains('2') && message.to_lowercase().contains("rotation"),
        "{message}"
    );
    place.refused(
        3,
        &words("evaluate --keys keys/server --job linear --in f.bin --out x.bin"),
        "--model: missing",
    );
}

#[test]
fn secret_files_that_others_may_read_are_refused() {
    let place = summed();
    let loosen = |name: &str| {
        std::fs::set_permissions(place.path(name), Permissions::from_mode(0o644)).unwrap()
    };
    loosen("keys/owner/owner.key");
    place.refused(
        5,
        &["decrypt", "--keys", "keys/owner", "--in", "r.bin"],
        "chmod 600",
    );
    loosen("keys/server/server.key");
    assert!(place
        .refusal(5, &sum("f.bin", "x.bin"))
        .contains("chmod 600"));
    loosen("keys/device-1/frame.key");
    assert!(place
        .refusal(5, &encrypt(&["--force"]))
        .contains("chmod 600"));
}

#[test]
fn compat_sets_are_opt_in_and_named() {
    let set = "ckks-1024x1-seal-embedded";
    let place = Place::new();
    let keygen = [
        "keygen",
        "--set",
        set,
        "--out",
        "keys",
        "--insecure-plaintext-key",
    ];
    let message = place.refusal(3, &keygen);
    assert!(
        message.contains("compat-2018") && message.contains("--allow-compat-2018"),
        "{message}"
    );
    assert!(place.names().is_empty());
    let allow = "--allow-compat-2018";
    let assert = place.run(&[&keygen[..], &[allow]].concat()).success();
    assert!(String::from_utf8_lossy(&assert.get_output().stdout).contains("label compat-2018"));
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains("labelled compat-2018"));
    place.write("v.csv", "x\n1\n2\n");
    place.refusal(3, &encrypt(&[]));
    place
        .run(&encrypt(&[allow, "--rows-per-frame", "1"]))
        .success();
    place.refusal(3, &sum("f.bin", "r.bin"));
    place
        .run(&[&sum("f.bin", "r.bin")[..], &[allow]].concat())
        .success();
    crate::support::close(&place.decrypted("r.bin"), &[3.0], 0.02);
}

#[test]
fn passphrases() {
    let place = Place::new();
    let keygen = ["keygen", "--set", SET, "--out", "keys"];
    place.refused(3, &keygen, "--passphrase-file or ISOPOD_PASSPHRASE");
    place
        .write_private("empty", "\n")
        .write_private("right", "correct horse\n")
        .write("v.csv", "x\n1\n");
    place.refused(
        5,
        &[&keygen[..], &["--passphrase-file", "empty"]].concat(),
        "passphrase: empty",
    );
    assert!(!place.exists("keys"));
    place
        .command()
        .args(keygen)
        .env("ISOPOD_PASSPHRASE", "correct horse")
        .assert()
        .success();
    assert!(!place.exists("keys/owner/owner.key"));
    place.run(&encrypt(&[])).success();
    place.run(&sum("f.bin", "r.bin")).success();
    let decrypt = ["decrypt", "--keys", "keys/owner", "--in", "r.bin"];
    place
        .run(&[&decrypt[..], &["--passphrase-file", "right"]].concat())
        .success();
    let wrong = place
        .command()
        .args(decrypt)
        .env("ISOPOD_PASSPHRASE", "wrong")
        .assert()
        .code(5);
    assert!(String::from_utf8_lossy(&wrong.get_output().stderr).contains("check the passphrase"));
}

#[test]
fn devices_are_distinct_and_a_secret_key_goes_to_one() {
    let place = Place::new();
    let keygen = [
        "keygen",
        "--set",
        SET,
        "--out",
        "keys",
        "--insecure-plaintext-key",
        "--device",
        "1",
        "--device",
    ];
    assert!(place
        .refusal(3, &[&keygen[..], &["1"]].concat())
        .contains("occurs twice"));
    let two = place.refusal(
        3,
        &[&keygen[..], &["2", "--allow-device-secret-key"]].concat(),
    );
    assert!(two.contains("2 devices; allowed is one"), "{two}");
    assert!(place.names().is_empty());
}

#[test]
fn errors_in_json_carry_the_exit_code() {
    let place = Place::new();
    let message = place.refusal(1, &["inspect", "absent", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&message).unwrap();
    assert_eq!(error["code"], 1);
    assert!(error["error"].as_str().unwrap().starts_with("absent: "));
    place.run(&["inspect"]).code(2);
    place.run(&["unknown"]).code(2);
}

#[test]
fn exports_need_something_to_export_and_the_right_folder() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    place.refused(
        3,
        &["export", "--keys", "keys/server", "--out", "out"],
        "--frames: missing",
    );
    let key = ["export", "--insecure-secret-key", "--out", "out", "--keys"];
    place.refused(5, &[&key[..], &["keys/server"]].concat(), "owner.key");
    assert!(!place.exists("out"));
    place.run(&[&key[..], &["keys/owner"]].concat()).success();
    place.refused(5, &[&key[..], &["keys/owner"]].concat(), "exists already");
}
