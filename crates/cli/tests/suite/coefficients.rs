//! Readings in rounded coefficients: advice that works, and refusals with the numbers that would.
#![allow(clippy::unwrap_used)]

use crate::support::{close, words, Place};

const SET: &str = "ckks-2048x2-air";
const ROWS: [[f64; 3]; 2] = [[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]];

fn place(set: &str) -> Place {
    let place = Place::with_keys(set, &[]);
    place.write("v.csv", "a,b,c\n1.5,-2,3.25\n0.5,4,-1\n");
    place
}

/// A place without evaluation keys, which a build without tfhe-rs does not make.
fn place_of(set: &str) -> Place {
    match set.starts_with("tfhe") {
        true => Place::with_keys(set, &["--no-evaluation-keys"]),
        false => place(set),
    }
}

fn encrypt<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let own = ["encrypt", "--key", "keys/device-1", "--values", "v.csv"];
    [&own, &["--out", out][..], more].concat()
}

fn evaluate<'a>(input: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let own = ["evaluate", "--keys", "keys/server", "--out", "r.bin"];
    [&own, &["--in"][..], input, more].concat()
}

/// The last number of a message.
fn advised(message: &str) -> &str {
    let (_, advice) = message.rsplit_once(" is ").unwrap();
    advice.split_whitespace().next().unwrap()
}

#[test]
fn a_precision_that_the_set_cannot_give_is_refused_with_one_that_works() {
    let place = place(SET);
    let message = place.refusal(3, &encrypt("f.bin", &["--precision", "1e-30"]));
    assert!(
        message.contains("precision") && message.contains(SET),
        "{message}"
    );
    assert_eq!(place.names(), ["keys", "v.csv"]);
    place
        .run(&encrypt("f.bin", &["--precision", advised(&message)]))
        .success();
    let keygen = words("keygen --for sum --precision 1e-30 --out more");
    place.refused(3, &keygen, "or more");
    assert!(!place.exists("more"));
}

#[test]
fn a_precision_is_of_real_numbers_in_coefficients() {
    let cases = [
        (SET, &["--layout", "slots"][..], "--layout rounded"),
        ("bfv-2048x2-air", &[], "sets that begin with ckks-"),
        (
            "tfhe-2048-tfhe-rs",
            &["--type", "u8"],
            "sets that begin with ckks- or bfv-",
        ),
    ];
    for (set, more, allowed) in cases {
        let place = place_of(set);
        place.write("v.csv", "a\n1\n");
        let more = [more, &["--precision", "0.01"]].concat();
        let message = place.refusal(3, &encrypt("f.bin", &more));
        assert!(
            message.contains("--precision") && message.contains(allowed),
            "{message}"
        );
        assert_eq!(place.names(), ["keys", "v.csv"]);
    }
}

#[test]
fn weights_wider_than_a_row_are_refused() {
    let place = place(SET);
    place.run(&encrypt("f.bin", &[])).success();
    let filter = ["--job", "filter", "--weights", "1,2,3,4"];
    let message = place.refusal(3, &evaluate(&["f.bin"], &filter));
    assert!(
        message.contains("weights") && message.contains("1 to 3"),
        "{message}"
    );
    let model = r#"{"kind":"linear","features":["a","b","c","d"],"weights":[1,2,3,4],"bias":0}"#;
    place.write("model.json", model);
    let linear = ["--job", "linear", "--model", "model.json"];
    let message = place.refusal(3, &evaluate(&["f.bin"], &linear));
    assert!(
        message.contains("f.bin") || message.contains("columns"),
        "{message}"
    );
    assert!(!place.exists("r.bin"));
}

#[test]
fn layouts_do_not_mix_in_one_sum() {
    let place = place(SET);
    place.run(&encrypt("f.bin", &[])).success();
    place
        .run(&encrypt("s.bin", &["--layout", "slots"]))
        .success();
    let sum = evaluate(&["f.bin", "s.bin"], &["--job", "sum"]);
    place.refused(3, &sum, "layout");
    assert!(!place.exists("r.bin"));
    place
        .run(&evaluate(&["f.bin"], &["--job", "sum"]))
        .success();
    close(&place.decrypted("r.bin"), &ROWS.concat(), 1e-3);
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let place = place(SET);
    let message = place.refusal(3, &encrypt("f.bin", &["--rows-per-frame", "683"]));
    assert!(
        message.contains("683") && message.contains("1 to 682"),
        "{message}"
    );
    assert_eq!(place.names(), ["keys", "v.csv"]);
}
