//! Comparison of every operation with the same arithmetic in the clear.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{context, largest_error, secret, values};
use isopod_seal::peer::Peer;
use isopod_seal::{galois_element, Ciphertext, Context, EvaluationKeys, Evaluator, SecretKey};

const SCALE: f64 = (1u64 << 25) as f64;
const TOLERANCE: f64 = 1e-2;
/// Tolerance after key switching at this small scale, whose error is up to 0.016 in 500 rotations under 25 keys.
const ROTATED_TOLERANCE: f64 = 0.1;

struct Bench {
    context: Context,
    secret: SecretKey,
}

impl Bench {
    fn new(name: &str) -> Self {
        let context = context(name);
        Bench {
            secret: secret(&context),
            context,
        }
    }

    fn encrypt(&self, values: &[f64]) -> Ciphertext {
        Peer::new(&self.context, &self.secret)
            .unwrap()
            .encrypt(values, SCALE)
            .unwrap()
    }

    fn expect(&self, ciphertext: &Ciphertext, wanted: impl IntoIterator<Item = f64>) {
        self.expect_within(TOLERANCE, ciphertext, wanted);
    }

    fn expect_within(
        &self,
        tolerance: f64,
        ciphertext: &Ciphertext,
        wanted: impl IntoIterator<Item = f64>,
    ) {
        let got = self
            .secret
            .decrypt(&self.context, ciphertext)
            .unwrap()
            .into_owner_only();
        let wanted: Vec<f64> = wanted.into_iter().collect();
        assert_eq!(got.len(), wanted.len());
        let error = largest_error(&got, &wanted);
        assert!(error < tolerance, "error {error}");
    }
}

#[test]
fn linear_operations() {
    let bench = Bench::new("ckks-4096x3-multiply");
    let evaluator = Evaluator::new(&bench.context);
    let (x, y) = (values(1, 2048, 4.0), values(2, 2048, 4.0));
    let (a, b) = (bench.encrypt(&x), bench.encrypt(&y));
    let pairs = || x.iter().zip(&y);

    let mut sum = a.clone();
    evaluator.add(&mut sum, &b).unwrap();
    bench.expect(&sum, pairs().map(|(x, y)| x + y));
    let mut difference = a.clone();
    evaluator.subtract(&mut difference, &b).unwrap();
    bench.expect(&difference, pairs().map(|(x, y)| x - y));
    let mut shifted = a.clone();
    evaluator.add_plain(&mut shifted, &y).unwrap();
    evaluator.add_constant(&mut shifted, 0.5).unwrap();
    bench.expect(&shifted, pairs().map(|(x, y)| x + y + 0.5));
    let mut mean = sum.clone();
    evaluator.divide(&mut mean, 2.0).unwrap();
    bench.expect(&mean, pairs().map(|(x, y)| (x + y) / 2.0));
    bench.expect(&a, x.iter().copied());
}

#[test]
fn products_rescaling_and_levels() {
    let bench = Bench::new("ckks-4096x3-multiply");
    let evaluator = Evaluator::new(&bench.context);
    let keys = EvaluationKeys::generate(&bench.context, &bench.secret, true, &[]).unwrap();
    let (x, y) = (values(1, 2048, 2.0), values(2, 2048, 2.0));
    let (a, b) = (bench.encrypt(&x), bench.encrypt(&y));

    let mut product = a.clone();
    evaluator.multiply_plain(&mut product, &y, SCALE).unwrap();
    assert_eq!(product.scale(), SCALE * SCALE);
    evaluator.rescale(&mut product).unwrap();
    assert_eq!(product.primes(), 2);
    bench.expect(&product, x.iter().zip(&y).map(|(x, y)| x * y));

    let mut product = a.clone();
    evaluator.multiply(&mut product, &b).unwrap();
    assert_eq!(product.polynomials(), 3);
    evaluator.relinearize(&mut product, &keys).unwrap();
    evaluator.rescale(&mut product).unwrap();
    bench.expect(&product, x.iter().zip(&y).map(|(x, y)| x * y));

    let mut square = a.clone();
    evaluator.square(&mut square).unwrap();
    evaluator.relinearize(&mut square, &keys).unwrap();
    bench.expect(&square, x.iter().map(|x| x * x));

    let mut half = a.clone();
    evaluator.multiply_constant(&mut half, 0.5, 1024.0).unwrap();
    bench.expect(&half, x.iter().map(|x| x / 2.0));

    let mut small = a;
    evaluator.switch_to(&mut small, 2).unwrap();
    assert_eq!((small.primes(), small.scale()), (2, SCALE));
    bench.expect(&small, x.iter().copied());
}

#[test]
fn rotations_go_left_and_right_for_every_set_with_keys() {
    for name in [
        "ckks-4096x2-linear",
        "ckks-4096x3-multiply",
        "ckks-8192x6-multiply",
    ] {
        let bench = Bench::new(name);
        let evaluator = Evaluator::new(&bench.context);
        let keys =
            EvaluationKeys::generate(&bench.context, &bench.secret, false, &[1, -3]).unwrap();
        let slots = bench.context.parameters().slots();
        let x = values(1, slots, 2.0);
        for (step, left) in [(1, 1), (-3, slots - 3)] {
            let mut rotated = bench.encrypt(&x);
            evaluator.rotate(&mut rotated, step, &keys).unwrap();
            bench.expect_within(
                ROTATED_TOLERANCE,
                &rotated,
                (0..slots).map(|i| x[(i + left) % slots]),
            );
        }
    }
}

#[test]
fn keys_work_after_the_way_through_numbers() {
    let bench = Bench::new("ckks-4096x2-linear");
    let made = EvaluationKeys::generate(&bench.context, &bench.secret, true, &[4, 1]).unwrap();
    let material = made.material(&bench.context).unwrap();
    let elements: Vec<u32> = [1, 4]
        .into_iter()
        .map(|step| galois_element(4096, step).unwrap())
        .collect();
    assert!(
        elements
            .iter()
            .all(|element| material.galois.contains_key(element))
            && material.galois.len() == 2
    );
    let loaded = EvaluationKeys::from_material(&bench.context, &material).unwrap();
    assert!(loaded.has_relinearization());
    assert_eq!(loaded.material(&bench.context).unwrap(), material);

    let evaluator = Evaluator::new(&bench.context);
    let x = values(1, 2048, 2.0);
    let mut result = bench.encrypt(&x);
    evaluator.square(&mut result).unwrap();
    evaluator.relinearize(&mut result, &loaded).unwrap();
    evaluator.rotate(&mut result, 4, &loaded).unwrap();
    bench.expect(&result, (0..2048).map(|i| x[(i + 4) % 2048].powi(2)));
}

#[test]
fn encoding_is_its_own_inverse() {
    let context = context("ckks-4096x2-linear");
    let x = values(1, 100, 2.0);
    let slots = context
        .decode(&context.encode(&x, SCALE, 1).unwrap())
        .unwrap();
    assert!(largest_error(&slots[..100], &x) < 1e-4);
    assert!(largest_error(&slots[100..], &[0.0; 1948]) < 1e-4);
}
