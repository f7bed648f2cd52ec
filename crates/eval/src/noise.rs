//! Worst-case noise of linear circuits on integers (BFV), for the check that a result decrypts.

use crate::Error;
use isopod_seal::{Ciphertext, Evaluator, Parameters};

/// Standard deviations that a sum of many independent terms exceeds with probability 2^-128 at most, for a Gaussian.
const TAIL: f64 = 13.3;
/// Variance of the centred binomial error CBD(21).
const ERROR_VARIANCE: f64 = 10.5;

/// Noise of a sum of `growth` fresh ciphertexts (or of one, times a factor of that size), of which `blocks` rotations are
/// added up.
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

    /// Largest distance of c0 + c1*s from q/t times the plaintext. It scales with the ciphertext, since q times any integer
    /// vanishes modulo q.
    fn bound(self, parameters: &Parameters) -> f64 {
        let n = parameters.ring_degree as f64;
        let fresh = TAIL * (ERROR_VARIANCE * (1.0 + 4.0 * n / 3.0)).sqrt();
        let one = self.growth as f64 * (fresh + 0.5);
        let switches = self.blocks.max(1).ilog2();
        // Every step doubles the noise and adds that of one key switch.
        (0..switches).fold(one, |noise, _| 2.0 * noise + key_switch(parameters))
    }

    /// Whether a ciphertext computed at `from` primes still decrypts at `to` primes: |noise| < q/(2t), with one bit to spare.
    pub fn decrypts(self, parameters: &Parameters, from: usize, to: usize) -> bool {
        let plain = parameters.plain_modulus.unwrap_or(1) as f64;
        let dropped = (parameters.log2_modulus(to) - parameters.log2_modulus(from)).exp2();
        let mut noise = self.bound(parameters) * dropped;
        if to < from {
            // Worst case of rounding c0 and c1 * s, with s ternary.
            noise += (1.0 + parameters.ring_degree as f64) / 2.0;
        }
        (4.0 * plain * noise).log2() < parameters.log2_modulus(to)
    }

    /// Drops every prime without which the result still decrypts.
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

/// Noise of a key switch: k digits below q_j times key errors, divided by the special prime, and the rounding after it.
fn key_switch(parameters: &Parameters) -> f64 {
    let n = parameters.ring_degree as f64;
    let special = parameters.special_prime.unwrap_or(1) as f64;
    let primes = parameters.data_primes.iter();
    let digits: f64 = primes.map(|&prime| (prime as f64 / special).powi(2)).sum();
    TAIL * (digits * n * ERROR_VARIANCE / 3.0).sqrt() + (1.0 + n) / 2.0
}
