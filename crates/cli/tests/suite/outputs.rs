//! Models with several outputs, from the command line: classes, margins and probabilities beside the scores.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};
use isopod_keys::{OwnerKeys, Passphrase, ServerKeys};
use isopod_wire::Envelope;
use serde_json::Value;

const FEATURES: &str = r#""features":["a","b"]"#;
const WEIGHTS: &str =
    r#""weights":[[1,0],[0,1],[1,1]],"bias":[0,0.5,-2],"outputs":["left","right","both"]"#;
const DECRYPT: [&str; 5] = ["decrypt", "--keys", "keys/owner", "--in", "r.bin"];
const BY_MODEL: [&str; 2] = ["--model", "m.json"];

/// A place with the answer of a model of this kind to three rows in two frames.
fn scored(set: &str, kind: &str, more: &[&str]) -> Place {
    let place = Place::with_keys(set, more);
    place.write(
        "m.json",
        format!(r#"{{"kind":"{kind}",{FEATURES},{WEIGHTS}}}"#),
    );
    place.write("v.csv", "a,b\n3,-1\n-2,1.5\n2.5,3\n");
    place.encrypt(&["--model", "m.json", "--rows-per-frame", "2"]);
    place.evaluate(job(kind), &BY_MODEL);
    place
}

fn job(kind: &str) -> &str {
    match kind {
        "multinomial" => "logistic",
        _ => "linear",
    }
}

fn values(place: &Place, more: &[&str]) -> Vec<Value> {
    let output = place.json(&[&DECRYPT[..], more].concat());
    output["values"].as_array().unwrap().clone()
}

#[test]
fn classes_and_margins_are_printed_beside_the_scores() {
    for (set, keys) in [
        ("ckks-2048x2-air", &[][..]),
        ("ckks-4096x2-linear", &["--for", "linear", "--stride", "2"]),
    ] {
        let place = scored(set, "classifier", keys);
        let rows = values(&place, &BY_MODEL);
        let wanted = [3.0, -0.5, 0.0, -2.0, 2.0, -2.5, 2.5, 3.5, 3.5];
        assert_eq!(rows.len(), wanted.len());
        for (row, wanted) in rows.iter().zip(wanted) {
            assert!(
                (row["value"].as_f64().unwrap() - wanted).abs() < 0.02,
                "{row}"
            );
        }
        let of = |at: usize, field: &str| rows[at][field].clone();
        let names = ["left", "right", "both"];
        assert!((0..9).all(|at| of(at, "column") == names[at % 3]));
        assert_eq!([of(0, "class"), of(3, "class")], ["left", "right"]);
        assert!((of(0, "margin").as_f64().unwrap() - 3.0).abs() < 0.02);
        assert_eq!(
            [of(2, "uncertain"), of(8, "uncertain")],
            [false, true],
            "a tie"
        );
        let csv = place.output(&[&DECRYPT[..], &BY_MODEL].concat());
        let head = csv.lines().next().unwrap();
        assert_eq!(
            head,
            "device,epoch,sequence,row,column,value,error,class,margin,uncertain"
        );
        assert!(csv.lines().nth(1).unwrap().contains(",left,"), "{csv}");
        assert!(values(&place, &[])
            .iter()
            .all(|row| row.get("class").is_none()));
    }
}

#[test]
fn probabilities_are_a_softmax_where_the_model_says_so() {
    let place = scored("ckks-2048x2-air", "multinomial", &[]);
    let rows = values(&place, &BY_MODEL);
    let shares: Vec<f64> = rows
        .iter()
        .map(|row| row["probability"].as_f64().unwrap())
        .collect();
    let parts = [3.0f64.exp(), (-0.5f64).exp(), 1.0];
    for (share, part) in shares.iter().zip(parts) {
        assert!(
            (share - part / parts.iter().sum::<f64>()).abs() < 0.02,
            "{shares:?}"
        );
    }
    assert!(
        values(&place, &[])
            .iter()
            .all(|row| row.get("probability").is_none()),
        "whose kind is unknown"
    );
}

#[test]
fn the_model_of_another_answer_is_refused() {
    let place = scored("ckks-2048x2-air", "classifier", &[]);
    place.write(
        "m.json",
        format!(
            r#"{{"kind":"classifier",{FEATURES},{}}}"#,
            WEIGHTS.replace("0.5", "0.25")
        ),
    );
    place.refused(
        3,
        &[&DECRYPT[..], &BY_MODEL].concat(),
        "the results of linear are not of this one",
    );
    place.evaluate("total", &[]);
    place.refused(
        3,
        &[&DECRYPT[..], &BY_MODEL].concat(),
        "the results of total are not of this one",
    );
}

#[test]
fn a_request_has_several_outputs() {
    let place = scored("ckks-2048x2-air", "classifier", &[]);
    let request = words("request --keys keys/owner --job linear --model m.json --out q.json");
    place.run(&request).success();
    let evaluate = words(
        "evaluate --keys keys/server --request q.json --in f.bin --out r.bin --force --again",
    );
    place.run(&evaluate).success();
    assert_eq!(values(&place, &["--request", "q.json"]).len(), 9);
}

/// Fields of models that do not hold together, and their refusals.
const BROKEN: [(&str, &str); 11] = [
    (
        r#""weights":[[1,0],[1]],"bias":[0,0]"#,
        "weights has 1 entries; it must have 2, as features",
    ),
    (
        r#""weights":[[1,0],[1,2]],"bias":[0]"#,
        "bias has 1 entries; it must have 2, one for each list of weights",
    ),
    (r#""weights":[[1,0],[1,2]]"#, "missing field `bias`"),
    (
        r#""weights":[[1,0],[1,2]],"bias":0"#,
        "bias is one number; it must be a list of 2",
    ),
    (
        r#""weights":[1,0],"bias":[0]"#,
        "bias is a list; it must be one number",
    ),
    (
        r#""weights":[[1,0],[1,2]],"bias":[0,0],"outputs":["x","x"]"#,
        "outputs contains x twice",
    ),
    (
        r#""weights":[[1,0],[1,2]],"bias":[0,0],"outputs":["x",""]"#,
        "outputs contains an empty name",
    ),
    (
        r#""weights":[[1,0],[1,2]],"bias":[0,0],"outputs":["x"]"#,
        "outputs has 1 entries; it must have 2",
    ),
    (
        r#""weights":[],"bias":[]"#,
        "outputs are 0; allowed are 2 to 256",
    ),
    (
        r#""weights":[1,0],"bias":0"#,
        "outputs are 1; allowed are 2 to 256",
    ),
    (
        r#""weights":[["1",0]],"bias":[0]"#,
        "weights: no numbers; allowed is a list of them",
    ),
];

#[test]
fn models_that_do_not_hold_together_are_refused_by_the_field() {
    let place = scored("ckks-2048x2-air", "classifier", &[]);
    let (rows, zeros) = (vec!["[1,0]"; 1000].join(","), vec!["0"; 1000].join(","));
    let many = format!(r#""weights":[{rows}],"bias":[{zeros}]"#);
    let many = [(&many[..], "outputs are 1000; allowed are 2 to 256")];
    let evaluate =
        words("evaluate --keys keys/server --in f.bin --out s.bin --job linear --model m.json");
    for (fields, wanted) in BROKEN.into_iter().chain(many) {
        place.write(
            "m.json",
            format!(r#"{{"kind":"classifier",{FEATURES},{fields}}}"#),
        );
        place.refused(3, &evaluate, wanted);
        assert!(!place.exists("s.bin"));
    }
}

/// A server's program that mixes the outputs of frames.
#[test]
fn outputs_of_another_frame_are_refused() {
    let place = scored("ckks-2048x2-air", "classifier", &[]);
    let none = || -> Result<Passphrase, isopod_keys::KeysError> { unreachable!("a plain file") };
    let owner = OwnerKeys::open(&place.path("keys/owner"), none).unwrap();
    let server = ServerKeys::open(&place.path("keys/server")).unwrap();
    let bytes = place.read("r.bin");
    let (mut rest, mut results) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let (envelope, left) = Envelope::read(rest).unwrap();
        results.push(envelope.authenticate(&owner).unwrap().result().unwrap());
        rest = left;
    }
    assert_eq!(results.len(), 6);
    let other = results[0].provenance.clone();
    results[4].provenance.origin = other.origin;
    results[4].provenance.manifest = other.manifest;
    let sealed = results
        .into_iter()
        .map(|result| server.link().seal(result.encode().unwrap()));
    place.write("r.bin", sealed.collect::<Vec<_>>().concat());
    place.refused(
        3,
        &DECRYPT,
        "result 4: origin: not that of result 3; allowed are 3 results of each frame",
    );
}
