//! Answers of the commands that were wrong with exit code 0: each is right now, or refused by name.
#![allow(clippy::unwrap_used)]

use crate::support::{close, words, Place};
use serde_json::Value;

const EVALUATE: [&str; 3] = ["evaluate", "--keys", "keys/server"];
const DECRYPT: [&str; 3] = ["decrypt", "--keys", "keys/owner"];

/// Encrypts a table as this device.
fn encrypt(place: &Place, device: u64, table: &str, more: &[&str]) {
    let folder = format!("keys/device-{device}");
    place.write("v.csv", table);
    let encrypt = ["encrypt", "--keys", &folder, "--values", "v.csv"];
    place.run(&[&encrypt[..], more].concat()).success();
}

fn evaluate(place: &Place, more: &[&str]) {
    place.run(&[&EVALUATE[..], more].concat()).success();
}

/// The rows of `decrypt --json`.
fn rows(place: &Place, more: &[&str]) -> Vec<Value> {
    let output = place.json(&[&DECRYPT[..], more].concat());
    output["values"].as_array().unwrap().clone()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("f{at}")).collect()
}

/// A linear model of this many features, and a row of as many columns.
fn model(count: usize) -> String {
    let names: Vec<String> = names(count)
        .iter()
        .map(|name| format!("{name:?}"))
        .collect();
    let weights = vec!["1"; count].join(",");
    format!(
        r#"{{"kind":"linear","features":[{}],"weights":[{weights}],"bias":0}}"#,
        names.join(",")
    )
}

fn table(count: usize) -> String {
    format!(
        "{}\n{}\n",
        names(count).join(","),
        vec!["1"; count].join(",")
    )
}

#[test]
fn three_times_30000_gave_24463() {
    let place = Place::with_keys("bfv-4096x2-linear", &["--for", "sum"]);
    let more = words("--rows-per-frame 1 --bound-bits 15 --out f.bin");
    encrypt(&place, 1, "x\n30000\n30000\n30000\n", &more);
    let sum = ["--job", "sum", "--in", "f.bin", "--out", "r.bin"];
    place.refused(3, &[&EVALUATE[..], &sum].concat(), "98304");
    assert!(!place.exists("r.bin"));
}

#[test]
fn an_evaluation_says_which_share_of_its_error_is_in_step() {
    let place = Place::with_keys("ckks-2048x1-sum", &["--for", "sum"]);
    encrypt(&place, 1, "x\n1\n2\n3\n", &["--out", "f.bin"]);
    let sum = ["--job", "sum", "--in", "f.bin", "--out", "r.bin"];
    let facts = place.json(&[&EVALUATE[..], &sum].concat());
    let share = |name: &str| facts[name].as_f64().unwrap();
    let [error, in_step, random] = ["error", "error_in_step", "error_random"].map(share);
    assert!(in_step > 0.0 && random > in_step, "{facts}");
    assert!(error >= in_step + random - f64::EPSILON * error, "{facts}");
    let printed = rows(&place, &["--in", "r.bin"])[0]["error"].as_f64();
    assert_eq!(printed, Some(error));
    // Digits of the table are rounded up.
    let decrypt = [&DECRYPT[..], &["--in", "r.bin"]].concat();
    let text = place.output(&decrypt);
    let shown: f64 = text
        .lines()
        .nth(1)
        .unwrap()
        .rsplit(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(shown >= error && shown < 1.002 * error, "{text}");
    let part = place.json(&["inspect", "f.bin"]);
    let dithered = part["items"][0]["dithered"].as_bool();
    assert_eq!(dithered, Some(true), "{part}");
}

#[test]
fn a_model_of_13_features_scored_frames_packed_for_12() {
    let keys = ["--for", "linear", "--stride", "16"];
    let place = Place::with_keys("ckks-4096x2-linear", &keys);
    place.write("m.json", model(13));
    encrypt(&place, 1, &table(12), &["--out", "f.bin"]);
    let linear = [
        "--job", "linear", "--model", "m.json", "--in", "f.bin", "--out", "r.bin",
    ];
    place.refused(
        3,
        &[&EVALUATE[..], &linear].concat(),
        "its 12 columns are not the 13 features",
    );
    place.write("m.json", model(12));
    evaluate(&place, &linear);
    close(&place.decrypted("r.bin"), &[12.0], 0.01);
}

#[test]
fn a_missing_meter_moved_everybody_elses_result_up_by_one_row() {
    let devices = ["--device", "1", "--device", "2", "--device", "3"];
    let place = Place::with_keys(
        "bfv-4096x2-linear",
        &[&devices[..], &["--for", "total"]].concat(),
    );
    for device in ["1", "2", "3"] {
        let (frames, ids) = (format!("f{device}.bin"), format!("i{device}.csv"));
        let table = format!("meter,a,b\nm{device},{device},1\n\"n,{device}\",{device},2\n");
        let more = ["--id", "meter", "--write-ids", &ids, "--out", &frames];
        encrypt(&place, device.parse().unwrap(), &table, &more);
    }
    evaluate(
        &place,
        &[
            "--job", "total", "--in", "f1.bin", "f3.bin", "--out", "r.bin",
        ],
    );
    let rows = rows(
        &place,
        &["--in", "r.bin", "--ids", "i1.csv", "i2.csv", "i3.csv"],
    );
    let read = |row: &Value| {
        (
            row["device"].as_u64().unwrap(),
            row["row"].as_u64().unwrap(),
            row["id"].as_str().unwrap().to_owned(),
            row["value"].as_i64().unwrap(),
        )
    };
    let found: Vec<_> = rows.iter().map(read).collect();
    let wanted = [
        (1, 0, "m1", 2),
        (1, 1, "n,1", 3),
        (3, 0, "m3", 4),
        (3, 1, "n,3", 5),
    ];
    let wanted = wanted.map(|(device, row, id, value)| (device, row, id.to_owned(), value));
    assert_eq!(found, wanted);
    assert!(rows
        .iter()
        .all(|row| row["error"] == 0.0 && row["sequence"] == 0));
    let csv = place.output(&[&DECRYPT[..], &["--in", "r.bin", "--ids", "i1.csv"]].concat());
    let line = csv.lines().nth(2).unwrap();
    let epoch = rows[1]["epoch"].as_u64().unwrap();
    assert_eq!(
        csv.lines().next(),
        Some("device,epoch,sequence,row,id,column,value,error")
    );
    assert_eq!(line, format!("1,{epoch},0,1,\"n,1\",0,3,0"));
}

#[test]
fn a_lost_frame_was_not_missed() {
    let place = Place::with_keys("bfv-4096x2-linear", &["--for", "total"]);
    let more = ["--rows-per-frame", "1", "--level", "1", "--out", "f.bin"];
    encrypt(&place, 1, "a,b\n1,1\n2,2\n3,3\n", &more);
    let frames = place.read("f.bin");
    let each = frames.len() / 3;
    place.write("f.bin", [&frames[..each], &frames[2 * each..]].concat());
    evaluate(
        &place,
        &["--job", "total", "--in", "f.bin", "--out", "r.bin"],
    );
    let decrypt = [&DECRYPT[..], &["--in", "r.bin"]].concat();
    let assert = place.run(&decrypt).success();
    let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        message.contains("missing: sequences 1 to 1 of device 1, epoch"),
        "{message}"
    );
    assert_eq!(place.json(&decrypt)["gaps"][0]["first"], 1);
}

#[test]
fn a_mean_over_frames_of_three_and_two_rows_divided_by_two() {
    let place = Place::with_keys("ckks-4096x2-linear", &[]);
    encrypt(
        &place,
        1,
        "x\n1\n2\n3\n4\n5\n",
        &["--rows-per-frame", "3", "--out", "f.bin"],
    );
    let mean = ["--job", "mean", "--in", "f.bin", "--out", "r.bin"];
    let message = place.refusal(3, &[&EVALUATE[..], &mean].concat());
    assert!(
        message.contains("rows: 2, but frame 0 of device 1") && message.contains("has 3"),
        "{message}"
    );
}

#[test]
fn buckets_at_0_10_100_were_read_as_0_50_100() {
    let place = Place::with_keys("bfv-4096x2-linear", &[]);
    let litres = "litres\n3\n12\n9.5\n10\n-1\n250\n";
    let packed = |edges, out, packing| {
        let more = [
            "--buckets",
            edges,
            "--bound-bits",
            "8",
            "--out",
            out,
            "--write-packing",
            packing,
        ];
        encrypt(&place, 1, litres, &more);
    };
    packed("0,10,100", "f.bin", "p.json");
    packed("0,50,100", "g.bin", "q.json");
    evaluate(
        &place,
        &["--job", "histogram", "--in", "f.bin", "--out", "r.bin"],
    );
    let rows = rows(&place, &["--in", "r.bin", "--packing", "p.json"]);
    let read = |row: &Value| {
        (
            row["column"].as_str().unwrap().to_owned(),
            row["value"].as_i64().unwrap(),
        )
    };
    let found: Vec<_> = rows.iter().map(read).collect();
    let wanted = [
        ("below 0", 1),
        ("0 to 10", 2),
        ("10 to 100", 2),
        ("100 and above", 1),
    ];
    assert_eq!(
        found,
        wanted.map(|(bucket, count)| (bucket.to_owned(), count))
    );
    let other = ["--in", "r.bin", "--packing", "q.json"];
    place.refused(
        3,
        &[&DECRYPT[..], &other].concat(),
        "packing: the results are of other columns",
    );
    let both = words("--job histogram --in f.bin g.bin --out x.bin --again");
    place.refused(3, &[&EVALUATE[..], &both].concat(), "packing: ");
}

#[test]
fn results_joined_swapped_dropped_or_repeated_were_read() {
    let place = Place::with_keys("bfv-4096x2-linear", &["--for", "total"]);
    let more = ["--rows-per-frame", "1", "--out", "f.bin"];
    encrypt(&place, 1, "a,b\n1,1\n2,2\n", &more);
    evaluate(
        &place,
        &["--job", "total", "--in", "f.bin", "--out", "r.bin"],
    );
    evaluate(
        &place,
        &[
            "--job", "total", "--in", "f.bin", "--out", "s.bin", "--again",
        ],
    );
    let (r, s) = (place.read("r.bin"), place.read("s.bin"));
    let (first, second) = r.split_at(r.len() / 2);
    for (items, wanted) in [
        (
            [&r[..], &s].concat(),
            "result 2: run: another than that of result 0",
        ),
        (
            [first, &s[s.len() / 2..]].concat(),
            "result 1: run: another",
        ),
        ([second, first].concat(), "results are swapped"),
        ([first, first].concat(), "results are repeated"),
        (second.to_vec(), "results are missing"),
        (first.to_vec(), "result: 1 of 2; allowed are all"),
    ] {
        place.write("x.bin", items);
        place.refused(3, &[&DECRYPT[..], &["--in", "x.bin"]].concat(), wanted);
    }
}

#[test]
fn yesterdays_frames_passed_in_todays_run() {
    let place = Place::with_keys("bfv-4096x2-linear", &["--for", "sum"]);
    encrypt(&place, 1, "a\n1\n", &["--out", "f.bin"]);
    let sum = ["--job", "sum", "--in", "f.bin", "--out"];
    evaluate(&place, &[&sum[..], &["r.bin"]].concat());
    place.refused(3, &[&EVALUATE[..], &sum, &["s.bin"]].concat(), "--again");
    assert!(!place.exists("s.bin"));
    evaluate(&place, &[&sum[..], &["s.bin", "--again"]].concat());
    let facts = place.json(&[&DECRYPT[..], &["--in", "s.bin"]].concat());
    assert_eq!(
        (&facts["sequence"], &facts["frames"]),
        (&1.into(), &1.into())
    );
    // The owner hears of an answer that comes late or twice.
    let news = |file| place.json(&[&DECRYPT[..], &["--in", file]].concat())["news"].to_string();
    assert!(news("r.bin").contains("late: answer 0 comes after answer 1"));
    assert!(news("r.bin").contains("again: answer 0 was read before"));
}

#[test]
fn an_old_answer_passed_for_a_new_request() {
    let place = Place::with_keys(
        "ckks-4096x2-linear",
        &["--for", "logistic", "--stride", "4"],
    );
    place.write("m.json", model(3));
    encrypt(
        &place,
        1,
        &table(3),
        &["--model", "m.json", "--out", "f.bin"],
    );
    let ask = |out| {
        let request = words("request --keys keys/owner --job linear --model m.json");
        place
            .run(&[&request[..], &["--out", out]].concat())
            .success();
    };
    ask("one.json");
    ask("two.json");
    evaluate(
        &place,
        &["--request", "one.json", "--in", "f.bin", "--out", "r.bin"],
    );
    let decrypt = |request| [&DECRYPT[..], &["--in", "r.bin", "--request", request]].concat();
    place.run(&decrypt("one.json")).success();
    place.refused(
        3,
        &decrypt("two.json"),
        "challenge: the results answer another request",
    );
    let changed = String::from_utf8(place.read("one.json")).unwrap();
    let changed = changed.replace("\"bias\": 0", "\"bias\": 1");
    assert_ne!(changed.as_bytes(), place.read("one.json"));
    place.write("one.json", changed);
    place.refused(3, &decrypt("one.json"), "--request: request: ");
    let both = words("--request two.json --job sum --in f.bin --out x");
    place.refusal(2, &[&EVALUATE[..], &both].concat());
}

#[test]
fn results_did_not_say_how_far_off_they_may_be() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    encrypt(&place, 1, "x,y\n1,-2\n", &["--out", "f.bin"]);
    evaluate(&place, &["--job", "sum", "--in", "f.bin", "--out", "r.bin"]);
    for (row, wanted) in rows(&place, &["--in", "r.bin"]).iter().zip([1.0, -2.0]) {
        let (value, error) = (
            row["value"].as_f64().unwrap(),
            row["error"].as_f64().unwrap(),
        );
        assert!(error > 0.0 && (value - wanted).abs() <= error, "{row}");
    }
    let item = &place.json(&["inspect", "r.bin", "--keys", "keys/server"])["items"][0];
    assert_eq!((&item["frames"], &item["total"]), (&1.into(), &1.into()));
    assert_eq!(item["manifest"][0]["device"], 1);
    let item = &place.json(&["inspect", "f.bin"])["items"][0];
    assert_eq!(
        (&item["bound"], &item["columns"]),
        (&16.0.into(), &2.into())
    );
}
