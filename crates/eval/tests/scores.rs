//! Models on rows of 30 features in blocks of 32, 64 rows per ciphertext.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use isopod_eval::{
    Bounds, InnerProduct, Job, Model, Precision, Scoring, SigmoidScoring, Slots, Total,
    SIGMOID_ERROR,
};
use support::{assert_close, inputs, values, Bench};

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

/// Compares all scores with those in the clear, and returns the primes of the outputs.
fn score(bench: &Bench, precision: Precision, tolerance: f64) -> Vec<usize> {
    let model = model("logistic", 2.0);
    let job = Scoring::new(&model, precision);
    assert_eq!(
        (job.stride(), job.required_rotations()),
        (STRIDE, vec![1, 2, 4, 8, 16])
    );
    let full = bench.slots() / STRIDE;
    let blocks = [rows(100, full, 8.0), rows(300, full, 8.0)];
    let encrypted = bench.encrypt(&blocks.iter().map(|block| packed(block)).collect::<Vec<_>>());
    let keys = bench.keys(&job);
    let outputs = bench
        .run(&job, Some(&keys), &inputs(&encrypted, bench.slots()))
        .unwrap();
    for (output, block) in outputs.iter().zip(&blocks) {
        assert_eq!(
            output.slots,
            Slots {
                first: 0,
                step: STRIDE,
                count: full
            }
        );
        let wanted: Vec<f64> = block.iter().map(|row| model.score(row)).collect();
        assert_close(&bench.read(output), &wanted, tolerance);
    }
    outputs
        .iter()
        .map(|output| output.ciphertext.primes())
        .collect()
}

#[test]
fn linear_set_without_a_rescale() {
    // 2^27 * 2^22 * 512 need all of the modulus, and a rescale to 2^19 would cost too much precision.
    assert_eq!(
        score(
            &Bench::new("ckks-4096x2-linear", 27),
            Precision::default(),
            1e-3
        ),
        [2, 2]
    );
}

#[test]
fn linear_set_with_a_coarse_output() {
    let coarse = Precision {
        tolerance: 0.02,
        ..Precision::default()
    };
    assert_eq!(
        score(&Bench::new("ckks-4096x2-linear", 27), coarse, 0.02),
        [1, 1]
    );
}

#[test]
fn multiply_set_rescales_after_rotating() {
    let fine = Precision {
        log2_weight_scale: 26,
        ..Precision::default()
    };
    assert_eq!(
        score(&Bench::new("ckks-4096x3-multiply", 27), fine, 1e-3),
        [2, 2]
    );
    assert_eq!(
        score(
            &Bench::new("ckks-4096x3-multiply", 27),
            Precision::default(),
            1e-3
        ),
        [3, 3]
    );
}

#[test]
fn a_short_last_row_counts() {
    let bench = Bench::new("ckks-4096x2-linear", 27);
    let model = model("linear", 2.0);
    let job = Scoring::new(&model, Precision::default());
    let data = rows(7, 3, 8.0);
    let encrypted = bench.encrypt(&[packed(&data)]);
    let outputs = bench
        .run(
            &job,
            Some(&bench.keys(&job)),
            &inputs(&encrypted, 2 * STRIDE + FEATURES),
        )
        .unwrap();
    let wanted: Vec<f64> = data.iter().map(|row| model.score(row)).collect();
    assert_close(&bench.read(&outputs[0]), &wanted, 1e-3);
}

#[test]
fn inner_products_and_totals_of_all_slots() {
    let bench = Bench::new("ckks-4096x2-linear", 27);
    let precision = Precision {
        largest_value: 1.0,
        ..Precision::default()
    };
    let data = values(1, bench.slots(), 1.0);
    let encrypted = bench.encrypt(std::slice::from_ref(&data));

    let weights = values(2, 1000, 1.0);
    let job = InnerProduct {
        weights: weights.clone(),
        bias: 0.0,
        stride: 1024,
        precision,
    };
    let outputs = bench
        .run(&job, Some(&bench.keys(&job)), &inputs(&encrypted, 2048))
        .unwrap();
    let inner = |block: &[f64]| block.iter().zip(&weights).map(|(x, w)| x * w).sum();
    let wanted: Vec<f64> = data.chunks(1024).map(inner).collect();
    assert_close(&bench.read(&outputs[0]), &wanted, 1e-2);

    let job = Total {
        stride: bench.slots(),
        bounds: Bounds::Real(precision),
    };
    let outputs = bench
        .run(&job, Some(&bench.keys(&job)), &inputs(&encrypted, 2048))
        .unwrap();
    assert_eq!(
        outputs[0].slots,
        Slots {
            first: 0,
            step: 2048,
            count: 1
        }
    );
    // Without a product the noise of key switching meets values at 2^27, which the order of operations avoids elsewhere.
    assert_close(&bench.read(&outputs[0]), &[data.iter().sum()], 0.1);
}

#[test]
fn the_cubic_on_a_set_with_levels() {
    let bench = Bench::new("ckks-8192x6-multiply", 29);
    let model = model("logistic", 0.2);
    let precision = Precision {
        largest_value: 1.5,
        log2_weight_scale: 29,
        ..Precision::default()
    };
    let job = SigmoidScoring {
        scoring: Scoring::new(&model, precision),
    };
    let data = rows(11, bench.slots() / STRIDE, 1.5);
    let encrypted = bench.encrypt(&[packed(&data)]);
    let outputs = bench
        .run(
            &job,
            Some(&bench.keys(&job)),
            &inputs(&encrypted, bench.slots()),
        )
        .unwrap();
    let scores: Vec<f64> = data.iter().map(|row| model.score(row)).collect();
    let [a, b] = isopod_eval::SIGMOID_CUBIC;
    let cubic: Vec<f64> = scores.iter().map(|x| 0.5 + a * x + b * x.powi(3)).collect();
    assert_close(&bench.read(&outputs[0]), &cubic, 1e-3);
    let sigmoid: Vec<f64> = scores.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
    assert_close(&bench.read(&outputs[0]), &sigmoid, SIGMOID_ERROR);
    assert_eq!(outputs[0].ciphertext.primes(), 2);
}
