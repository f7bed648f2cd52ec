//! Integers from a device's folder to the owner: exact.
#![allow(clippy::unwrap_used)]

use crate::support::{words, Place};

const SET: &str = "bfv-4096x2-linear";

fn encrypt(place: &Place, table: &str, more: &[&str]) {
    place.write("values.csv", table);
    let encrypt = words("encrypt --keys keys/device-1 --values values.csv --out frames.bin");
    place.run(&[&encrypt[..], more].concat()).success();
}

fn evaluate(place: &Place, more: &[&str]) -> Vec<f64> {
    let evaluate = words("evaluate --keys keys/server --in frames.bin --out results.bin --job");
    place.run(&[&evaluate[..], more].concat()).success();
    place.decrypted("results.bin")
}

#[test]
fn sums_and_weighted_sums() {
    let place = Place::with_keys(SET, &["--for", "sum"]);
    encrypt(
        &place,
        "a,b\n1000,-7\n-3,8\n40,0\n",
        &["--rows-per-frame", "1", "--bound-bits", "10"],
    );
    assert_eq!(evaluate(&place, &["sum"]), [1037.0, 1.0]);
    let more = ["weighted", "--weights", "2,-10,1", "--out", "weighted.bin"];
    let evaluate = words("evaluate --keys keys/server --in frames.bin --job");
    place.run(&[&evaluate[..], &more].concat()).success();
    assert_eq!(place.decrypted("weighted.bin"), [2070.0, -94.0]);
}

#[test]
fn totals_of_rows() {
    let place = Place::with_keys(SET, &["--for", "total", "--stride", "4"]);
    encrypt(
        &place,
        "a,b,c\n1,2,3\n-10,20,30\n5,5,5\n",
        &["--bound-bits", "5"],
    );
    assert_eq!(evaluate(&place, &["total"]), [6.0, 40.0, 15.0]);
}

#[test]
fn histograms() {
    let place = Place::with_keys(SET, &[]);
    encrypt(
        &place,
        "litres\n3\n12\n9.5\n10\n-1\n250\n",
        &["--buckets", "0,10,100"],
    );
    let counts = evaluate(&place, &["histogram"]);
    assert_eq!(counts, [1.0, 2.0, 2.0, 1.0]);
}

#[test]
fn levels_and_repeated_values() {
    let place = Place::with_keys(SET, &["--for", "sum"]);
    encrypt(&place, "a,b\n3,-4\n", &["--layout", "repeated"]);
    let full = place.read("frames.bin").len();
    let values = evaluate(&place, &["sum"]);
    assert_eq!(values, [3.0, -4.0]);
    encrypt(&place, "a,b\n3,-4\n", &["--level", "1", "--force"]);
    assert!(place.read("frames.bin").len() * 2 < full + 400);
}

#[test]
fn what_is_no_integer_or_too_large_is_named() {
    let place = Place::with_keys(SET, &["--for", "sum"]);
    place.write("values.csv", "a,b\n1,2\n3,4.5\n");
    let encrypt = words("encrypt --keys keys/device-1 --values values.csv --out frames.bin");
    place.refused(3, &encrypt, "row 2, column b: 4.5 is no integer");
    place.write("values.csv", "a\n40000\n");
    place.refused(
        3,
        &[&encrypt[..], &["--bound-bits", "20"]].concat(),
        "32768",
    );
    place.write("values.csv", "a\n9\n");
    place.run(&encrypt).success();
    let evaluate = words("evaluate --keys keys/server --in frames.bin --out results.bin --job");
    for (more, wanted) in [
        (&["mean"][..], "allowed under a set of integers"),
        (&["weighted"], "--weights: missing"),
        (&["weighted", "--weights", "0.5"], "0.5 is no integer"),
        (&["histogram"], "buckets"),
    ] {
        place.refused(3, &[&evaluate[..], more].concat(), wanted);
    }
    assert!(!place.exists("results.bin"));
    let level = [&encrypt[..], &["--force", "--level", "3"]].concat();
    assert!(place.refusal(3, &level).contains("level"));
}
