//! Coefficients modulo the product of the primes, against schoolbook products in 128 bits.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::Numbers;
use isopod_linear::{Machine, Ring};
use isopod_wire::by_name;

const SETS: [&str; 3] = ["ckks-1024x1-sum", "ckks-2048x1-sum", "ckks-4096x2-linear"];

fn rings() -> impl Iterator<Item = Ring> {
    SETS.into_iter().flat_map(|name| {
        let set = by_name(name).unwrap();
        Machine::all().map(move |machine| Ring::new(set, set.data_primes.len(), machine).unwrap())
    })
}

fn polynomial(ring: &Ring) -> Vec<u64> {
    Numbers(5).residues(ring.modulus().unwrap().prime(), ring.degree())
}

#[test]
fn coefficients_come_back() {
    for ring in rings() {
        let coefficients = polynomial(&ring);
        let transformed = ring.transform(&coefficients).unwrap();
        assert!(ring.coefficients(transformed).unwrap() == coefficients);
    }
}

#[test]
fn products_are_those_of_the_ring() {
    let terms = [(0, 7), (3, -5), (1000, 1 << 20), (3, 1)];
    for ring in rings() {
        let coefficients = polynomial(&ring);
        let weights = ring.weights(&terms).unwrap();
        let mut product = ring.transform(&coefficients).unwrap();
        weights.multiply(&mut product).unwrap();
        let product = ring.coefficients(product).unwrap();
        let (n, q) = (ring.degree(), i128::from(ring.modulus().unwrap().prime()));
        for at in [0, 2, 3, 999, 1000, n - 1] {
            let wanted: i128 = terms
                .iter()
                .map(|&(exponent, integer)| {
                    let x = i128::from(coefficients[(at + n - exponent) % n]);
                    let sign = if at < exponent { -1 } else { 1 };
                    sign * x * i128::from(integer)
                })
                .sum();
            assert_eq!(i128::from(product[at]), wanted.rem_euclid(q), "{at} of {n}");
        }
    }
}

#[test]
fn what_does_not_belong_to_the_ring_is_refused() {
    let set = by_name("ckks-4096x3-multiply").unwrap();
    let three = Ring::new(set, 3, Machine::best()).unwrap();
    assert!(three.modulus().unwrap_err().to_string().contains("1 or 2"));
    let ring = rings().next().unwrap();
    let mut coefficients = polynomial(&ring);
    coefficients[9] = ring.modulus().unwrap().prime();
    assert!(ring.transform(&coefficients).is_err());
    assert!(ring.transform(&coefficients[1..]).is_err());
    assert!(ring.weights(&[(ring.degree(), 1)]).is_err());
}
