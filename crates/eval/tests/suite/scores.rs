//! Models on rows of 30 features in blocks of 32, 64 rows per ciphertext.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{assert_close, inputs, values, Bench};
use isopod_eval::{
    InnerProduct, Job, Model, Scoring, Shape, SigmoidScoring, Total, SIGMOID_CUBIC, SIGMOID_ERROR,
};

const FEATURES: usize = 30;
const STRIDE: usize = 32;

fn model(kind: &str, largest_weight: f64) -> Model {
    let names: Vec<String> = (0..FEATURES).map(|i| format!("\"f{i}\"")).collect();
    let weights = values(5, FEATURES, largest_weight);
    let json = format!(
        r#"{{"kind":"{kind}","features":[{}],"weights":{weights:?},"bias":-0.75,"trained_by":"a test"}}"#,
        names.join(",")
    );
    Model::from_json(&json).unwrap()
}

/// Packs rows of features side by side, padded.
fn packed(rows: &[Vec<f64>]) -> Vec<f64> {
    let padded = |row: &Vec<f64>| {
        row.iter()
            .copied()
            .chain([0.0; STRIDE - FEATURES])
            .collect::<Vec<_>>()
    };
    rows.iter().flat_map(padded).collect()
}

fn rows(seed: u64, count: usize, largest: f64) -> Vec<Vec<f64>> {
    (0..count as u64)
        .map(|row| values(seed + row, FEATURES, largest))
        .collect()
}

/// Compares all scores with those in the clear to the estimate, which must be below `largest`, and returns the primes of the
/// outputs.
fn score(bench: &Bench, largest: f64) -> Vec<usize> {
    let model = model("logistic", 2.0);
    let job = Scoring::new(&model.outputs[0]);
    let claims = bench.rows(8.0, FEATURES, STRIDE);
    let parameters = bench.context.parameters();
    assert_eq!(job.rotations(parameters, &[claims]), [1, 2, 4, 8, 16]);
    let blocks = [100, 300].map(|seed| rows(seed, claims.rows, 8.0));
    let encrypted = bench.encrypt(&blocks.each_ref().map(|block| packed(block)));
    let keys = bench.keys(&job, claims);
    let outputs = bench
        .run(&job, Some(&keys), &inputs(&encrypted, claims))
        .unwrap();
    for (output, block) in outputs.iter().zip(&blocks) {
        let wanted = Shape {
            rows: claims.rows,
            columns: 1,
            stride: STRIDE,
        };
        assert_eq!(output.shape, wanted);
        assert!(output.error < largest, "estimate {}", output.error);
        let wanted: Vec<f64> = block
            .iter()
            .map(|row| model.outputs[0].score(row))
            .collect();
        assert_close(&bench.read(output), &wanted, output.error);
    }
    outputs
        .iter()
        .map(|output| output.ciphertext.primes())
        .collect()
}

#[test]
fn linear_set_without_a_rescale() {
    // Scale, weights and bound need all of the modulus, and a rescale would cost too much precision.
    assert_eq!(score(&Bench::new("ckks-4096x2-linear", 27), 1e-2), [2, 2]);
}

#[test]
fn multiply_set_rescales_after_rotating() {
    assert_eq!(score(&Bench::new("ckks-4096x3-multiply", 27), 1e-2), [2, 2]);
}

#[test]
fn weights_are_encoded_as_finely_as_the_modulus_allows() {
    // At the highest scale of the set only few bits are left for weights.
    assert_eq!(score(&Bench::new("ckks-4096x2-linear", 30), 5e-3), [2, 2]);
}

#[test]
fn a_frame_with_few_rows_counts_them() {
    let bench = Bench::new("ckks-4096x2-linear", 27);
    let model = model("linear", 2.0);
    let job = Scoring::new(&model.outputs[0]);
    let data = rows(7, 3, 8.0);
    let encrypted = bench.encrypt(&[packed(&data)]);
    let mut claims = bench.rows(8.0, FEATURES, STRIDE);
    claims.rows = 3;
    let keys = bench.keys(&job, claims);
    let outputs = bench
        .run(&job, Some(&keys), &inputs(&encrypted, claims))
        .unwrap();
    let wanted: Vec<f64> = data.iter().map(|row| model.outputs[0].score(row)).collect();
    assert_close(&bench.read(&outputs[0]), &wanted, outputs[0].error);
}

#[test]
fn inner_products_and_totals_of_all_slots() {
    let bench = Bench::new("ckks-4096x2-linear", 27);
    let data = values(1, bench.slots(), 1.0);
    let encrypted = bench.encrypt(std::slice::from_ref(&data));

    let weights = values(2, 1000, 1.0);
    let job = InnerProduct {
        weights: weights.clone(),
        bias: 0.0,
    };
    let claims = bench.rows(1.0, 1000, 1024);
    let keys = bench.keys(&job, claims);
    let outputs = bench
        .run(&job, Some(&keys), &inputs(&encrypted, claims))
        .unwrap();
    let inner = |block: &[f64]| block.iter().zip(&weights).map(|(x, w)| x * w).sum();
    let wanted: Vec<f64> = data.chunks(1024).map(inner).collect();
    assert_close(&bench.read(&outputs[0]), &wanted, outputs[0].error);

    let claims = bench.claims(1.0);
    let keys = bench.keys(&Total, claims);
    let outputs = bench
        .run(&Total, Some(&keys), &inputs(&encrypted, claims))
        .unwrap();
    let wanted = Shape {
        rows: 1,
        columns: 1,
        stride: 2048,
    };
    assert_eq!(outputs[0].shape, wanted);
    // Without a product the noise of key switching meets values at 2^27, which the order of operations avoids elsewhere.
    assert!(outputs[0].error < 0.1, "{}", outputs[0].error);
    assert_close(
        &bench.read(&outputs[0]),
        &[data.iter().sum()],
        outputs[0].error,
    );
}

/// A model whose scores stay within 8 for values up to 1.5.
fn tame() -> (SigmoidScoring, Model) {
    let model = model("logistic", 0.2);
    let scoring = Scoring::new(&model.outputs[0]);
    (SigmoidScoring { scoring }, model)
}

#[test]
fn probabilities_with_default_scales_lie_between_zero_and_one() {
    let sets = [
        ("ckks-8192x6-multiply", 29),
        ("ckks-8192x6-seal-embedded", 25),
    ];
    for (set, scale) in sets {
        let bench = Bench::new(set, scale);
        let (job, model) = tame();
        let claims = bench.rows(1.5, FEATURES, STRIDE);
        let data = rows(11, claims.rows, 1.5);
        let encrypted = bench.encrypt(&[packed(&data)]);
        let keys = bench.keys(&job, claims);
        let outputs = bench
            .run(&job, Some(&keys), &inputs(&encrypted, claims))
            .unwrap();
        let (read, error) = (bench.read(&outputs[0]), outputs[0].error);
        let scores: Vec<f64> = data.iter().map(|row| model.outputs[0].score(row)).collect();
        let [a, b] = SIGMOID_CUBIC;
        let cubic: Vec<f64> = scores.iter().map(|x| 0.5 + a * x + b * x.powi(3)).collect();
        assert_close(&read, &cubic, error - SIGMOID_ERROR);
        let sigmoid: Vec<f64> = scores.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
        assert_close(&read, &sigmoid, error);
        assert!(error < SIGMOID_ERROR + 0.01, "{set}: {error}");
    }
}
