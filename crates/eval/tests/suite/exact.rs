//! Exact jobs on integers, and their refusals.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{inputs, values, Bench};
use isopod_eval::{Capacity, Claims, Error, Histogram, Job, Key, Output, Sum, Total, WeightedSum};
use isopod_seal::peer::Peer;
use isopod_seal::Ciphertext;

const SETS: [&str; 2] = ["bfv-4096x2-linear", "bfv-8192x6-multiply"];

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
    output.shape.slots().map(|slot| slots[slot]).collect()
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
        let inputs = inputs(&encrypted, bench.claims(300.0));
        let summed = bench.run(&Sum, None, &inputs).unwrap();
        let weights = vec![3, -1, 0, 20, -7, 1, 1, 2, 5];
        let weighted = WeightedSum::Integers(weights.clone());
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
    let mut claims = bench.rows(100.0, 64, 64);
    claims.rows *= 2;
    let keys = bench.keys(&Total, claims);
    let encrypted = encrypt(&bench, &rows);
    let outputs = bench
        .run(&Total, Some(&keys), &inputs(&encrypted, claims))
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
    let claims = one_hot_claims(&bench, buckets, buckets * blocks);
    let keys = bench.keys(&Histogram, claims);
    let outputs = bench
        .run(&Histogram, Some(&keys), &inputs(&encrypted, claims))
        .unwrap();
    assert_eq!(outputs[0].bound, (3 * blocks) as f64);
    let mut wanted = vec![0; buckets];
    readings
        .iter()
        .flatten()
        .for_each(|&bucket| wanted[bucket] += 1);
    assert_eq!(read(&bench, &outputs[0]), wanted);
}

fn one_hot_claims(bench: &Bench, buckets: usize, columns: usize) -> Claims {
    Claims {
        columns,
        stride: columns,
        buckets,
        ..bench.claims(1.0)
    }
}

#[test]
fn what_might_be_wrong_is_refused_before_any_work() {
    let bench = Bench::new(SETS[0], 0);
    let encrypted = encrypt(&bench, &rows(&bench, 2, 5));
    let full = inputs(&encrypted, bench.claims(1.0));
    let run = |job: &dyn Job| bench.run(job, None, &full).unwrap_err();
    let weighted = WeightedSum::Integers;
    assert!(matches!(run(&weighted(vec![1])), Error::InputCount { .. }));
    let zeros = run(&weighted(vec![0, 0]));
    let field = "weights";
    assert!(matches!(zeros, Error::Setting { field: found, .. } if found == field));
    assert!(matches!(
        run(&weighted(vec![i64::MIN, i64::MAX])),
        Error::PlainModulus { .. }
    ));
    let rows = inputs(&encrypted, bench.rows(1.0, 64, 64));
    let missing = bench.run(&Total, None, &rows).unwrap_err();
    assert!(matches!(missing, Error::KeysMissing { .. }));
    assert!(matches!(run(&Total), Error::Stride { most: 2048, .. }));
    let histogram = |buckets, columns| {
        let blocks = inputs(&encrypted, one_hot_claims(&bench, buckets, columns));
        bench.run(&Histogram, None, &blocks).unwrap_err()
    };
    assert!(matches!(
        histogram(8, 4096),
        Error::Count { most: 2048, .. }
    ));
    for (buckets, columns) in [(2048, 2048), (1, 2048), (8, 12)] {
        let refused = histogram(buckets, columns);
        let field = "buckets";
        assert!(
            matches!(refused, Error::Claim { field: found, .. } if found == field),
            "{refused}"
        );
    }
}

/// Three frames of values up to 30000 gave 24463 where t is 65537.
#[test]
fn three_times_30000_under_t_65537_is_refused_with_numbers_and_advice_that_works() {
    let bench = Bench::new(SETS[0], 0);
    let frames = [bench.claims(30_000.0); 3];
    let parameters = bench.context.parameters();
    let refused = Sum.advise(parameters, &frames).unwrap_err();
    let Error::PlainModulus {
        largest,
        most,
        advice,
        ..
    } = &refused
    else {
        panic!("{refused}")
    };
    assert_eq!((*largest, *most), (90_000.0, 32_768));
    assert_eq!(
        refused.to_string(),
        "sum: results may reach 90000, the plaintext modulus of the set bfv-4096x2-linear holds -32768 to 32768; possible: 1 \
         such frame, or values of magnitude up to 10922, or the set bfv-4096x3-sum"
    );
    assert!(Sum
        .plan(parameters, &frames[..advice.frames.unwrap() as usize])
        .is_ok());
    let bound = advice.bound.unwrap();
    assert!(Sum.plan(parameters, &[bench.claims(bound); 3]).is_ok());
    assert!(Sum
        .plan(parameters, &[bench.claims(bound + 1.0); 3])
        .is_err());
    let other = Bench::new(advice.set.unwrap(), 0);
    let rows = vec![vec![30_000; other.slots()]; 3];
    let encrypted = encrypt(&other, &rows);
    let outputs = other
        .run(&Sum, None, &inputs(&encrypted, other.claims(30_000.0)))
        .unwrap();
    assert!(read(&other, &outputs[0]).iter().all(|&sum| sum == 90_000));
}

/// Frames of counters up to 1 that fit a sum.
fn fits(name: &str, key: Key) -> u64 {
    let set = isopod_wire::by_name(name).unwrap();
    Capacity::of(set, key, 1.0).unwrap().frames
}

#[test]
fn count_sets_refused_their_first_frame() {
    // Noise of the public key is 36 times larger: 32 of its frames would decrypt 94 % of the time, and no larger modulus has
    // label 128 at this degree.
    assert_eq!(fits("bfv-1024x1-count", Key::Public), 9);
    assert_eq!(fits("bfv-1024x1-count", Key::Secret), 2608);
}

/// With a prime of 27 bits 17 frames by public key fitted, where stock SEAL adds 64.
#[test]
fn the_larger_count_set_refused_the_18th_frame_by_public_key() {
    assert_eq!(fits("bfv-2048x1-count", Key::Public), 1115);
    assert_eq!(fits("bfv-2048x1-count", Key::Secret), 6144);
}

#[test]
fn noise_that_could_hide_the_result_is_refused() {
    let bench = Bench::new("bfv-1024x1-count", 0);
    let encrypted = encrypt(&bench, &rows(&bench, 1, 1));
    let inputs = inputs(&encrypted, bench.claims(1.0));
    let job = |weight| WeightedSum::Integers(vec![weight]);
    let refused = bench.run(&job(3000), None, &inputs).unwrap_err();
    let Error::Noise {
        noise,
        corrected,
        advice,
        ..
    } = &refused
    else {
        panic!("{refused}")
    };
    assert!(noise > corrected, "{refused}");
    let other = crate::support::set(advice.set.unwrap());
    let claims = Bench::new(advice.set.unwrap(), 0).claims(1.0);
    assert!(job(3000).plan(&other, &[claims]).is_ok());
}

/// SEAL multiplies by t - 1 in place of -1, and the noise with it: nothing was left of a set with one prime.
#[test]
fn negative_weights_leave_the_noise_as_it_is() {
    let bench = Bench::new("bfv-1024x1-count", 0);
    let rows = rows(&bench, 2, 100);
    let encrypted = encrypt(&bench, &rows);
    let job = WeightedSum::Integers(vec![-1, -2]);
    let inputs = inputs(&encrypted, bench.claims(100.0));
    let outputs = bench.run(&job, None, &inputs).unwrap();
    let wanted: Vec<i64> = rows[0]
        .iter()
        .zip(&rows[1])
        .map(|(a, b)| -a - 2 * b)
        .collect();
    assert_eq!(read(&bench, &outputs[0]), wanted);
}

#[test]
fn integers_and_real_numbers_do_not_mix() {
    let real = Bench::new("ckks-4096x2-linear", 27);
    let exact = Bench::new(SETS[0], 0);
    let job = WeightedSum::Integers(vec![1]);
    let refused = job.plan(real.context.parameters(), &[real.claims(1.0)]);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("begin with bfv-"), "{message}");
    let refused = isopod_eval::Mean.plan(exact.context.parameters(), &[exact.claims(1.0)]);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("begin with ckks-"), "{message}");
}
