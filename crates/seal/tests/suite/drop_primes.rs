//! Primes of a BFV ciphertext are dropped in one division, which is rounded once.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;

use isopod_seal::{Context, Evaluator};
use isopod_wire::{sets, ParameterSet, Scheme};

/// Product of primes modulo a prime.
fn product(primes: &[u64], modulus: u64) -> u64 {
    let times = |a: u64, &b: &u64| (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64;
    primes.iter().fold(1 % modulus, times)
}

/// Residues of D a + sum of D/q_i k_i for the dropped primes q_i and their product D.
fn residues(primes: &[u64], left: usize, a: u64, parts: &[u64]) -> Vec<u64> {
    let dropped = &primes[left..];
    let residue = |&modulus: &u64| {
        let mut sum = product(&[&[a % modulus], dropped].concat(), modulus);
        for (at, &part) in parts.iter().enumerate() {
            let mut factors = dropped.to_vec();
            factors[at] = part % modulus;
            sum = (sum + product(&factors, modulus)) % modulus;
        }
        sum
    };
    primes.iter().map(residue).collect()
}

fn check(set: &ParameterSet, left: usize, fraction: f64) {
    let context = Context::for_set(set).unwrap();
    let primes = set.data_primes;
    let share = |prime: &u64| (*prime as f64 * fraction) as u64;
    let parts: Vec<u64> = primes[left..].iter().map(share).collect();
    let sum: f64 = parts
        .iter()
        .zip(&primes[left..])
        .map(|(&part, &prime)| part as f64 / prime as f64)
        .sum();
    // A constant has the same residue at every place of the transform.
    let constant = |a| -> Vec<Vec<u64>> {
        let all = residues(primes, left, a, &parts).into_iter();
        all.map(|residue| vec![residue; set.ring_degree]).collect()
    };
    let (first, second) = (1 << 40, primes[0] - 100);
    let mut ciphertext = context
        .ciphertext(&constant(first), &constant(second), 1.0)
        .unwrap();
    Evaluator::new(&context)
        .switch_to(&mut ciphertext, left)
        .unwrap();
    let found = context.residues(&ciphertext).unwrap();
    for (polynomial, a) in [(&found.c0, first), (&found.c1, second)] {
        for (row, &prime) in polynomial.iter().zip(primes) {
            let wanted = (a + sum.round() as u64) % prime;
            assert!(
                row.iter().all(|&value| value == wanted),
                "{} to {left} primes: {} instead of {wanted}",
                set.name,
                row[0]
            );
        }
    }
    assert_eq!(ciphertext.primes(), left);
}

#[test]
fn levels_of_every_set_are_the_nearest() {
    let several = |set: &&ParameterSet| set.scheme() == Scheme::Bfv && set.data_primes.len() > 1;
    for set in sets().filter(several) {
        let most = set.data_primes.len();
        for left in BTreeSet::from([1, most / 2, most - 1]) {
            for fraction in [0.31, 0.72] {
                check(set, left, fraction);
            }
        }
    }
}
