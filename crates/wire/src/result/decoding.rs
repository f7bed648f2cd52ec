//! The bound at which an owner decodes real numbers (`spec/decryption.md`, section 2; `spec/coefficients.md`, section 5). Servers
//! plan answers by it, so that every answer can be opened.

use crate::{EncryptedResult, Layout};

/// Bits of a coefficient (log2 of scale times bound) up to which 64-bit words decode with an error far below the noise.
const EXACT_BITS: i32 = 57;
/// log2 of the smallest bound that is chosen where the modulus has room for it.
const LEAST_CHOSEN: i32 = 8;
/// log2 of what values need beyond their bound for their error, which is smaller.
const NOISE_BITS: i32 = 2;
/// log2 of the smallest bound.
const LEAST: i32 = -60;

/// Bound under which real numbers of a result are decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decoding {
    scale: f64,
    log2_bound: i32,
    is_rounded: bool,
}

impl Decoding {
    /// Most primes that are read: the first ones, which hold every value within the bound.
    pub const PRIMES: usize = 3;
    /// log2 of a scale that is too large; the smallest one is 1.
    pub const SCALE_BITS: i32 = 120;
    /// log2 of the largest bound.
    pub const BOUND_BITS: i32 = 57;
    /// Share of the bound that errors of slots may have.
    pub const ERROR_SHARE: f64 = 0.4;

    /// The widest bound that costs no precision beside the noise of any ciphertext, or one that values within `bound` need;
    /// None at a scale that is not read. `primes` are those that are left.
    pub fn new(primes: &[u64], layout: Layout, scale: f64, bound: f64) -> Option<Self> {
        if !(1.0..f64::from(Self::SCALE_BITS).exp2()).contains(&scale) {
            return None;
        }
        let log2_scale = ceil_log2(scale);
        let is_rounded = layout == Layout::CoefficientsRounded;
        if is_rounded && !may_travel(primes) {
            return None;
        }
        let wanted = match is_rounded {
            // No transform adds an error.
            true => i32::MAX,
            false => EXACT_BITS.max(log2_scale + LEAST_CHOSEN.max(ceil_log2(bound) + NOISE_BITS)),
        };
        let most = Self::room(primes, layout);
        let log2_bound = (wanted.min(most) - log2_scale).clamp(LEAST, Self::BOUND_BITS);
        let is_read = (0..=most).contains(&(log2_scale + log2_bound));
        is_read.then_some(Self {
            scale,
            log2_bound,
            is_rounded,
        })
    }

    /// log2 of the largest scaled bound: two bits below the modulus of the primes that are read.
    pub fn room(primes: &[u64], layout: Layout) -> i32 {
        let bits = |value: u64| (u64::BITS - value.leading_zeros()) as i32;
        let read = primes.iter().take(Self::PRIMES).copied();
        match layout {
            Layout::CoefficientsRounded if may_travel(primes) => bits(read.product()) - 2,
            _ => read.map(bits).sum::<i32>() - 2,
        }
    }

    /// The largest scale at which rounded coefficients are read.
    pub fn largest_scale(primes: &[u64]) -> f64 {
        let most = Self::room(primes, Layout::CoefficientsRounded) - LEAST;
        f64::from(most.min(Self::SCALE_BITS - 1)).exp2()
    }

    /// log2 of the bound, from -60 to 57.
    pub fn log2_bound(&self) -> i8 {
        self.log2_bound as i8
    }

    /// Whether values within `bound` that are off by at most `error` are certainly read. In slots it is the error of all of them.
    pub fn holds(&self, bound: f64, error: f64) -> bool {
        if self.is_rounded {
            // Coefficients up to twice the bound are read, times the next power of two from the scale.
            let most = ceil_log2(self.scale) + self.log2_bound + 1;
            return (bound + error) * self.scale <= f64::from(most).exp2();
        }
        let most = f64::from(self.log2_bound).exp2();
        bound <= most && error <= Self::ERROR_SHARE * most
    }
}

impl EncryptedResult {
    /// The bound at which its real numbers are decoded; None at a scale that is not read.
    pub fn decoding(&self) -> Option<Decoding> {
        let primes = self.params.data_primes;
        let primes = &primes[..self.primes().min(primes.len())];
        Decoding::new(primes, self.layout(), self.scale, self.bound)
    }
}

/// Whether coefficients modulo the product of primes may travel: of one or two, which are below 2^30.
fn may_travel(primes: &[u64]) -> bool {
    primes.len() <= 2 && primes.iter().all(|prime| prime >> 30 == 0)
}

/// The least integer that is not below log2 of a positive number; beyond finite numbers 1024 or more.
fn ceil_log2(value: f64) -> i32 {
    const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = value.to_bits();
    let exponent = (bits >> MANTISSA_BITS) as i32 - 1023;
    exponent + i32::from(bits << (u64::BITS - MANTISSA_BITS) != 0)
}
