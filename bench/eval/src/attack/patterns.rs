//! Values of one row, chosen so that roundings hurt.

use crate::values::Random;
use isopod_wire::ParameterSet;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::sync::{Arc, Mutex, PoisonError};

/// Degrees up to which the worst row is computed: n^2/2 cosines.
const LARGEST: usize = 4096;
/// Share of half a unit that coefficients of the worst row have.
const BELOW: f64 = 0.499;
/// log2 of the smallest value.
const SMALLEST: f64 = -40.0;

/// Set, scale, bound and number of the values of a row.
#[derive(Clone, Copy)]
pub struct Of {
    pub set: &'static ParameterSet,
    pub scale: f64,
    pub bound: f64,
    /// Values of the row.
    pub count: usize,
}

/// Values within the bound.
pub fn row(of: Of, random: &mut Random) -> Vec<f64> {
    let size = magnitude(of.bound, random);
    let at = random.below(of.count);
    let row: Vec<f64> = match random.below(11) {
        0 => (0..of.count).map(|_| size * random.unit()).collect(),
        1 => vec![size; of.count],
        2 => (0..of.count).map(|i| [size, -size][i % 2]).collect(),
        3 => single(of.count, at, size),
        4 => single(of.count, 0, size),
        5 => (0..of.count)
            .map(|_| of.bound * random.unit().signum())
            .collect(),
        6 => vec![of.bound; of.count],
        7 => sparse(of.count, size, random),
        8 => single(
            of.count,
            at,
            half_units(of, of.set.ring_degree as f64 / 2.0, random),
        ),
        9 => vec![half_units(of, 1.0, random); of.count],
        _ => worst(of, random),
    };
    row.into_iter()
        .map(|value| value.clamp(-of.bound, of.bound))
        .collect()
}

/// From 2^-40 to the bound, evenly in its logarithm.
fn magnitude(bound: f64, random: &mut Random) -> f64 {
    let most = bound.log2();
    (SMALLEST.min(most) + (most - SMALLEST.min(most)) * random.share()).exp2()
}

fn single(count: usize, at: usize, value: f64) -> Vec<f64> {
    let mut row = vec![0.0; count];
    row[at] = value;
    row
}

fn sparse(count: usize, size: f64, random: &mut Random) -> Vec<f64> {
    let one_of = 1 << random.below(8);
    (0..count)
        .map(|_| match random.below(one_of) {
            0 => size * random.unit(),
            _ => 0.0,
        })
        .collect()
}

/// A value whose largest coefficient, `share` times smaller, is next to a half of a unit.
fn half_units(of: Of, share: f64, random: &mut Random) -> f64 {
    let apart = [-1.0, 1.0][random.below(2)] * (-4.0 - 20.0 * random.share()).exp2();
    (random.below(4) as f64 + 0.5 + apart) * share / of.scale
}

/// The row whose coefficients are all just below half a unit, with the signs of the cosines of slot 0: rounded to the nearest,
/// that slot loses as much as any can.
fn worst(of: Of, random: &mut Random) -> Vec<f64> {
    if of.set.ring_degree > LARGEST {
        return vec![of.bound; of.count];
    }
    let factor = [0.9, 1.0, 1.003, 1.1][random.below(4)] / of.scale;
    let row = cached(of.set.ring_degree);
    row.iter()
        .take(of.count)
        .map(|value| factor * value)
        .collect()
}

fn cached(n: usize) -> Arc<Vec<f64>> {
    static MADE: Mutex<BTreeMap<usize, Arc<Vec<f64>>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(n)
        .or_insert_with(|| Arc::new(aligned(n)))
        .clone()
}

fn aligned(n: usize) -> Vec<f64> {
    let cosines: Vec<f64> = (0..2 * n)
        .map(|at| (PI * at as f64 / n as f64).cos())
        .collect();
    let slot = |exponent: usize| -> f64 {
        let pairs = (1..n / 2).map(|t| 2.0 * cosines[t].signum() * cosines[t * exponent % (2 * n)]);
        BELOW * (1.0 + pairs.sum::<f64>())
    };
    let exponents = std::iter::successors(Some(1), |exponent| Some(exponent * 3 % (2 * n)));
    exponents.take(n / 2).map(slot).collect()
}
