//! Keys, frames, jobs and results, end to end.
#![allow(clippy::unwrap_used)]

use crate::support::{close, repository, words, Place};

const ROWS: &str = "a,b,c\n1,2,3\n-1,0.5,2\n4,4,4\n0,0,-3\n";
const MODEL: &str =
    r#"{"kind":"logistic","features":["a","b","c"],"weights":[0.5,-1,0.25],"bias":0.125}"#;
const SCORES: [f64; 4] = [-0.625, -0.375, -0.875, -0.625];

#[test]
fn scores_of_rows() {
    let place = Place::with_keys(
        "ckks-4096x2-linear",
        &["--for", "logistic", "--stride", "4"],
    );
    place.write("v.csv", ROWS).write("m.json", MODEL);
    place.encrypt(&[]);
    for job in ["logistic", "linear", "inner"] {
        place.evaluate(job, &["--model", "m.json"]);
        close(&place.decrypted("r.bin"), &SCORES, 0.001);
    }
    place.evaluate("logistic", &["--model", "m.json", "--again"]);
    let csv = place.output(&["decrypt", "--keys", "keys/owner", "--in", "r.bin", "--csv"]);
    let line = csv.lines().nth(1).unwrap();
    assert_eq!(
        csv.lines().next(),
        Some("device,epoch,sequence,row,column,value,error,probability")
    );
    let probability: f64 = line.split(',').nth(7).unwrap().parse().unwrap();
    assert!(
        (probability - 1.0 / (1.0 + 0.625f64.exp())).abs() < 0.001,
        "{line}"
    );
}

#[test]
fn sums_means_and_totals() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    place.write("v.csv", ROWS);
    place.encrypt(&["--rows-per-frame", "1"]);
    place.evaluate("sum", &[]);
    close(&place.decrypted("r.bin"), &[4.0, 6.5, 6.0], 0.001);
    place.evaluate("mean", &[]);
    close(&place.decrypted("r.bin"), &[1.0, 1.625, 1.5], 0.001);
    place.encrypt(&["--force"]);
    place.evaluate("total", &[]);
    close(&place.decrypted("r.bin"), &[6.0, 1.5, 12.0, -3.0], 0.01);
}

#[test]
fn a_set_without_rotations_sums() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    place.write("v.csv", ROWS);
    assert!(!place.exists("keys/server/evaluation.keys"));
    place.encrypt(&["--rows-per-frame", "1"]);
    place.evaluate("mean", &[]);
    // The noise of a slot has the tails of a product, so only the error beside the value bounds it.
    let opened = place.json(&["decrypt", "--keys", "keys/owner", "--in", "r.bin"]);
    let error = opened["values"][0]["error"].as_f64().unwrap();
    assert!(error < 0.2, "{error}");
    close(&place.decrypted("r.bin"), &[1.0, 1.625, 1.5], error);
    place.refused(
        3,
        &words("evaluate --keys keys/server --job total --in f.bin --out x"),
        "key switching",
    );
}

#[test]
fn the_largest_degree() {
    let place = Place::with_keys("ckks-32768x14w-multiply", &["--rotations", "1"]);
    place.write("v.csv", ROWS);
    place.encrypt(&["--rows-per-frame", "1"]);
    place.evaluate("mean", &[]);
    close(&place.decrypted("r.bin"), &[1.0, 1.625, 1.5], 1e-9);
}

#[test]
fn a_cubic_sigmoid_on_the_server() {
    let keys = ["--for", "sigmoid", "--stride", "4"];
    let place = Place::with_keys("ckks-8192x6-multiply", &keys);
    place.write("v.csv", ROWS).write("m.json", MODEL);
    // Scores of values up to 16 might leave the range of the cubic.
    place.encrypt(&["--bound-bits", "2"]);
    place.evaluate("sigmoid", &["--model", "m.json"]);
    let cubic = |x: f64| 0.5 + 0.150_120_41 * x - 0.001_593_017 * x * x * x;
    close(&place.decrypted("r.bin"), &SCORES.map(cubic), 0.01);
}

#[test]
fn every_suite_and_the_secret_key() {
    let place = Place::with_keys(
        "ckks-4096x2-linear",
        &["--allow-device-secret-key", "--seeded-public-key"],
    );
    place.write("v.csv", ROWS);
    assert!(String::from_utf8(place.read("keys/device-1/isopod_keys.h"))
        .unwrap()
        .contains("isopod_secret_key["));
    for suite in ["chacha20", "shake256", "seal-shake256"] {
        for by in [&[][..], &["--by-secret-key"]] {
            place.encrypt(&[&["--force", "--rows-per-frame", "1", "--suite", suite], by].concat());
            place.evaluate("sum", &[]);
            close(&place.decrypted("r.bin"), &[4.0, 6.5, 6.0], 0.001);
        }
    }
}

#[test]
fn values_come_from_standard_input_too() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    let encrypt = words("encrypt --key keys/device-1 --values - --out f.bin --json");
    let assert = place
        .command()
        .args(encrypt)
        .write_stdin("x\n1\n2\n")
        .assert()
        .success();
    let output: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!((&output["rows"], &output["frames"]), (&2.into(), &1.into()));
    assert!(assert.get_output().stderr.is_empty());
}

#[test]
fn frames_of_several_devices_and_files_in_any_order() {
    let place = Place::with_keys("ckks-4096x2-linear", &["--device", "1", "--device", "2"]);
    place.write("v.csv", "x\n1\n").write("w.csv", "x\n2\n");
    place.encrypt(&[]);
    place
        .run(&words(
            "encrypt --key keys/device-2 --values w.csv --out g.bin",
        ))
        .success();
    let (first, second) = (place.read("f.bin"), place.read("g.bin"));
    let (half, other) = (first.len() / 2, second.len() / 2);
    place.write("1.bin", [&second[other..], &first[half..]].concat());
    place.write("2.bin", [&first[..half], &second[..other]].concat());
    let evaluate = words("evaluate --keys keys/server --job sum --out r.bin --in 1.bin 2.bin");
    place.run(&evaluate).success();
    close(&place.decrypted("r.bin"), &[3.0], 0.001);
}

#[test]
fn a_model_standardises_raw_values() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    let model = r#"{"kind":"linear","features":["c","a"],"mean":[2,1],"scale":[2,0.5],"weights":[1,1],"bias":0}"#;
    place.write("v.csv", ROWS).write("m.json", model);
    place.encrypt(&["--model", "m.json"]);
    place.evaluate("linear", &["--model", "m.json"]);
    close(&place.decrypted("r.bin"), &[0.5, -4.0, 7.0, -4.5], 0.001);
}

#[test]
fn the_demo_predicts_as_in_the_clear() {
    let place = Place::new();
    let (readings, model) = (
        repository("examples/breast-cancer/readings.csv"),
        repository("examples/breast-cancer/model.json"),
    );
    let output = place.json(&["demo", "--readings", &readings, "--model", &model]);
    assert_eq!(
        (&output["rows"], &output["equal_predictions"]),
        (&569.into(), &569.into())
    );
    assert!(
        output["largest_score_error"].as_f64().unwrap() < 0.01,
        "{output}"
    );
    assert!(output["bytes_per_row"].as_f64() < output["seal_bytes_per_row"].as_f64());
}

#[test]
fn the_demo_takes_frames_and_facts_of_a_device() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    let (readings, model) = (
        repository("examples/breast-cancer/readings.csv"),
        repository("examples/breast-cancer/model.json"),
    );
    std::fs::create_dir(place.path("frames")).unwrap();
    let encrypt = [
        "encrypt",
        "--key",
        "keys/device-1",
        "--bound-bits",
        "3",
        "--model",
        &model,
        "--standardised",
        "--out",
        "frames/a.bin",
        "--values",
    ];
    place.run(&[&encrypt[..], &[&readings]].concat()).success();
    place.write("device.json", r#"{"ram_bytes": 23456}"#);
    let demo = words("demo --keys keys --frames frames --device-report device.json");
    let text = place.output(&[&demo[..], &["--readings", &readings, "--model", &model]].concat());
    assert!(
        text.contains("569 of 569") && text.contains("device: ram bytes"),
        "{text}"
    );
    let empty = place.path("empty");
    std::fs::create_dir(&empty).unwrap();
    place.refused(
        3,
        &words(&format!(
            "demo --keys keys --frames empty --readings {readings} --model {model}"
        )),
        "no files ending in .bin",
    );
}
