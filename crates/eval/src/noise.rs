//! Worst-case noise of linear circuits on integers.

use crate::Error;
use isopod_seal::{Ciphertext, Evaluator, Parameters};

/// Standard deviations that a sum of many independent terms never exceeds: 2^-128 and less for a Gaussian.
const TAIL: f64 = 13.3;
/// Variance of the centred binomial error.
const ERROR_VARIANCE: f64 = 10.5;

/// The noise of a sum of `growth` fresh ciphertexts (or of one, times a factor of that size), of which `blocks` rotations
/// are added up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoiseBound {
    growth: u64,
    blocks: u64,
}

impl NoiseBound {
    pub fn scaled(growth: u64) -> Self {
        Self { growth, blocks: 1 }
    }

    pub fn rotated(growth: u64, blocks: u64) -> Self {
        Self { growth, blocks }
    }

    /// The distance of c0 + c1*s from q/t times the plaintext, at most. It scales with the ciphertext, since q times any
    /// integer vanishes modulo q.
    fn bound(self, parameters: &Parameters) -> f64 {
        let n = parameters.ring_degree as f64;
        let fresh = TAIL * (ERROR_VARIANCE * (1.0 + 4.0 * n / 3.0)).sqrt();
        let one = self.growth as f64 * (fresh + 0.5);
        let switches = self.blocks.max(1).ilog2();
        // Every step doubles what is there and adds one key switch.
        (0..switches).fold(one, |noise, _| 2.0 * noise + key_switch(parameters))
    }

    /// Whether a ciphertext that was computed at `from` primes still decrypts when `to` are left: |noise| < q/(2t), with
    /// one bit to spare.
    pub fn decrypts(self, parameters: &Parameters, from: usize, to: usize) -> bool {
        let plain = parameters.plain_modulus.unwrap_or(1) as f64;
        let dropped = (parameters.log2_modulus(to) - parameters.log2_modulus(from)).exp2();
        let mut noise = self.bound(parameters) * dropped;
        if to < from {
            // Rounding c0 and c1 * s, at the worst: s is ternary.
            noise += (1.0 + parameters.ring_degree as f64) / 2.0;
        }
        (4.0 * plain * noise).log2() < parameters.log2_modulus(to)
    }

    /// Drops every prime that the result can do without.
    pub fn shrink(
        self,
        evaluator: Evaluator<'_>,
        ciphertext: &mut Ciphertext,
    ) -> Result<(), Error> {
        let (parameters, from) = (evaluator.context().parameters(), ciphertext.primes());
        let enough = (1..from).find(|&to| self.decrypts(parameters, from, to));
        if let Some(primes) = enough {
            evaluator.switch_to(ciphertext, primes)?;
        }
        Ok(())
    }
}

/// k digits below q_j times key errors, divided by the special prime, and the rounding after it.
fn key_switch(parameters: &Parameters) -> f64 {
    let n = parameters.ring_degree as f64;
    let special = parameters.special_prime.unwrap_or(1) as f64;
    let primes = parameters.data_primes.iter();
    let digits: f64 = primes.map(|&prime| (prime as f64 / special).powi(2)).sum();
    TAIL * (digits * n * ERROR_VARIANCE / 3.0).sqrt() + (1.0 + n) / 2.0
}
