//! `keygen --for` without a set, for every job: the server of these keys computes it.
#![allow(clippy::unwrap_used)]

use crate::support::Place;
use isopod_workflow::{Evaluator, JobName};

const VALUES: &str = "a,b,c\n1.5,-0.25,2\n0.5,1,-1\n";
const MODEL: &str = r#""features": ["a", "b", "c"], "mean": [0, 0, 0], "scale": [1, 1, 1],
"weights": [0.1, 0.2, 0.05], "bias": 0.25}"#;

/// A place with keys for a job, and what its frames and requests take.
fn place(job: &str) -> Place {
    let place = Place::with_new_keys(&["--for", job]);
    let kind = if job == "inner" || job == "linear" {
        "linear"
    } else {
        "logistic"
    };
    place.write("model.json", format!(r#"{{"kind": "{kind}", {MODEL}"#));
    place.write("v.csv", VALUES);
    place
}

#[test]
fn keys_for_a_job_were_of_a_set_without_it() {
    let of_seal = |job: &&JobName| matches!(job.evaluator(), None | Some(Evaluator::Seal));
    for job in JobName::ALL.iter().filter(of_seal).map(|job| job.name()) {
        let place = place(job);
        let (sent, asked): (&[&str], &[&str]) = match job {
            "sum" | "mean" | "total" => (&[], &[]),
            "weighted" => (&["--rows-per-frame", "1"], &["--weights", "0.5,2"]),
            "dot" => (&[], &["--weights", "0.5,2,1"]),
            "histogram" => (&["--buckets", "0,1,10"], &[]),
            "filter" | "correlation" => (&[], &["--weights", "0.5,0.25"]),
            "moving-average" => (&[], &["--window", "2"]),
            _ => (
                &["--model", "model.json", "--bound-bits", "2"],
                &["--model", "model.json"],
            ),
        };
        place.encrypt(sent);
        place.evaluate(job, asked);
        assert!(!place.decrypted("r.bin").is_empty(), "{job}");
    }
}

#[cfg(feature = "tfhe")]
#[test]
fn keys_for_a_job_of_tfhe_are_of_its_set() {
    let place = place("alarm");
    place.write("v.csv", "a\n7\n");
    place.encrypt(&["--type", "u8"]);
    place.evaluate("alarm", &["--above", "5"]);
    assert!(!place.decrypted("r.bin").is_empty());
}

#[test]
fn a_set_without_the_job_is_refused_by_the_name_of_one_that_has_it() {
    let place = Place::new();
    for (set, job, wanted) in [
        (
            "ckks-4096x3-multiply",
            "sigmoid",
            "--for: sigmoid is not computed under keys of ckks-4096x3-multiply",
        ),
        ("bfv-4096x2-linear", "mean", "such as ckks-4096x2-linear"),
        (
            "ckks-4096x2-linear",
            "histogram",
            "such as bfv-4096x2-linear",
        ),
        ("ckks-4096x2-linear", "alarm", "such as tfhe-2048-tfhe-rs"),
    ] {
        let keygen = format!("keygen --set {set} --for {job} --out keys --insecure-plaintext-key");
        let keygen: Vec<_> = keygen.split(' ').collect();
        place.refused(3, &keygen, wanted);
        assert!(place.names().is_empty());
    }
    let precise = ["keygen", "--for", "sigmoid", "--precision", "0.1"];
    let precise = [&precise[..], &["--out", "keys"]].concat();
    place.refused(3, &precise, "allowed is --set ckks-8192x6-multiply");
}
