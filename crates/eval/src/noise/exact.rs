//! Estimate that accompanies a ciphertext of BFV from step to step: bound, and noise of its coefficients.

use crate::advice::Advice;
use crate::claims::Claims;
use crate::noise::{self, Noise};
use crate::plan::{Plan, Shape};
use crate::Error;
use isopod_seal::Parameters;
use isopod_wire::Decoding;

/// Share of the distance Q/t between plaintexts that decryption corrects (spec/decryption.md, section 3). It refuses up to
/// 9/16, beyond which a result would be wrong.
const CORRECTED: f64 = 7.0 / 16.0;
/// A result is refused by its owner with probability 2^-20 at most, and hence wrong with probability 2^-40: the exponent of a
/// Gaussian tail grows with the square of 9/7, beside the logarithm of the number of coefficients.
const REFUSED_BITS: f64 = 20.0;
/// Bits at which primes are dropped, which is for convenience alone.
const DROPPED_BITS: f64 = 128.0;

/// Noise that a coefficient exceeds with probability 2^-20 at most; `slot_share` is that of [`noise::slot_share`].
pub(crate) fn refused(parameters: &Parameters, noise: &Noise, slot_share: f64) -> f64 {
    noise::seldom(noise, slot_share, parameters.ring_degree, REFUSED_BITS)
}

/// Noise that decryption corrects at a level.
fn corrected(parameters: &Parameters, primes: usize) -> f64 {
    let plain = parameters.plain_modulus.unwrap_or(1) as f64;
    CORRECTED * parameters.log2_modulus(primes).exp2() / plain
}

/// Largest integer of a ciphertext, and largest noise.
pub(crate) struct Largest<'set> {
    pub parameters: &'set Parameters,
    pub primes: usize,
    pub value: f64,
    pub noise: f64,
}

impl Largest<'_> {
    /// Refuses integers beyond half of t, and noise that may not decrypt.
    pub fn check(&self, job: &'static str) -> Result<(), Error> {
        let most = (self.parameters.plain_modulus.unwrap_or(1) - 1) / 2;
        let set = || self.parameters.name.clone();
        if self.value > most as f64 {
            return Err(Error::PlainModulus {
                job,
                set: set(),
                largest: self.value,
                most,
                advice: Advice::default(),
            });
        }
        let corrected = corrected(self.parameters, self.primes);
        if self.noise > corrected {
            return Err(Error::Noise {
                job,
                set: set(),
                noise: self.noise,
                corrected,
                advice: Advice::default(),
            });
        }
        Ok(())
    }
}

/// Bound and noise of a ciphertext of integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact<'set> {
    parameters: &'set Parameters,
    primes: usize,
    /// Bound on |value| in every slot.
    bound: f64,
    /// Variance of the noise of a coefficient.
    variance: f64,
    /// Worst case of the rounding of Q/t times a plaintext.
    rounding: f64,
}

impl<'set> Exact<'set> {
    /// The sum of the frames with these claims as they arrive.
    pub fn fresh(parameters: &'set Parameters, frame: &Claims) -> Self {
        let copies = frame.frames as f64;
        Self {
            parameters,
            primes: frame.primes,
            bound: copies * frame.bound,
            variance: copies * noise::fresh(parameters, frame.key).total(),
            rounding: copies * 0.5,
        }
    }

    /// Adds a ciphertext with independent noise.
    pub fn add(&mut self, other: &Self) {
        self.bound += other.bound;
        self.variance += other.variance;
        self.rounding += other.rounding;
    }

    /// Multiplies every slot by one integer.
    pub fn times(&mut self, factor: f64) {
        self.bound *= factor.abs();
        self.variance *= factor * factor;
        self.rounding *= factor.abs();
    }

    /// Adds up `block` slots; `values` of them are not zero. A rotation leaves coefficient 0 where it is: its noise doubles.
    pub fn sum_slots(&mut self, values: usize, block: usize) {
        let switched = noise::switched_coefficients(self.parameters, self.primes).total();
        self.bound *= values as f64;
        for _ in 0..block.ilog2() {
            self.variance = 4.0 * self.variance + switched;
            self.rounding *= 2.0;
        }
    }

    /// The bound of a sum that is known better than from its terms.
    pub fn within(mut self, bound: f64) -> Self {
        self.bound = bound;
        self
    }

    /// Largest noise at a level that is exceeded with probability 2^-bits.
    fn largest_noise(&self, primes: usize, bits: f64) -> f64 {
        let dropped =
            self.parameters.log2_modulus(primes) - self.parameters.log2_modulus(self.primes);
        let ratio = dropped.exp2();
        let mut variance = self.variance * ratio * ratio;
        if primes < self.primes {
            // Each dropped prime rounds; those before the last are divided by the next.
            variance += 1.01 * noise::rounding(self.parameters).total();
        }
        let deviations = noise::deviations(self.parameters.ring_degree, bits);
        deviations * variance.sqrt() + self.rounding * ratio
    }

    /// Plans the way to the smallest modulus, and refuses what exceeds t or may not decrypt. Several owners hide their shares
    /// under noise that needs the whole modulus.
    pub fn plan(&self, job: &'static str, shape: Shape) -> Result<Plan, Error> {
        let most = self.primes.min(Decoding::PRIMES);
        let largest = Largest {
            parameters: self.parameters,
            primes: most,
            value: self.bound,
            noise: self.largest_noise(most, REFUSED_BITS),
        };
        largest.check(job)?;
        let holds = |&primes: &usize| {
            self.largest_noise(primes, DROPPED_BITS) <= corrected(self.parameters, primes)
        };
        Ok(Plan {
            bound: self.bound,
            error: 0.0,
            in_step: 0.0,
            scale: 1.0,
            primes: (1..most)
                .find(|primes| self.parameters.owners == 1 && holds(primes))
                .unwrap_or(most),
            shape,
            weight_scale: 1.0,
            rescales: 0,
        })
    }
}
