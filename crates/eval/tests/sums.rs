//! Sums, means and weighted sums over ciphertexts, without any key.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use isopod_eval::{Bounds, Job, Mean, Precision, Slots, Sum, WeightedSum};
use support::{assert_close, inputs, values, Bench};

fn sum(precision: Precision) -> Sum {
    let bounds = Bounds::Real(precision);
    Sum { bounds }
}

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

#[test]
fn sums_and_means_on_the_smallest_sets() {
    for (name, tolerance) in [("ckks-1024x1-sum", 0.3), ("ckks-2048x1-sum", 0.6)] {
        let bench = Bench::new(name, 18);
        let columns = columns(&bench, 12, 4.0);
        let encrypted = bench.encrypt(&columns);
        let precision = Precision {
            largest_value: 4.0,
            ..Precision::default()
        };
        for (job, divisor) in [
            (&sum(precision) as &dyn Job, 1.0),
            (&Mean { precision }, 12.0),
        ] {
            assert!(!job.needs_key_switching());
            let outputs = bench.run(job, None, &inputs(&encrypted, 500)).unwrap();
            assert_eq!(
                outputs[0].slots,
                Slots {
                    first: 0,
                    step: 1,
                    count: 500
                }
            );
            let wanted = combined(&columns, |_| 1.0 / divisor);
            assert_close(
                &bench.read(&outputs[0]),
                &wanted[..500],
                tolerance / divisor,
            );
        }
    }
}

#[test]
fn a_small_sum_travels_under_one_prime() {
    let bench = Bench::new("ckks-4096x3-sum", 25);
    let columns = columns(&bench, 3, 1.0);
    let encrypted = bench.encrypt(&columns);
    let precision = Precision {
        largest_value: 1.0,
        ..Precision::default()
    };
    let outputs = bench
        .run(&sum(precision), None, &inputs(&encrypted, 2048))
        .unwrap();
    assert_eq!(outputs[0].ciphertext.primes(), 1);
    assert_close(&bench.read(&outputs[0]), &combined(&columns, |_| 1.0), 1e-2);
}

#[test]
fn weighted_sums_at_high_precision() {
    let bench = Bench::new("ckks-4096x3-sum", 34);
    let columns = columns(&bench, 30, 8.0);
    let mut weights = values(5, 30, 2.0);
    weights[3] = 0.0;
    let precision = Precision {
        log2_weight_scale: 28,
        ..Precision::default()
    };
    let job = WeightedSum::Real(weights.clone(), precision);
    let outputs = bench
        .run(&job, None, &inputs(&bench.encrypt(&columns), 2048))
        .unwrap();
    assert_eq!(outputs[0].ciphertext.primes(), 2);
    assert_close(
        &bench.read(&outputs[0]),
        &combined(&columns, |i| weights[i]),
        1e-4,
    );
}

#[test]
fn weighted_sums_with_two_primes() {
    let bench = Bench::new("ckks-4096x2-linear", 28);
    let columns = columns(&bench, 30, 8.0);
    let weights = values(5, 30, 2.0);
    let precision = Precision {
        log2_weight_scale: 20,
        ..Precision::default()
    };
    let job = WeightedSum::Real(weights.clone(), precision);
    let outputs = bench
        .run(&job, None, &inputs(&bench.encrypt(&columns), 2048))
        .unwrap();
    assert_close(
        &bench.read(&outputs[0]),
        &combined(&columns, |i| weights[i]),
        1e-2,
    );
}
