//! Products of coefficients by public weights as a server makes them, beside SEAL's product by a plaintext at the same ring.

use crate::record::{Measured, Record};
use anyhow::{ensure, Context as _, Result};
use cpu_time::ProcessTime;
use isopod_linear::{Machine, Ring};
use isopod_seal::{Ciphertext, Context, Evaluator, Plaintext};
use isopod_wire::{by_name, ParameterSet};

pub const CASE: &str = "inner-product";
/// BFV, since SEAL keeps its ciphertexts in coefficients: one prime, in the ring of `ckks-2048x1-air`; and two primes.
const SETS: [&str; 2] = ["bfv-2048x1-count", "bfv-4096x2-linear"];
/// One run is too short for the clock.
const PRODUCTS: usize = 200;
const RUNS: usize = 12;
const LIMIT: f64 = 1.5;
const METHOD: &str = "One ciphertext of two polynomials modulo all primes, times one public polynomial, coefficients to \
coefficients: the inner products of all rows of a frame. Ours by crates/linear (transform, multiply, coefficients, and the \
weights made ready each time, which a job does once), beside it Evaluator::multiply_plain of a BFV ciphertext and a dense \
plaintext; the products are compared. ratio_to_seal is the least CPU time of ours over the least of SEAL's, of 12 runs of 200 \
products by turns in one thread.";

/// Measures, and makes the records.
pub fn records() -> Result<Vec<Record>> {
    SETS.into_iter().map(record).collect()
}

fn record(name: &'static str) -> Result<Record> {
    let set = by_name(name).context("no such set")?;
    let context = Context::for_set(set)?;
    let bench = Bench::new(set, &context)?;
    let (mut ours, mut seals) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let start = ProcessTime::now();
        let product = repeat(|| bench.ours())?;
        ours = ours.min(start.elapsed().as_secs_f64());
        let start = ProcessTime::now();
        let seal = repeat(|| bench.seals())?;
        seals = seals.min(start.elapsed().as_secs_f64());
        ensure!(
            product == bench.coefficients(&seal)?,
            "the product is not SEAL's"
        );
    }
    let ratio = ours / seals;
    let measured = Measured {
        frames_per_cpu_second: Some(PRODUCTS as f64 / ours),
        ratio_to_seal: Some(ratio),
        ..Measured::within(ratio <= LIMIT)
    };
    Ok(Record::measured((CASE, name), 1, RUNS, measured, METHOD))
}

/// The last of many equal products.
fn repeat<T>(product: impl Fn() -> Result<T>) -> Result<T> {
    for _ in 1..PRODUCTS {
        product()?;
    }
    product()
}

/// A ciphertext and a polynomial in the forms of both sides.
struct Bench<'a> {
    context: &'a Context,
    ring: Ring,
    polynomials: [Vec<u64>; 2],
    terms: Vec<(usize, i64)>,
    ciphertext: Ciphertext,
    plaintext: Plaintext,
}

impl<'a> Bench<'a> {
    fn new(set: &ParameterSet, context: &'a Context) -> Result<Self> {
        let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
        let values: Vec<i64> = (1..=ring.degree() as i64).collect();
        let plaintext = context.encode_integers(&values)?;
        let weights = context.decode_coefficients(&plaintext)?;
        let modulus = ring.modulus()?.prime();
        // Multiples of the golden ratio modulo 2^64 look uniform.
        let polynomials = [1u64, 2].map(|start| {
            let steps = start * 0x1_0000..start * 0x1_0000 + ring.degree() as u64;
            let numbers = steps.map(|step| step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % modulus);
            numbers.collect::<Vec<u64>>()
        });
        let [c0, c1] = [
            ring.transform(&polynomials[0])?,
            ring.transform(&polynomials[1])?,
        ];
        Ok(Self {
            ciphertext: context.ciphertext(&c0, &c1, 1.0)?,
            context,
            ring,
            polynomials,
            terms: weights.into_iter().enumerate().collect(),
            plaintext,
        })
    }

    fn ours(&self) -> Result<[Vec<u64>; 2]> {
        let weights = self.ring.weights(&self.terms)?;
        let product = |polynomial: &[u64]| -> Result<Vec<u64>> {
            let mut residues = self.ring.transform(polynomial)?;
            weights.multiply(&mut residues)?;
            Ok(self.ring.coefficients(residues)?)
        };
        Ok([
            product(&self.polynomials[0])?,
            product(&self.polynomials[1])?,
        ])
    }

    fn seals(&self) -> Result<Ciphertext> {
        let mut product = self.ciphertext.clone();
        Evaluator::new(self.context).multiply_encoded(&mut product, &self.plaintext, 1.0)?;
        Ok(product)
    }

    fn coefficients(&self, ciphertext: &Ciphertext) -> Result<[Vec<u64>; 2]> {
        let residues = self.context.residues(ciphertext)?;
        Ok([
            self.ring.coefficients(residues.c0)?,
            self.ring.coefficients(residues.c1)?,
        ])
    }
}
