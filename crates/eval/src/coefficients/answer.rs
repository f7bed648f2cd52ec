//! Answers, computed as planned: c0 at the places of the values, c1 whole.

use super::job::CoefficientPlan;
use crate::Error;
use isopod_linear::{drop_bits, restore_bits, Modulus, Ring, Weights};

/// An answer: coefficients modulo the product of the primes, multiples of 2^dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Coefficients of c0 at the places, in the order of the values.
    pub c0: Vec<u64>,
    /// All coefficients of c1.
    pub c1: Vec<u64>,
}

/// A plan made ready for many frames.
pub struct Evaluation<'ring> {
    ring: &'ring Ring,
    plan: CoefficientPlan,
    modulus: Modulus,
    /// The weights of neighbours, last first.
    weights: Option<Weights>,
}

impl<'ring> Evaluation<'ring> {
    /// Makes ready a plan; `is_sum` for one whose ciphertexts are added up already.
    ///
    /// # Errors
    /// [`Error::Linear`] for a ring of more than two primes.
    pub fn new(ring: &'ring Ring, plan: CoefficientPlan, is_sum: bool) -> Result<Self, Error> {
        let terms: Vec<(usize, i64)> = plan.weights.iter().rev().copied().enumerate().collect();
        Ok(Self {
            modulus: ring.modulus()?,
            weights: if is_sum {
                None
            } else {
                Some(ring.weights(&terms)?)
            },
            ring,
            plan,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &CoefficientPlan {
        &self.plan
    }

    /// The answer of a ciphertext: c0 and c1 of each prime, in NTT order. Several evaluations may take the same one.
    ///
    /// # Errors
    /// [`Error::Linear`] for polynomials of another ring.
    pub fn answer(&self, [c0, c1]: &[Vec<Vec<u64>>; 2]) -> Result<Answer, Error> {
        let c0 = self.product(c0.clone())?;
        let c1 = self.product(c1.clone())?;
        let (places, [low0, low1]) = (self.plan.places, self.plan.dropped);
        let constant = self.modulus.reduce(self.plan.constant);
        let values = places.shape.slots().map(|place| {
            let value = self.modulus.add(c0[places.first + place], constant);
            self.round(value, low0)
        });
        Ok(Answer {
            c0: values.collect(),
            c1: c1
                .into_iter()
                .map(|value| self.round(value, low1))
                .collect(),
        })
    }

    fn product(&self, mut polynomial: Vec<Vec<u64>>) -> Result<Vec<u64>, Error> {
        if let Some(weights) = &self.weights {
            weights.multiply(&mut polynomial)?;
        }
        Ok(self.ring.coefficients(polynomial)?)
    }

    fn round(&self, value: u64, bits: u8) -> u64 {
        restore_bits(self.modulus, drop_bits(value, bits.into()), bits.into())
    }
}
