//! Questions on merged frames, from keys to the answer, in the ring of tests; refusals; programs that end.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::merged_tables;
use crate::support::{repository, words, Place};

/// Edges of the histogram; the second one is the threshold of the count.
const EDGES: [f64; 3] = [20.0, 75.0, 90.5];
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

/// Readings from 0 to 120, none of them nearer than 2 to an edge, and how many are in each bin.
fn readings() -> (String, [usize; 4]) {
    let far = (0..).map(|at: usize| (at * 7919 % 1200) as f64 / 10.0);
    let far = far.filter(|reading| EDGES.iter().all(|edge| (reading - edge).abs() > 2.0));
    let readings: Vec<f64> = far.take(READINGS).collect();
    let mut bins = [0; 4];
    for reading in &readings {
        bins[EDGES.iter().filter(|&edge| reading > edge).count()] += 1;
    }
    let rows: String = readings
        .iter()
        .map(|reading| format!("{reading}\n"))
        .collect();
    (format!("a\n{rows}"), bins)
}

/// Keys and two frames.
fn place() -> (Place, [usize; 4]) {
    let place = Place::with_keys("ckks-2048x1-air", &[]);
    let (rows, bins) = readings();
    place.write("v.csv", rows);
    place.encrypt(&words(
        "--scale-bits 10 --bound-bits 7 --rows-per-frame 500",
    ));
    (place, bins)
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

fn histogram<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let own = words("evaluate --keys keys/server --in f.bin --out r.bin --job histogram");
    [&own, more].concat()
}

#[test]
fn answers_reach_their_owner() {
    let (place, bins) = place();
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
    let above = (bins[2] + bins[3]) as f64;
    assert!((value - above).abs() <= error, "{value} {above}");
    assert_eq!(opened["values"].as_array().unwrap().len(), 1);
    // No frame counts twice.
    place.refused(
        3,
        &count(&[&words(ring)[..], &["--force"]].concat()),
        "again",
    );
    check_histogram(&place, bins);
    check_alarms(&place);
    check_models(&place);
    check_decisions(&place);
    check_spread(&place);
    merged_tables::check_filled_rows(&place);
    merged_tables::check(&place);
    merged_tables::check_small(&place);
}

/// A forest, and a choice of the largest score, of rows outside of the gap.
fn check_decisions(place: &Place) {
    place.write(
        "forest.json",
        r#"{"kind":"classifier","features":["a","b","c","d"],"outputs":["low","high"],"trees":[
        {"branch":{"feature":0,"above":1.5,"then":{"leaf":[0.0,0.5]},"otherwise":
            {"branch":{"feature":3,"above":-2,"then":{"leaf":[0.4,0.1]},"otherwise":{"leaf":[0.1,0.4]}}}}},
        {"branch":{"feature":2,"above":0,"then":{"leaf":[0.5,0]},"otherwise":{"leaf":[0,0.5]}}}]}"#,
    );
    let first = |row: &[f64; 4]| match (row[0] > 1.5, row[3] > -2.0) {
        (true, _) => [0.0, 0.5],
        (false, true) => [0.4, 0.1],
        (false, false) => [0.1, 0.4],
    };
    let wanted = |row: &[f64; 4]| {
        let second = if row[2] > 0.0 { [0.5, 0.0] } else { [0.0, 0.5] };
        [first(row)[0] + second[0], first(row)[1] + second[1]]
    };
    let is_far = |row: &[f64; 4], gap: f64| {
        (row[0] - 1.5).abs() > gap && (row[3] + 2.0).abs() > gap && row[2].abs() > gap
    };
    check_decision(place, "forest", (&wanted, &is_far, 0.15));
    place.write(
        "classify.json",
        r#"{"kind":"classifier","features":["a","b","c","d"],"outputs":["one","two","three"],
        "weights":[[4,0,4,0],[-4,0,4,0],[0,4,-4,0]],"bias":[-16,-16,-16]}"#,
    );
    let scores = |row: &[f64; 4]| {
        let of = |weights: [f64; 4]| score(&weights, -16.0, row);
        [
            of([4.0, 0.0, 4.0, 0.0]),
            of([-4.0, 0.0, 4.0, 0.0]),
            of([0.0, 4.0, -4.0, 0.0]),
        ]
    };
    let wanted = |row: &[f64; 4]| {
        let most = scores(row).into_iter().fold(f64::NEG_INFINITY, f64::max);
        scores(row).map(|score| f64::from(u8::from(score == most)))
    };
    let is_far = |row: &[f64; 4], gap: f64| {
        let [one, two, three] = scores(row);
        [one - two, one - three, two - three]
            .iter()
            .all(|difference| difference.abs() > gap)
    };
    check_decision(place, "classify", (&wanted, &is_far, 2.0));
}

/// Outputs of a row in the clear, whether it is outside of a gap, and the largest gap that is taken.
type Wanted<'a, const N: usize> = (
    &'a dyn Fn(&[f64; 4]) -> [f64; N],
    &'a dyn Fn(&[f64; 4], f64) -> bool,
    f64,
);

fn check_decision<const N: usize>(place: &Place, job: &str, of: Wanted<'_, N>) {
    let (wanted, is_far, most) = of;
    let model = format!("{job}.json");
    let (facts, opened) = asked(place, job, &model);
    let gap = facts["gap"].as_f64().unwrap();
    assert!(gap > 0.0 && gap < most, "{facts}");
    assert_eq!(opened.len(), 150 * N);
    let (mut far, names) = (0, ["low", "high"]);
    for (values, row) in opened
        .chunks(N)
        .zip(rows())
        .filter(|(_, row)| is_far(row, gap))
    {
        far += 1;
        for (value, wanted) in values.iter().zip(wanted(&row)) {
            assert!(is_near(value, wanted, 0.03), "{value} {wanted}");
            assert!(N > 2 || names.iter().any(|name| value["column"] == *name));
        }
    }
    assert!(far > 75, "{far}");
}

/// The variance of columns, and the covariance of two, of the rows of models.
fn check_spread(place: &Place) {
    let rows = rows();
    let mean = |of: &dyn Fn(&[f64; 4]) -> f64| rows.iter().map(of).sum::<f64>() / 150.0;
    let covariance = |a: usize, b: usize| {
        mean(&|row| row[a] * row[b]) - mean(&|row| row[a]) * mean(&|row| row[b])
    };
    let ask = "request --keys keys/owner --job variance --columns 3,0 --out spread.json";
    place.run(&words(ask)).success();
    let evaluate =
        "evaluate --keys keys/server --in f.bin --out s.bin --request spread.json --deep-keys ring --programs programs";
    let facts = place.json(&words(evaluate));
    assert_eq!(
        (&facts["values"], &facts["results"]),
        (&600.into(), &2.into())
    );
    assert!(
        facts["error"].as_f64().unwrap() < 0.3 && facts["gap"] == 0.0,
        "{facts}"
    );
    let opened = place.json(&words(
        "decrypt --keys keys/owner --in s.bin --request spread.json",
    ));
    for (value, column) in opened["values"].as_array().unwrap().iter().zip([3, 0]) {
        assert_eq!(value["column"], format!("column {column}"));
        assert!(is_near(value, covariance(column, column), 0.3), "{value}");
    }
    let evaluate = "evaluate --keys keys/server --in f.bin --out c.bin --job covariance --columns 0,2 --deep-keys ring \
                    --programs programs";
    let said = place.run(&words(evaluate)).success();
    let said = String::from_utf8(said.get_output().stdout.clone()).unwrap();
    assert!(
        said.contains("off by at most") && !said.contains("threshold"),
        "{said}"
    );
    let opened = place.json(&words("decrypt --keys keys/owner --in c.bin"));
    assert_eq!(opened["values"].as_array().unwrap().len(), 1);
    assert!(
        is_near(&opened["values"][0], covariance(0, 2), 0.3),
        "{opened}"
    );
}

/// Every reading is named, with what it is; the pieces belong together.
fn check_alarms(place: &Place) {
    let evaluate =
        "evaluate --keys keys/server --in f.bin --job alarm --below 75.5 --each --deep-keys ring --programs programs --out a.bin";
    let facts = place.json(&words(evaluate));
    let whole = place.read("a.bin");
    assert_eq!(
        (&facts["values"], &facts["results"]),
        (&READINGS.into(), &2.into())
    );
    // Slots without a reading are sent, too: 4096 of them.
    let each = facts["bytes_per_reading"].as_f64().unwrap();
    assert!((each - whole.len() as f64 / READINGS as f64).abs() < 1e-9);
    assert!(each * READINGS as f64 / 4096.0 < 4.5, "{facts}");
    let opened = place.run(&words("decrypt --keys keys/owner --in a.bin --json"));
    let opened = opened.success().get_output().clone();
    let (text, said) = (opened.stdout, String::from_utf8(opened.stderr).unwrap());
    let opened: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let values = opened["values"].as_array().unwrap();
    let (rows, _) = readings();
    let readings: Vec<f64> = rows
        .lines()
        .skip(1)
        .map(|row| row.parse().unwrap())
        .collect();
    assert_eq!(values.len(), readings.len());
    let mut raised = 0;
    for (at, (value, reading)) in values.iter().zip(readings).enumerate() {
        let (sequence, row) = (&value["sequence"], &value["row"]);
        assert_eq!((sequence, row), (&(at / 500).into(), &(at % 500).into()));
        assert_eq!(
            (&value["of"], &value["error"]),
            (&"bool".into(), &0.0.into())
        );
        assert_eq!(value["value"], u8::from(reading < 75.5), "{reading}");
        raised += usize::from(reading < 75.5);
    }
    let wanted = format!("alarm: {raised} of {READINGS} readings, of device(s) 1");
    assert!(said.contains(&wanted), "{said}");
    // A piece that was left out, or taken twice, is noticed.
    let half = whole.len() / 2;
    place.write("short.bin", &whole[..half]);
    place.write("twice.bin", [&whole[..half], &whole[..half]].concat());
    for file in ["short.bin", "twice.bin"] {
        let decrypt = ["decrypt", "--keys", "keys/owner", "--in", file];
        place.refused(3, &decrypt, file);
    }
}

/// Rows of four columns from -8 to 8.
fn rows() -> Vec<[f64; 4]> {
    let value = |at: usize| (at * 7919 % 1601) as f64 / 100.0 - 8.0;
    (0..150)
        .map(|row| [0, 1, 2, 3].map(|column| value(4 * row + column)))
        .collect()
}

fn score(weights: &[f64], bias: f64, row: &[f64]) -> f64 {
    let products = weights.iter().zip(row);
    products.map(|(weight, value)| weight * value).sum::<f64>() + bias
}

/// A logistic model, and a network whose classes the owner reads.
fn check_models(place: &Place) {
    let lines = rows()
        .iter()
        .map(|[a, b, c, d]| format!("{a},{b},{c},{d}\n"))
        .collect::<String>();
    place.write("v.csv", format!("a,b,c,d\n{lines}"));
    place.encrypt(&words(
        "--scale-bits 15 --bound-bits 3 --rows-per-frame 100 --force",
    ));
    let weights = [0.3, -0.2, 0.1, 0.0];
    place.write(
        "m.json",
        r#"{"kind":"logistic","features":["a","b","c","d"],"weights":[0.3,-0.2,0.1,0],"bias":0.5}"#,
    );
    let opened = answered(place, "sigmoid", "m.json");
    assert_eq!(opened.len(), 150);
    for (value, row) in opened.iter().zip(rows()) {
        let wanted = 1.0 / (1.0 + (-score(&weights, 0.5, &row)).exp());
        assert!(is_near(value, wanted, 0.02), "{value} {wanted}");
    }
    place.write(
        "n.json",
        r#"{"kind":"classifier","features":["a","b","c","d"],"hidden":{"activation":"tanh",
        "weights":[[0.2,0.1,0,0],[0,0.1,-0.2,0.1]],"bias":[0.1,-0.1]},
        "weights":[[1,-1],[0.5,0.5],[-1,0.5]],"bias":[0,0.25,-0.25],"outputs":["low","middle","high"]}"#,
    );
    let opened = answered(place, "network", "n.json");
    assert_eq!(opened.len(), 450);
    let mut certain = 0;
    for (values, row) in opened.chunks(3).zip(rows()) {
        let units = [([0.2, 0.1, 0.0, 0.0], 0.1), ([0.0, 0.1, -0.2, 0.1], -0.1)];
        let hidden = units.map(|(weights, bias)| score(&weights, bias, &row).tanh());
        let outputs = [([1.0, -1.0], 0.0), ([0.5, 0.5], 0.25), ([-1.0, 0.5], -0.25)];
        let scores = outputs.map(|(weights, bias)| score(&weights, bias, &hidden));
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let names = ["low", "middle", "high"];
        for ((value, score), name) in values.iter().zip(scores).zip(names) {
            assert!(is_near(value, score, 0.1), "{value} {score}");
            assert_eq!(value["column"], name);
            if value["uncertain"] == false {
                certain += 1;
                let class = names[scores.iter().position(|score| *score == largest).unwrap()];
                assert_eq!(value["class"], class);
            }
        }
    }
    assert!(certain > 300, "{certain}");
}

/// Values of the rows, as the owner of the model reads them, of a job without a gap.
fn answered(place: &Place, job: &str, model: &str) -> Vec<serde_json::Value> {
    let (facts, values) = asked(place, job, model);
    assert_eq!(facts["gap"], 0.0);
    values
}

/// Facts of the evaluation, and the values of the rows.
fn asked(place: &Place, job: &str, model: &str) -> (serde_json::Value, Vec<serde_json::Value>) {
    let evaluate = format!(
        "evaluate --keys keys/server --in f.bin --out {job}.bin --job {job} --model {model} --unnamed-columns --deep-keys ring \
         --programs programs"
    );
    let facts = place.json(&words(&evaluate));
    assert_eq!(facts["values"], 150);
    let decrypt = format!("decrypt --keys keys/owner --in {job}.bin --model {model}");
    let opened = place.json(&words(&decrypt));
    (facts, opened["values"].as_array().unwrap().clone())
}

/// Whether a value is as near as it says, and says no more than this.
fn is_near(value: &serde_json::Value, wanted: f64, most: f64) -> bool {
    let error = value["error"].as_f64().unwrap();
    error <= most && (value["value"].as_f64().unwrap() - wanted).abs() <= error
}

/// A request of the owner, whose answer has a column for each bin.
fn check_histogram(place: &Place, bins: [usize; 4]) {
    let ask = "request --keys keys/owner --job histogram --edges 20,75,90.5 --gap 2 --out q.json";
    place.run(&words(ask)).success();
    let evaluate = "evaluate --keys keys/server --in f.bin --out h.bin --request q.json --deep-keys ring --programs programs";
    let facts = place.json(&words(evaluate));
    assert_eq!(
        (&facts["values"], &facts["results"]),
        (&READINGS.into(), &4.into())
    );
    let (gap, error) = (
        facts["gap"].as_f64().unwrap(),
        facts["error"].as_f64().unwrap(),
    );
    assert!(gap < 2.0 && error < 1.0, "{facts}");
    let opened = place.json(&words(
        "decrypt --keys keys/owner --in h.bin --request q.json",
    ));
    let values = opened["values"].as_array().unwrap();
    assert_eq!(values.len(), 4);
    let names = ["below 20", "20 to 75", "75 to 90.5", "above 90.5"];
    for (value, (name, bin)) in values.iter().zip(names.iter().zip(bins)) {
        assert_eq!(&value["column"], name);
        let found = value["value"].as_f64().unwrap();
        assert!((found - bin as f64).abs() <= error, "{found} {bins:?}");
    }
    // A result that was left out is noticed.
    let whole = place.read("h.bin");
    place.write("short.bin", &whole[..whole.len() / 2]);
    place.refused(
        3,
        &words("decrypt --keys keys/owner --in short.bin"),
        "short.bin",
    );
    let other = "request --keys keys/owner --job histogram --edges 20,75 --gap 2 --out other.json";
    place.run(&words(other)).success();
    let unasked = words("decrypt --keys keys/owner --in h.bin --request other.json");
    place.refused(3, &unasked, "request");
}

#[test]
fn programs_that_end_lose_nothing() {
    let (place, _) = place();
    fake(&place, "old", "5");
    fake(&place, "killed", "6");
    let ring = words("--above 75 --deep-keys ring");
    let with = |programs| count(&[&ring[..], &["--programs", programs]].concat());
    place.refused(1, &with("none"), "`make deep` builds it");
    place.refused(1, &with("old"), "version: 5; allowed is 6");
    for _ in 0..2 {
        // The frames did not enter, so they may be tried again.
        place.refused(1, &with("killed"), "backend: ended with signal: 9");
        assert!(!place.exists("r.bin"));
    }
}

#[test]
fn questions_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "6");
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
        &ring("--below 75 --gap=-0.5"),
        "gap: -0.5; allowed are numbers from 0 on",
    );
    place.refused(3, &ring("--above nan"), "threshold");
    let bins = |more: &'static str| {
        let own = words("--deep-keys ring --programs killed");
        histogram(&[&own[..], &words(more)].concat())
    };
    for (asked, wanted) in [
        ("", "edges: none; allowed are one or more, ascending"),
        ("--edges 75,20", "edges: 75 20; allowed are one or more"),
        ("--edges 20,20.5", "edges: 20 and 20.5; allowed is ascending, more"),
        ("--edges 20,129", "edges: 129; allowed is -128 to 128"),
        ("--edges 20,75.5 --gap 0.25", "gap: 0.25; allowed is "),
        ("--edges 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33",
         "edges: 33; allowed on merged frames are 1 to 32"),
    ] {
        place.refused(3, &bins(asked), wanted);
    }
    // At the usual scale the bound leaves the range.
    place.write("v.csv", "a\n1\n");
    place.encrypt(&words("--bound-bits 7 --force"));
    let wanted = "bound: 7; allowed is 3 or less at log2_scale 15";
    place.refused(3, &ring("--above 75"), wanted);
    assert!(!place.exists("r.bin"));
}

/// Fields of models with trees, or of none, for a job, and the refusal.
fn wrong_trees() -> Vec<(&'static str, String, &'static str)> {
    let leaf = r#"{"leaf":[1]}"#;
    let branch =
        |then: &str, of: &str| format!(r#"{{"branch":{{{of},"then":{then},"otherwise":{leaf}}}}}"#);
    let trees = |tree: &str| format!(r#""trees":[{tree}]"#);
    let of = r#""feature":0,"above":1"#;
    let one = trees(&branch(leaf, of));
    let deep = (0..9).fold(leaf.to_owned(), |node, _| branch(&node, of));
    let many = vec![branch(leaf, of); 129].join(",");
    let other = branch(leaf, r#""feature":1,"above":1"#);
    let weights = |of: &str| of.to_owned();
    vec![
        (
            "forest",
            weights(r#""weights":[1],"bias":0"#),
            "trees: none; allowed for forest",
        ),
        (
            "forest",
            weights(r#""weights":[1]"#),
            "missing field `bias`",
        ),
        ("network", one.clone(), "hidden: none; allowed for network"),
        (
            "classify",
            one.clone(),
            "trees: some; allowed are models without",
        ),
        (
            "classify",
            weights(r#""weights":[[1],[2]],"bias":[0,0]"#),
            "outputs: 2; allowed is 1 to 1",
        ),
        ("forest", trees(leaf), "trees have one that is a leaf"),
        (
            "forest",
            trees(&other),
            "trees compare feature 1; allowed are 0 to 0",
        ),
        (
            "forest",
            trees(&branch(r#"{"leaf":[1,2]}"#, of)),
            "trees have a leaf of 1 values; it must have 2",
        ),
        ("forest", trees(&deep), "depth: 9; allowed is 1 to 8"),
        (
            "forest",
            trees(&many),
            "comparisons: 129; allowed is 1 to 128",
        ),
        (
            "forest",
            format!(r#""weights":[1],"bias":0,{one}"#),
            "weights are beside trees",
        ),
    ]
}

#[test]
fn trees_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "6");
    for (job, fields, wanted) in wrong_trees() {
        place.write(
            "m.json",
            format!(r#"{{"kind":"linear","features":["a"],{fields}}}"#),
        );
        let own = "evaluate --keys keys/server --in f.bin --out r.bin --unnamed-columns --deep-keys ring --programs killed";
        let asked = [&words(own)[..], &["--model", "m.json", "--job", job]].concat();
        place.refused(3, &asked, wanted);
    }
    assert!(!place.exists("r.bin"));
}

#[test]
fn columns_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "6");
    for (asked, wanted) in [
        ("variance", "--columns: missing; variance needs the numbers"),
        (
            "variance --columns 1",
            "columns: 1; allowed is 0 to 0, the columns of the frames",
        ),
        (
            "variance --columns 0,0",
            "columns: 0 0; allowed for variance are 1 to 64, each another",
        ),
        (
            "covariance --columns 0",
            "columns: 0; allowed for covariance are two, each another",
        ),
        (
            "covariance --columns 0,1,2",
            "columns: 0 1 2; allowed for covariance are two",
        ),
        ("covariance --columns 0,1", "columns: 1; allowed is 0 to 0"),
    ] {
        let own = words("evaluate --keys keys/server --in f.bin --out r.bin --deep-keys ring --programs killed --job");
        place.refused(3, &[&own[..], &words(asked)].concat(), wanted);
    }
    // The noise of the frames is as large as what two readings can tell.
    place.write("v.csv", "a\n0.05\n-0.05\n");
    place.encrypt(&words("--scale-bits 10 --bound-bits -4 --force"));
    let few = "evaluate --keys keys/server --in f.bin --out r.bin --job variance --columns 0 --deep-keys ring --programs killed";
    place.refused(3, &words(few), "rows: 2; allowed is as many, as precise");
    assert!(!place.exists("r.bin"));
}

#[test]
fn tables_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "6");
    merged_tables::check_refusals(&place);
    assert!(!place.exists("t.bin"));
}

#[test]
fn the_place_of_the_largest_reading_is_refused_by_name() {
    let (place, _) = place();
    let evaluate = words("evaluate --keys keys/server --in f.bin --out r.bin --job");
    for job in ["argmin", "argmax"] {
        let wanted = format!("{job} compares readings in rounds");
        place.refused(3, &[&evaluate[..], &[job]].concat(), &wanted);
    }
    let wanted = "minimum on frames of ckks-2048x1-air needs keys of a large ring";
    place.refused(5, &[&evaluate[..], &["minimum"]].concat(), wanted);
}

#[test]
fn alarms_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "6");
    let alarm = |more: &'static str| {
        let own = words("evaluate --keys keys/server --in f.bin --out r.bin --job alarm --deep-keys ring --programs killed");
        [&own[..], &words(more)].concat()
    };
    for (asked, wanted) in [
        (
            "--above 75",
            "each: false; allowed on merged frames is true",
        ),
        (
            "--above 128.5 --each",
            "threshold: 128.5; allowed is -128 to 128",
        ),
        ("--above 75 --each --gap 0.25", "gap: 0.25; allowed is "),
        ("--above nan --each", "threshold"),
    ] {
        place.refused(3, &alarm(asked), wanted);
    }
    place.refused(3, &alarm(""), "--above or --below: missing");
    assert!(!place.exists("r.bin"));
}

#[test]
fn models_out_of_range_are_refused_before_any_work() {
    let (place, _) = place();
    fake(&place, "killed", "6");
    let hidden = |activation: &str, weights: &str, bias: &str| {
        let of = format!(r#""activation":"{activation}","weights":[{weights}],"bias":[{bias}]"#);
        format!(r#""hidden":{{{of}}},"weights":[1],"bias":0"#)
    };
    for (job, fields, wanted) in [
        (
            "sigmoid",
            r#""weights":[[1],[2]],"bias":[0,0]"#.to_owned(),
            "outputs; allowed for sigmoid is one",
        ),
        (
            "sigmoid",
            r#""weights":[300],"bias":0"#.to_owned(),
            "outputs: sums up to ",
        ),
        (
            "network",
            r#""weights":[1],"bias":0"#.to_owned(),
            "hidden: none; allowed for network is",
        ),
        (
            "sigmoid",
            hidden("relu", "[1]", "0"),
            "hidden: a hidden layer; allowed",
        ),
        (
            "network",
            hidden("relu", "[1]", ""),
            "has 0 entries of bias; it must have 1",
        ),
        ("network", hidden("relu", "", ""), "has no units"),
        ("network", hidden("cube", "[1]", "0"), "unknown variant"),
    ] {
        let model = format!(r#"{{"kind":"logistic","features":["a"],{fields}}}"#);
        place.write("m.json", model);
        let evaluate = "evaluate --keys keys/server --in f.bin --out r.bin --model m.json --unnamed-columns --deep-keys ring";
        let evaluate = [
            &words(evaluate)[..],
            &["--programs", "killed", "--job", job],
        ]
        .concat();
        place.refused(3, &evaluate, wanted);
    }
    assert!(!place.exists("r.bin"));
}
