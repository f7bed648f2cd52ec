//! Sums, means and weighted sums over ciphertexts, without any key.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{assert_close, inputs, values, Bench};
use isopod_eval::{Claims, Job, Mean, Output, Shape, Sum, WeightedSum};

fn columns(bench: &Bench, count: usize, largest: f64) -> Vec<Vec<f64>> {
    (0..count as u64)
        .map(|column| values(20 + column, bench.slots(), largest))
        .collect()
}

fn combined(columns: &[Vec<f64>], weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let at = |slot: usize| {
        columns
            .iter()
            .enumerate()
            .map(|(i, column)| weight(i) * column[slot])
            .sum()
    };
    (0..columns[0].len()).map(at).collect()
}

/// Runs a job on columns and compares the output with the clear to its own estimate, which must be below `largest`.
fn check(
    bench: &Bench,
    job: &dyn Job,
    columns: &[Vec<f64>],
    wanted: &[f64],
    largest: f64,
) -> Output {
    let bound = columns
        .iter()
        .flatten()
        .fold(0.0, |most: f64, x| most.max(x.abs()));
    let encrypted = bench.encrypt(columns);
    let claims = bench.claims(bound);
    let output = bench
        .run(job, None, &inputs(&encrypted, claims))
        .unwrap()
        .remove(0);
    assert!(output.error < largest, "estimate {}", output.error);
    assert_close(&bench.read(&output), wanted, output.error);
    assert!(wanted.iter().all(|value| value.abs() <= output.bound));
    output
}

#[test]
fn sums_and_means_on_the_smallest_sets() {
    for (name, largest) in [("ckks-1024x1-sum", 0.6), ("ckks-2048x1-sum", 1.2)] {
        let bench = Bench::new(name, 18);
        let columns = columns(&bench, 12, 4.0);
        for (job, divisor) in [(&Sum as &dyn Job, 1.0), (&Mean, 12.0)] {
            assert!(!job.needs_key_switching());
            let wanted = combined(&columns, |_| 1.0 / divisor);
            check(&bench, job, &columns, &wanted, largest / divisor);
        }
    }
}

#[test]
fn a_sum_has_the_shape_of_the_longest_frame() {
    let bench = Bench::new("ckks-1024x1-sum", 18);
    let encrypted = bench.encrypt(&columns(&bench, 2, 1.0));
    let long = Claims {
        rows: 3,
        columns: 4,
        stride: 16,
        ..bench.claims(1.0)
    };
    let mut inputs = inputs(&encrypted, long);
    inputs[0].claims.rows = 2;
    let output = bench.run(&Sum, None, &inputs).unwrap().remove(0);
    let wanted = Shape {
        rows: 3,
        columns: 4,
        stride: 16,
    };
    assert_eq!(output.shape, wanted);
    let slots: Vec<usize> = output.shape.slots().collect();
    assert_eq!(slots, [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35]);
}

#[test]
fn a_small_sum_travels_under_one_prime() {
    let bench = Bench::new("ckks-4096x3-sum", 25);
    let columns = columns(&bench, 3, 1.0);
    let output = check(&bench, &Sum, &columns, &combined(&columns, |_| 1.0), 2e-2);
    assert_eq!(output.ciphertext.primes(), 1);
}

#[test]
fn weighted_sums_at_high_precision() {
    let bench = Bench::new("ckks-4096x3-sum", 34);
    let columns = columns(&bench, 30, 8.0);
    let mut weights = values(5, 30, 2.0);
    weights[3] = 0.0;
    let job = WeightedSum::Real(weights.clone());
    let output = check(
        &bench,
        &job,
        &columns,
        &combined(&columns, |i| weights[i]),
        2e-4,
    );
    assert_eq!(output.ciphertext.primes(), 2);
}

#[test]
fn weighted_sums_with_two_primes() {
    let bench = Bench::new("ckks-4096x2-linear", 28);
    let columns = columns(&bench, 30, 8.0);
    let weights = values(5, 30, 2.0);
    let job = WeightedSum::Real(weights.clone());
    check(
        &bench,
        &job,
        &columns,
        &combined(&columns, |i| weights[i]),
        1e-2,
    );
}
