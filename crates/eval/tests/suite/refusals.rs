//! Refusals of jobs before they start, each with its own error.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{inputs, Bench};
use isopod_eval::{
    Claims, Error, InnerProduct, Input, Job, Mean, Model, Scoring, SigmoidScoring, Sum, Total,
    WeightedSum, MODEL_OUTPUTS,
};
use isopod_seal::EvaluationKeys;

const LINEAR: &str = "ckks-4096x2-linear";
const DEEP: &str = "ckks-8192x6-multiply";

fn product(weights: Vec<f64>) -> InnerProduct {
    InnerProduct { weights, bias: 0.0 }
}

fn sigmoid(largest: f64) -> SigmoidScoring {
    let weights = format!(r#""weights":[{largest},-{largest}],"bias":0"#);
    SigmoidScoring {
        scoring: Scoring::new(&model(&weights).unwrap().outputs[0]),
    }
}

/// Error of a job on one ciphertext of ones with these claims. Progress must not have begun.
fn refusal(bench: &Bench, job: &dyn Job, claims: Claims, keys: Option<&EvaluationKeys>) -> Error {
    let encrypted = bench.encrypt(&[vec![1.0; 32]]);
    let mut progress = |_, _| panic!("work has begun");
    let mut workspace = isopod_eval::Workspace::new(&bench.context, &mut progress);
    workspace.keys = keys;
    job.run(&mut workspace, &inputs(&encrypted, claims))
        .unwrap_err()
}

#[test]
fn keys() {
    let bench = Bench::new(LINEAR, 27);
    let (job, claims) = (product(vec![1.0; 8]), bench.rows(1.0, 8, 8));
    let missing = Error::KeysMissing {
        job: "inner product",
        rotations: vec![1, 2, 4],
    };
    assert_eq!(refusal(&bench, &job, claims, None), missing);
    let keys = EvaluationKeys::generate(&bench.context, &bench.secret, false, &[1, 2]).unwrap();
    let missing = isopod_seal::Error::MissingGaloisKey {
        step: 4,
        element: 81,
    };
    assert_eq!(
        refusal(&bench, &job, claims, Some(&keys)),
        Error::Seal(missing)
    );
}

#[test]
fn relinearization() {
    let bench = Bench::new(DEEP, 29);
    let keys = EvaluationKeys::generate(&bench.context, &bench.secret, false, &[1]).unwrap();
    let missing = Error::Seal(isopod_seal::Error::MissingRelinearizationKey);
    let claims = bench.rows(1.0, 2, 2);
    assert_eq!(refusal(&bench, &sigmoid(1.0), claims, Some(&keys)), missing);
}

#[test]
fn sets_that_cannot() {
    let bench = Bench::new("ckks-4096x3-sum", 30);
    let wanted = Error::NoKeySwitching {
        job: "total",
        set: "ckks-4096x3-sum".to_owned(),
    };
    assert_eq!(refusal(&bench, &Total, bench.rows(1.0, 8, 8), None), wanted);

    let bench = Bench::new(LINEAR, 27);
    let error = refusal(&bench, &sigmoid(1.0), bench.rows(1.0, 2, 2), None);
    let wanted = Error::TooFewPrimes {
        job: "sigmoid score",
        set: LINEAR.to_owned(),
        has: 2,
        needed: 4,
    };
    assert_eq!(error, wanted);
    assert!(error.to_string().contains(LINEAR) && error.to_string().contains(DEEP));
}

/// Advice of a refusal, followed: frames, bound and set make the job possible, and one step more does not.
#[test]
fn advice_on_sums_that_do_not_fit_can_be_followed() {
    let bench = Bench::new("ckks-1024x1-sum", 18);
    let parameters = bench.context.parameters();
    let frames = |count, bound| vec![bench.claims(bound); count];
    let error = Sum.advise(parameters, &frames(100, 8.0)).unwrap_err();
    let Error::Overflow {
        needed,
        has,
        advice,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(needed > has, "{error}");
    let most = advice.frames.unwrap();
    assert!(Sum.plan(parameters, &frames(most as usize, 8.0)).is_ok());
    assert!(Sum
        .plan(parameters, &frames(most as usize + 1, 8.0))
        .is_err());
    let bound = advice.bound.unwrap();
    assert!(Sum.plan(parameters, &frames(100, bound)).is_ok());
    assert!(Sum.plan(parameters, &frames(100, 2.0 * bound)).is_err());
    let set = isopod_wire::by_name(advice.set.unwrap()).unwrap();
    let other = Bench::new(set.name, i32::from(set.log2_scale.default));
    assert!(Sum
        .plan(other.context.parameters(), &vec![other.claims(8.0); 100])
        .is_ok());
}

#[test]
fn weights_for_which_the_modulus_has_no_room() {
    let bench = Bench::new("ckks-1024x1-sum", 18);
    let job = WeightedSum::Real(vec![9.0]);
    let error = refusal(&bench, &job, bench.claims(8.0), None);
    assert!(matches!(error, Error::Overflow { .. }), "{error}");
}

#[test]
fn answers_without_a_right_digit_are_refused() {
    let bench = Bench::new("ckks-1024x1-sum", 10);
    let tiny = bench.claims(2f64.powi(-4));
    let error = refusal(&bench, &Sum, tiny, None);
    let Error::Drowned { error, bound, .. } = error else {
        panic!("{error}")
    };
    assert!(error > bound);
}

/// 1,920 frames at --scale-bits 10, as an error message advised, gave 1105 for 967 in silence.
#[test]
fn a_sum_of_1920_frames_at_scale_2_to_the_10_says_how_far_off_it_is() {
    let bench = Bench::new("ckks-1024x1-sum", 10);
    let plan = |dithered| {
        let claims = Claims {
            dithered,
            frames: 1920,
            ..bench.claims(1.0)
        };
        Sum.plan(bench.context.parameters(), &[claims])
    };
    let error = plan(true).unwrap()[0].error;
    assert!(error > 1105.0 - 967.0 && error < 1920.0, "{error}");
    // Roundings to the nearest may add up to more than the values.
    assert!(matches!(plan(false), Err(Error::Drowned { .. })));
}

/// A sum over scores that may reach 240 gave probabilities from -1628 to 2660.
#[test]
fn scores_beyond_the_range_of_the_cubic_are_refused() {
    let bench = Bench::new(DEEP, 29);
    let claims = |bound| bench.rows(bound, 2, 2);
    let error = refusal(&bench, &sigmoid(15.0), claims(8.0), None);
    let Error::ScoreRange {
        largest,
        most,
        advice,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((*largest, *most), (240.0, 8.0));
    let plan = |bound| sigmoid(15.0).plan(bench.context.parameters(), &[claims(bound)]);
    let bound = advice.bound.unwrap();
    assert!(plan(bound).is_ok() && plan(2.0 * bound).is_err());
}

#[test]
fn rows_that_jobs_do_not_take() {
    let bench = Bench::new(LINEAR, 27);
    let mut claims = bench.rows(1.0, 8, 16);
    (claims.stride, claims.rows) = (12, 3);
    let wanted = Error::Stride {
        stride: 12,
        least: 8,
        most: 2048,
    };
    let job = product(vec![1.0; 8]);
    assert_eq!(refusal(&bench, &job, claims, None), wanted);
    assert_eq!(refusal(&bench, &Total, claims, None), wanted);
    let wanted = Error::Columns {
        job: "inner product",
        index: 0,
        found: 12,
        wanted: 13,
    };
    let job = product(vec![1.0; 13]);
    assert_eq!(refusal(&bench, &job, bench.rows(1.0, 12, 16), None), wanted);
    let zero = product(vec![0.0, 1e-19]);
    let error = refusal(&bench, &zero, bench.rows(1.0, 2, 2), None);
    assert!(matches!(error, Error::ZeroWeights { .. }), "{error}");
    let wanted = Error::InputCount {
        job: "weighted sum",
        weights: 2,
        inputs: 1,
    };
    let job = WeightedSum::Real(vec![1.0; 2]);
    assert_eq!(refusal(&bench, &job, bench.claims(1.0), None), wanted);
}

#[test]
fn claims_out_of_range_are_named() {
    let bench = Bench::new(LINEAR, 27);
    type Change = fn(&mut Claims);
    let changes: [(&str, Change); 7] = [
        ("bound", |claims| claims.bound = f64::NAN),
        ("bound", |claims| claims.bound = 0.0),
        ("rows", |claims| claims.rows = 0),
        ("columns", |claims| claims.columns = 0),
        ("columns", |claims| claims.columns = 4096),
        ("buckets", |claims| claims.buckets = 3),
        ("buckets", |claims| claims.buckets = 0),
    ];
    for (wanted, change) in changes {
        let mut claims = bench.claims(1.0);
        change(&mut claims);
        let error = refusal(&bench, &Sum, claims, None);
        assert!(
            matches!(error, Error::Claim { field, .. } if field == wanted),
            "{error}"
        );
    }
    let mut long = bench.claims(1.0);
    (long.rows, long.columns, long.stride) = (3, 1000, 1024);
    let wanted = Error::Count {
        index: 0,
        count: 3048,
        most: 2048,
    };
    assert_eq!(refusal(&bench, &Sum, long, None), wanted);
}

#[test]
fn frames_that_differ_are_named() {
    let bench = Bench::new(LINEAR, 27);
    assert_eq!(
        bench.run(&Sum, None, &[]).unwrap_err(),
        Error::NoInputs { job: "sum" }
    );
    let encrypted = bench.encrypt(&[vec![1.0], vec![2.0]]);
    let mut other = encrypted[1].clone();
    isopod_seal::Evaluator::new(&bench.context)
        .divide(&mut other, 2.0)
        .unwrap();
    let claims = bench.rows(1.0, 3, 4);
    let with = |change: fn(&mut Claims)| {
        let mut changed = claims;
        change(&mut changed);
        Input {
            ciphertext: &encrypted[1],
            claims: changed,
        }
    };
    let ciphertext = &other;
    let cases: [(&dyn Job, Input<'_>, &str); 4] = [
        (&Sum, Input { ciphertext, claims }, "scale"),
        (
            &Sum,
            with(|claims| (claims.stride, claims.rows) = (8, 1)),
            "stride",
        ),
        (&Sum, with(|claims| claims.columns = 2), "columns"),
        (&Mean, with(|claims| claims.rows = 2), "rows"),
    ];
    for (job, second, wanted) in cases {
        let first = Input {
            ciphertext: &encrypted[0],
            claims,
        };
        let error = bench.run(job, None, &[first, second]).unwrap_err();
        assert!(
            matches!(error, Error::Differs { field, index: 1, .. } if field == wanted),
            "{error}"
        );
    }
}

fn model(rest: &str) -> Result<Model, Error> {
    Model::from_json(&format!(
        r#"{{"kind":"logistic","features":["a","b"],{rest}}}"#
    ))
}

#[test]
fn models() {
    let cases = [
        ("weights", r#""weights":[1],"bias":0"#),
        ("mean", r#""weights":[1,2],"bias":0,"mean":[1]"#),
        ("scale", r#""weights":[1,2],"bias":0,"scale":[1,0]"#),
        ("JSON", r#""weights":[1,2]"#),
        ("JSON", r#""weights":[1,1e999],"bias":0"#),
    ];
    for (wanted, rest) in cases {
        let error = model(rest).unwrap_err();
        assert!(
            matches!(error, Error::Model { field, .. } if field == wanted),
            "{error}"
        );
    }
    let unknown = Model::from_json(r#"{"kind":"forest","features":["a"],"weights":[1],"bias":0}"#)
        .unwrap_err();
    assert!(unknown.to_string().contains("forest"), "{unknown}");
    let empty =
        Model::from_json(r#"{"kind":"linear","features":[],"weights":[],"bias":0}"#).unwrap_err();
    assert!(matches!(
        empty,
        Error::Model {
            field: "features",
            ..
        }
    ));
    let long = Model::from_json(&" ".repeat(isopod_eval::MODEL_BYTES + 1)).unwrap_err();
    assert!(matches!(long, Error::Model { field: "file", .. }));
    let good = model(r#""weights":[1,2],"bias":0.5,"mean":[3,4],"scale":[5,6]"#).unwrap();
    assert_eq!(good.outputs[0].score(&[1.0, 10.0]), 21.5);
}

#[test]
fn models_of_several_outputs() {
    let cases = [
        ("bias", r#""weights":[[1,2],[3,4]],"bias":0"#),
        ("bias", r#""weights":[[1,2],[3,4]],"bias":[0]"#),
        ("bias", r#""weights":[1,2],"bias":[0]"#),
        ("weights", r#""weights":[[1,2],[3]],"bias":[0,0]"#),
        ("JSON", r#""weights":[[1,2],3],"bias":[0,0]"#),
        ("JSON", r#""weights":[[1,2],[3,1e999]],"bias":[0,0]"#),
        ("outputs", r#""weights":[],"bias":[]"#),
        (
            "outputs",
            r#""weights":[[1,2],[3,4]],"bias":[0,0],"outputs":["x"]"#,
        ),
        (
            "outputs",
            r#""weights":[[1,2],[3,4]],"bias":[0,0],"outputs":["x","x"]"#,
        ),
        (
            "outputs",
            r#""weights":[[1,2],[3,4]],"bias":[0,0],"outputs":["",""]"#,
        ),
    ];
    for (wanted, rest) in cases {
        let error = model(rest).unwrap_err();
        let found = matches!(&error, Error::Model { field, .. } if *field == wanted);
        assert!(found, "{rest}: {error}");
    }
    let of = |count: usize| {
        let (rows, biases) = (vec!["[1,2]"; count].join(","), vec!["0"; count].join(","));
        model(&format!(r#""weights":[{rows}],"bias":[{biases}]"#))
    };
    assert_eq!(
        of(1).unwrap().outputs,
        model(r#""weights":[1,2],"bias":0"#).unwrap().outputs
    );
    assert_eq!(of(MODEL_OUTPUTS).unwrap().outputs.len(), MODEL_OUTPUTS);
    let many = of(MODEL_OUTPUTS + 1).unwrap_err().to_string();
    assert_eq!(many, "model: outputs are 257; allowed are 1 to 256");
    let named = model(r#""weights":[[1,2],[3,4]],"bias":[0.5,-1],"outputs":["x","y"]"#).unwrap();
    assert_eq!(named.names(), ["x", "y"]);
    assert_eq!(named.outputs[1].score(&[1.0, 10.0]), 42.0);
}
