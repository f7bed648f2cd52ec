//! TFHE sets through every command; computing only where the program was built with tfhe-rs.
#![allow(clippy::unwrap_used)]

#[path = "suite/support/mod.rs"]
mod support;

use support::{words, Place};

const SET: &str = "tfhe-2048-tfhe-rs";
const VALUES: &str = "a,b\n12,200\n7,99\n";

fn evaluate<'a>(job: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let evaluate = [
        "evaluate",
        "--keys",
        "keys/server",
        "--job",
        job,
        "--in",
        "f.bin",
        "--out",
        "r.bin",
        "--force",
    ];
    [&evaluate, more].concat()
}

fn light(set: &str, more: &[&str]) -> Place {
    let place = Place::with_keys(set, &[&["--no-evaluation-keys"], more].concat());
    place.write("v.csv", VALUES);
    place
}

#[test]
fn frames_are_small_and_described() {
    let place = light(SET, &["--allow-device-secret-key"]);
    place.encrypt(&["--by-secret-key"]);
    let facts = place.json(&["inspect", "f.bin", "--keys", "keys/server"]);
    let item = &facts["items"][0];
    assert_eq!(item["authenticity"], "verified");
    assert_eq!(
        (&item["holds"], &item["encrypted_by"]),
        (&"4 x u8".into(), &"secret key".into())
    );
    let rounded = place.read("f.bin").len();
    assert!(rounded <= 16 * 4 + 107, "{rounded}");
    place.encrypt(&words(
        "--by-secret-key --whole-bodies --force --suite aes128",
    ));
    assert_eq!(place.read("f.bin").len() - rounded, 16 * 4);
    place.encrypt(&["--rows-per-frame", "1", "--force", "--type", "u16"]);
    let facts = place.json(&["inspect", "f.bin"]);
    assert_eq!(facts["items"].as_array().unwrap().len(), 2);
    assert_eq!(facts["items"][1]["fits_sets"], SET);
}

#[test]
fn values_and_options_that_do_not_fit_are_named() {
    let place = light(SET, &[]);
    let refusal = |more: &[&str]| {
        let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out f.bin");
        place.refusal(3, &[&encrypt, more].concat())
    };
    let message = refusal(&["--type", "i8"]);
    assert!(
        message.contains("row 1, column b: \"200\"; allowed are whole numbers from -128 to 127"),
        "{message}"
    );
    assert!(refusal(&["--suite", "seal-shake256"]).contains("--suite"));
    assert!(refusal(&["--rows-per-frame", "257"]).contains("allowed is 1 to 256"));
    assert!(place
        .refusal(
            2,
            &["encrypt", "--keys", "k", "--values", "v", "--out", "f", "--type", "u9"]
        )
        .contains("u16"));
}

#[test]
fn sets_of_other_labels_are_opt_in() {
    let place = Place::new();
    let keygen = |set: &'static str| {
        [
            "keygen",
            "--set",
            set,
            "--out",
            "keys",
            "--insecure-plaintext-key",
        ]
    };
    let message = place.refusal(3, &keygen("tfhe-1024-binary"));
    assert!(
        message.contains("labelled research") && message.contains("--allow-research"),
        "{message}"
    );
    place.refused(3, &keygen("tfhe-1024-tfhepp"), "--allow-compat-tfhepp");
    assert!(place
        .refusal(3, &keygen("tfhe-4096"))
        .contains("tfhe-2048-tfhe-rs"));
}

#[test]
fn rotation_keeps_the_shape() {
    let shape = ["--seeded-public-key", "--allow-device-secret-key"];
    for (set, allow) in [
        (SET, None),
        ("tfhe-1024-tfhepp", Some("--allow-compat-tfhepp")),
    ] {
        let more: Vec<&str> = shape.into_iter().chain(allow).collect();
        let place = light(set, &more);
        let rotate = words("rotate --keys keys --out fresh --insecure-plaintext-key");
        let rotate: Vec<&str> = rotate.into_iter().chain(allow).collect();
        let new = place.json(&rotate);
        assert_eq!(
            (&new["set"], &new["secret_key_on_device"]),
            (&set.into(), &true.into())
        );
        for file in [
            "public/public.key",
            "device-1/secret.key",
            "device-1/frame.key",
        ] {
            let read = |folder: &str| place.read(&format!("{folder}/{file}"));
            assert_eq!(read("keys").len(), read("fresh").len());
            assert_ne!(read("keys"), read("fresh"), "{file}");
        }
        assert!(!place.path("fresh/server/evaluation.keys").exists());
    }
}

/// Keys of 0 bytes would be found when the server first computes.
#[cfg(not(feature = "tfhe"))]
#[test]
fn server_keys_that_cannot_be_made_are_named_before_anything_is() {
    let place = Place::new();
    let keygen = [
        "keygen",
        "--set",
        SET,
        "--out",
        "keys",
        "--insecure-plaintext-key",
    ];
    let message = place.refusal(3, &keygen);
    assert!(
        message.contains("are made by tfhe-rs") && message.contains("--no-evaluation-keys"),
        "{message}"
    );
    assert_eq!(place.names(), [""; 0]);
    let place = light(SET, &[]);
    let server_keys = ["server-keys", "--keys", "keys/owner", "--out", "e.keys"];
    place.refused(3, &server_keys, "build it with --features tfhe");
    assert!(!place.exists("e.keys"));
}

/// Only a build with tfhe-rs can make new server keys of TFHE.
#[cfg(not(feature = "tfhe"))]
#[test]
fn rotation_of_server_keys_needs_tfhe_rs() {
    let place = light(SET, &[]);
    place.write("keys/server/evaluation.keys", "anything");
    let rotate = words("rotate --keys keys --out fresh --insecure-plaintext-key");
    place.refused(3, &rotate, "--features tfhe");
    assert!(!place.path("fresh").exists());
}

#[test]
fn export_names_the_way_of_tfhe() {
    let place = light("tfhe-1024-tfhepp", &["--allow-compat-tfhepp"]);
    let export = |keys| ["export", "--keys", keys, "--frames", "f.bin", "--out", "e"];
    place.refused(3, &export("keys/server"), "isopod export-tfhepp");
    let place = light(SET, &[]);
    place.refused(3, &export("keys/server"), "isopod evaluate");
}

#[test]
fn every_job_says_which_evaluator_it_needs() {
    let place = light(SET, &[]);
    place.encrypt(&[]);
    let message = place.refusal(3, &evaluate("sum", &[]));
    let wanted = "sum is computed by Microsoft SEAL on CKKS or BFV frames, but the keys are of tfhe-2048-tfhe-rs";
    assert!(message.contains(wanted), "{message}");
    let message = place.refusal(3, &evaluate("alarm", &["--above", "9"]));
    let wanted = if cfg!(feature = "tfhe") {
        "evaluation.keys: missing; alarm needs the server key"
    } else {
        "--features tfhe"
    };
    assert!(message.contains(wanted), "{message}");
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    place.write("v.csv", VALUES);
    place.encrypt(&["--bound-bits", "8", "--scale-bits", "14"]);
    place.refused(
        3,
        &evaluate("alarm", &["--above", "9"]),
        "alarm is computed by tfhe-rs on TFHE frames",
    );
}

#[test]
fn tfhepp_gets_its_arrays() {
    let allow = "--allow-compat-tfhepp";
    let place = light("tfhe-1024-tfhepp", &[allow]);
    place.encrypt(&[allow]);
    let export = |keys: &'static str, what: &'static str, out: &'static str| {
        [
            "export-tfhepp",
            "--keys",
            keys,
            "--what",
            what,
            "--out",
            out,
            allow,
        ]
    };
    let input = ["--in", "f.bin"];
    place
        .run(&[&export("keys/server", "trlwe", "trlwe")[..], &input].concat())
        .success();
    place
        .run(&[&export("keys/server", "tlwe", "tlwe")[..], &input].concat())
        .success();
    place.run(&export("keys/owner", "key", "key")).success();
    assert_eq!(place.read("trlwe").len(), 8192);
    assert_eq!(place.read("tlwe").len(), 32 * 4100);
    assert_eq!(place.read("key").len(), 4096);
    let words = |name: &str| -> Vec<u32> {
        place
            .read(name)
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    };
    let key = words("key");
    let bits = words("tlwe");
    let bits = bits.chunks(1025).map(|row| {
        let product = row
            .iter()
            .zip(&key)
            .fold(0u32, |sum, (a, s)| sum.wrapping_add(a.wrapping_mul(*s)));
        u8::from(row[1024].wrapping_sub(product) < 1 << 31)
    });
    let bits: Vec<u8> = bits.collect();
    let bytes = bits
        .chunks(8)
        .map(|bits| bits.iter().rev().fold(0u8, |sum, bit| sum << 1 | bit));
    assert_eq!(bytes.collect::<Vec<_>>(), [12, 200, 7, 99]);
    assert!(place
        .refusal(3, &export("keys/server", "tlwe", "t"))
        .contains("--in: missing"));
}

#[test]
fn replayed_foreign_and_damaged_frames_are_refused() {
    let place = light("tfhe-1024-tfhepp", &["--allow-compat-tfhepp"]);
    let allow = "--allow-compat-tfhepp";
    place.encrypt(&[allow]);
    let export = [
        "export-tfhepp",
        "--keys",
        "keys/server",
        "--what",
        "trlwe",
        "--out",
        "x",
        allow,
        "--in",
    ];
    let good = place.read("f.bin");
    place.write("twice", [&good[..], &good].concat());
    assert!(place
        .refusal(3, &[&export[..], &["twice"]].concat())
        .contains("duplicate"));
    let mut damaged = good.clone();
    damaged[80] ^= 1;
    place
        .write("damaged", &damaged)
        .write("cut", &good[..good.len() - 1]);
    place.refusal(4, &[&export[..], &["damaged"]].concat());
    assert!(place
        .refusal(3, &[&export[..], &["cut"]].concat())
        .contains("end early"));
    let other = light("tfhe-1024-tfhepp", &[allow]);
    other.encrypt(&[allow]);
    place.write("foreign", other.read("f.bin"));
    place.refusal(4, &[&export[..], &["foreign"]].concat());
}

#[test]
fn sets_are_listed() {
    let place = Place::new();
    assert!(place.output(&["params"]).contains("tfhe-1024-binary"));
    assert!(place.output(&["params", SET]).contains("TUniform(17)"));
}

/// Checks that the smallest value, 7, is named by the second row, in a frame of its own.
#[cfg(feature = "tfhe")]
fn assert_winner(place: &Place) {
    let csv = place.output(&["decrypt", "--keys", "keys/owner", "--in", "r.bin"]);
    let frame = place.json(&["inspect", "f.bin"])["items"][1].clone();
    let lines: Vec<&str> = csv.lines().skip(1).collect();
    let (epoch, sequence) = (&frame["epoch"], &frame["sequence"]);
    assert_eq!(
        lines,
        [",,,,0,u16,2,0", &format!("1,{epoch},{sequence},0,0,u8,7,0")]
    );
}

#[cfg(feature = "tfhe")]
#[test]
fn jobs_from_readings_to_values() {
    let place = light(SET, &[]);
    place.encrypt(&[]);
    let missing = place.refusal(3, &evaluate("minimum", &[]));
    assert!(missing.contains("isopod server-keys"), "{missing}");
    let out = ["--out", "keys/server/evaluation.keys"];
    let made = place.json(&[&["server-keys", "--keys", "keys/owner"], &out[..]].concat());
    assert!(made["bytes"].as_u64() > Some(1 << 20), "{made}");
    place.encrypt(&["--rows-per-frame", "1", "--force"]);
    let values = |job: &str, more: &[&str]| {
        let more = [more, &["--again"]].concat();
        place.run(&evaluate(job, &more)).success();
        place.decrypted("r.bin")
    };
    assert_eq!(values("alarm", &["--above", "199"]), [1.0]);
    assert_eq!(values("alarm", &["--above", "200"]), [0.0]);
    assert_eq!(values("argmax", &[]), [1.0, 200.0]);
    assert_eq!(values("argmin", &[]), [2.0, 7.0]);
    assert_winner(&place);
    assert_eq!(values("minimum", &[]), [7.0]);
    assert_eq!(values("count", &["--below", "100"]), [3.0]);
    assert_eq!(values("histogram", &["--edges", "10,100"]), [1.0, 2.0, 1.0]);
    let branch = r#"{"feature": 1, "above": 150, "then": {"leaf": 3}, "otherwise": {"leaf": 4}}"#;
    let tree = format!(r#"{{"features": 2, "root": {{"branch": {branch}}}}}"#);
    place.write("t.json", tree);
    assert_eq!(values("tree", &["--tree", "t.json"]), [3.0, 4.0]);
    let csv = place.output(&["decrypt", "--keys", "keys/owner", "--in", "r.bin"]);
    assert_eq!(
        csv.lines().next(),
        Some("device,epoch,sequence,row,column,type,value,error")
    );
    assert!(place
        .refusal(3, &evaluate("alarm", &[]))
        .contains("--above or --below: missing"));
    assert!(place
        .refusal(3, &evaluate("alarm", &["--above", "256"]))
        .contains("allowed is 0 to 255 for u8"));
    place.json(&words(
        "rotate --keys keys --out fresh --insecure-plaintext-key",
    ));
    let fresh = place.read("fresh/server/evaluation.keys");
    let mut keys = place.read("keys/server/evaluation.keys");
    assert_eq!(fresh.len(), keys.len());
    let middle = keys.len() / 2;
    keys[middle] ^= 1;
    place.write("keys/server/evaluation.keys", &keys);
    place.refusal(4, &evaluate("minimum", &["--again"]));
}
