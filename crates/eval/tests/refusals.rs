//! Refusals of jobs before they start, each with its own error.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use isopod_eval::{
    Bounds, Error, InnerProduct, Input, Job, Model, Precision, Scoring, SigmoidScoring, Sum, Total,
    WeightedSum,
};
use isopod_seal::EvaluationKeys;
use support::{inputs, Bench};

const LINEAR: &str = "ckks-4096x2-linear";

fn product(weights: Vec<f64>, stride: usize) -> InnerProduct {
    InnerProduct {
        weights,
        bias: 0.0,
        stride,
        precision: Precision::default(),
    }
}

/// Error of a job on one ciphertext of ones. Progress must not have begun.
fn refusal(bench: &Bench, job: &dyn Job, keys: Option<&EvaluationKeys>) -> Error {
    let encrypted = bench.encrypt(&[vec![1.0; 32]]);
    let mut progress = |_, _| panic!("work has begun");
    let mut workspace = isopod_eval::Workspace::new(&bench.context, &mut progress);
    workspace.keys = keys;
    job.run(&mut workspace, &inputs(&encrypted, 32))
        .unwrap_err()
}

#[test]
fn keys() {
    let bench = Bench::new(LINEAR, 27);
    let job = product(vec![1.0; 8], 8);
    let missing = Error::KeysMissing {
        job: "inner product",
        rotations: vec![1, 2, 4],
    };
    assert_eq!(refusal(&bench, &job, None), missing);
    let keys = EvaluationKeys::generate(&bench.context, &bench.secret, false, &[1, 2]).unwrap();
    let missing = isopod_seal::Error::MissingGaloisKey {
        step: 4,
        element: 81,
    };
    assert_eq!(refusal(&bench, &job, Some(&keys)), Error::Seal(missing));
}

#[test]
fn relinearization() {
    let bench = Bench::new("ckks-8192x6-multiply", 29);
    let job = SigmoidScoring {
        scoring: Scoring::new(
            &model(r#""weights":[1,2],"bias":0"#).unwrap(),
            Precision::default(),
        ),
    };
    let keys = EvaluationKeys::generate(&bench.context, &bench.secret, false, &[1]).unwrap();
    let missing = Error::Seal(isopod_seal::Error::MissingRelinearizationKey);
    assert_eq!(refusal(&bench, &job, Some(&keys)), missing);
}

#[test]
fn sets_that_cannot() {
    let bench = Bench::new("ckks-4096x3-sum", 30);
    let wanted = Error::NoKeySwitching {
        job: "total",
        set: "ckks-4096x3-sum".to_owned(),
    };
    assert_eq!(
        refusal(
            &bench,
            &Total {
                stride: 8,
                bounds: Bounds::Real(Precision::default()),
            },
            None
        ),
        wanted
    );

    let bench = Bench::new(LINEAR, 27);
    let job = SigmoidScoring {
        scoring: Scoring::new(
            &model(r#""weights":[1,2],"bias":0"#).unwrap(),
            Precision::default(),
        ),
    };
    let error = refusal(&bench, &job, None);
    let wanted = Error::TooFewPrimes {
        job: "sigmoid score",
        set: LINEAR.to_owned(),
        has: 2,
        needed: 4,
    };
    assert_eq!(error, wanted);
    assert!(
        error.to_string().contains(LINEAR) && error.to_string().contains("ckks-8192x6-multiply")
    );
}

#[test]
fn results_that_do_not_fit() {
    let bench = Bench::new(LINEAR, 27);
    let job = product(vec![8.0; 32], 32);
    let error = refusal(&bench, &job, Some(&bench.keys(&job)));
    assert!(
        matches!(error, Error::Overflow { needed, has, .. } if needed == 61.0 && has < 60.0),
        "{error}"
    );
    let small = Bench::new("ckks-1024x1-sum", 18);
    let job = WeightedSum::Real(vec![1.0], Precision::default());
    assert!(matches!(
        refusal(&small, &job, None),
        Error::Overflow {
            job: "weighted sum",
            ..
        }
    ));
}

#[test]
fn settings() {
    let bench = Bench::new(LINEAR, 27);
    let refused =
        |job: &dyn Job| refusal(&bench, job, Some(&bench.keys(&product(vec![1.0; 32], 32))));
    for (length, stride) in [(8, 12), (30, 16)] {
        let least = length.max(2);
        let wanted = Error::Stride {
            stride,
            least,
            most: 2048,
        };
        assert_eq!(refused(&product(vec![1.0; length], stride)), wanted);
    }
    let wanted = Error::ZeroWeights {
        job: "inner product",
        log2_weight_scale: 22,
    };
    assert_eq!(refused(&product(vec![0.0, 1e-9], 2)), wanted);
    let wanted = Error::InputCount {
        job: "weighted sum",
        weights: 2,
        inputs: 1,
    };
    assert_eq!(
        refused(&WeightedSum::Real(vec![1.0; 2], Precision::default())),
        wanted
    );
    type Change = fn(&mut Precision);
    let settings: [(&str, Change); 4] = [
        ("largest_value", |p| p.largest_value = f64::NAN),
        ("largest_value", |p| p.largest_value = 0.0),
        ("tolerance", |p| p.tolerance = -1.0),
        ("log2_weight_scale", |p| p.log2_weight_scale = 61),
    ];
    for (wanted, change) in settings {
        let mut job = product(vec![1.0; 2], 2);
        change(&mut job.precision);
        let error = refused(&job);
        assert!(
            matches!(error, Error::Setting { field, .. } if field == wanted),
            "{error}"
        );
    }
}

#[test]
fn inputs_that_do_not_match() {
    let bench = Bench::new(LINEAR, 27);
    let bounds = Bounds::Real(Precision::default());
    let job = Sum { bounds };
    assert_eq!(
        bench.run(&job, None, &[]).unwrap_err(),
        Error::NoInputs { job: "sum" }
    );
    let encrypted = bench.encrypt(&[vec![1.0], vec![2.0]]);
    for count in [0, 2049] {
        let wanted = Error::Count {
            index: 0,
            count,
            most: 2048,
        };
        assert_eq!(
            bench
                .run(&job, None, &inputs(&encrypted, count))
                .unwrap_err(),
            wanted
        );
    }
    let mut other = encrypted[1].clone();
    isopod_seal::Evaluator::new(&bench.context)
        .divide(&mut other, 2.0)
        .unwrap();
    let pair = [&encrypted[0], &other].map(|ciphertext| Input {
        ciphertext,
        count: 1,
    });
    assert_eq!(
        bench.run(&job, None, &pair).unwrap_err(),
        Error::Unequal { index: 1 }
    );
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
    assert_eq!(good.score(&[1.0, 10.0]), 21.5);
}
