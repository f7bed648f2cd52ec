//! Exact jobs on integers, and their refusals.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use isopod_eval::{Bounds, Error, Histogram, Job, Output, Sum, Total, WeightedSum};
use isopod_seal::peer::Peer;
use isopod_seal::Ciphertext;
use support::{inputs, values, Bench};

const SETS: [&str; 2] = ["bfv-4096x2-linear", "bfv-8192x6-multiply"];

fn sum(largest: u64) -> Sum {
    let bounds = Bounds::Integers(largest);
    Sum { bounds }
}

fn total(stride: usize, largest: u64) -> Total {
    let bounds = Bounds::Integers(largest);
    Total { stride, bounds }
}

fn integers(seed: u64, count: usize, largest: i64) -> Vec<i64> {
    let reals = values(seed, count, largest as f64);
    reals
        .into_iter()
        .map(|value| value.round() as i64)
        .collect()
}

fn encrypt(bench: &Bench, rows: &[Vec<i64>]) -> Vec<Ciphertext> {
    let peer = Peer::new(&bench.context, &bench.secret).unwrap();
    rows.iter()
        .map(|row| peer.encrypt_integers(row).unwrap())
        .collect()
}

fn read(bench: &Bench, output: &Output) -> Vec<i64> {
    let plaintext = bench
        .secret
        .decrypt_integers(&bench.context, &output.ciphertext);
    let slots = bench.context.decode_integers(&plaintext.unwrap()).unwrap();
    output.slots.iter().map(|slot| slots[slot]).collect()
}

fn rows(bench: &Bench, count: u64, largest: i64) -> Vec<Vec<i64>> {
    (0..count)
        .map(|row| integers(row, bench.slots(), largest))
        .collect()
}

#[test]
fn sums_and_weighted_sums_are_exact() {
    for name in SETS {
        let bench = Bench::new(name, 0);
        let rows = rows(&bench, 9, 300);
        let encrypted = encrypt(&bench, &rows);
        let inputs = inputs(&encrypted, bench.slots());
        let summed = bench.run(&sum(300), None, &inputs).unwrap();
        let weights = vec![3, -1, 0, 20, -7, 1, 1, 2, 5];
        let weighted = WeightedSum::Integers(weights.clone(), 300);
        let weighted = bench.run(&weighted, None, &inputs).unwrap();
        let combined = |weight: &dyn Fn(usize) -> i64| -> Vec<i64> {
            let at = |slot| {
                rows.iter()
                    .enumerate()
                    .map(|(i, row)| weight(i) * row[slot])
                    .sum()
            };
            (0..bench.slots()).map(at).collect()
        };
        assert_eq!(read(&bench, &summed[0]), combined(&|_| 1), "{name}");
        assert_eq!(
            read(&bench, &weighted[0]),
            combined(&|i| weights[i]),
            "{name}"
        );
        assert!(
            summed[0].ciphertext.primes() < encrypted[0].primes(),
            "{name}"
        );
    }
}

#[test]
fn totals_of_rows_are_exact() {
    let bench = Bench::new(SETS[0], 0);
    let rows = rows(&bench, 2, 100);
    let job = total(64, 100);
    let keys = bench.keys(&job);
    let encrypted = encrypt(&bench, &rows);
    let outputs = bench
        .run(&job, Some(&keys), &inputs(&encrypted, bench.slots()))
        .unwrap();
    for (output, row) in outputs.iter().zip(&rows) {
        let wanted: Vec<i64> = row.chunks(64).map(|block| block.iter().sum()).collect();
        assert_eq!(read(&bench, output), wanted);
    }
}

#[test]
fn histograms_count_every_reading() {
    let bench = Bench::new(SETS[0], 0);
    let (buckets, blocks) = (8, 200);
    let readings: Vec<Vec<usize>> = (0..3)
        .map(|frame| {
            integers(50 + frame, blocks, 1000)
                .iter()
                .map(|x| x.rem_euclid(8) as usize)
                .collect()
        })
        .collect();
    let one_hot = |readings: &Vec<usize>| -> Vec<i64> {
        let block = |&bucket: &usize| (0..buckets).map(move |slot| i64::from(slot == bucket));
        readings.iter().flat_map(block).collect()
    };
    let encrypted = encrypt(&bench, &readings.iter().map(one_hot).collect::<Vec<_>>());
    let job = Histogram { buckets };
    let keys = isopod_seal::EvaluationKeys::generate(
        &bench.context,
        &bench.secret,
        false,
        &job.rotations_for(bench.slots()),
    )
    .unwrap();
    let outputs = bench
        .run(&job, Some(&keys), &inputs(&encrypted, buckets * blocks))
        .unwrap();
    let mut wanted = vec![0; buckets];
    readings
        .iter()
        .flatten()
        .for_each(|&bucket| wanted[bucket] += 1);
    assert_eq!(read(&bench, &outputs[0]), wanted);
}

#[test]
fn what_might_be_wrong_is_refused_before_any_work() {
    let bench = Bench::new(SETS[0], 0);
    let encrypted = encrypt(&bench, &rows(&bench, 2, 5));
    let full = inputs(&encrypted, bench.slots());
    let run = |job: &dyn Job| bench.run(job, None, &full).unwrap_err();
    assert!(matches!(
        run(&sum(16_385)),
        Error::PlainModulus {
            largest: 32_770,
            most: 32_768,
            ..
        }
    ));
    let weighted = |weights, largest| WeightedSum::Integers(weights, largest);
    assert!(matches!(
        run(&weighted(vec![1], 1)),
        Error::InputCount { .. }
    ));
    assert!(matches!(
        run(&weighted(vec![0, 0], 1)),
        Error::Setting {
            field: "weights",
            ..
        }
    ));
    assert!(matches!(
        run(&weighted(vec![i64::MIN, i64::MAX], 1)),
        Error::PlainModulus { .. }
    ));
    assert!(matches!(run(&total(64, 5)), Error::KeysMissing { .. }));
    let job = Histogram { buckets: 8 };
    let keys = bench.keys(&total(4096 / 2, 1));
    assert!(matches!(
        bench.run(&job, Some(&keys), &full).unwrap_err(),
        Error::Count { most: 2048, .. }
    ));
    let half = inputs(&encrypted, 2048);
    assert!(matches!(
        bench
            .run(&Histogram { buckets: 2048 }, Some(&keys), &half)
            .unwrap_err(),
        Error::Stride { .. }
    ));
}

#[test]
fn noise_that_could_hide_the_result_is_refused() {
    let bench = Bench::new("bfv-1024x1-count", 0);
    let encrypted = encrypt(&bench, &rows(&bench, 1, 1));
    let inputs = inputs(&encrypted, 10);
    let job = |weight| WeightedSum::Integers(vec![weight], 1);
    assert!(matches!(
        bench.run(&job(3000), None, &inputs).unwrap_err(),
        Error::Noise { .. }
    ));
}

#[test]
fn integers_and_real_numbers_do_not_mix() {
    let bench = Bench::new("ckks-4096x2-linear", 27);
    let encrypted = bench.encrypt(&[vec![1.0]]);
    let error = bench
        .run(&sum(1), None, &inputs(&encrypted, 1))
        .unwrap_err();
    assert!(
        error.to_string().contains("integers want a bfv- set"),
        "{error}"
    );
}
