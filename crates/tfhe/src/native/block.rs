//! Sums of encrypted small integers, with a bound on their noise, and the tables that are looked up at them.
//!
//! A block encrypts an integer at tfhe-rs's scale, 2^59, modulo 32: four bits and the padding bit. Some constants are in halves.

use tfhe::core_crypto::prelude::{CiphertextModulus, LweCiphertext};
use tfhe::shortint::ciphertext::{Degree, NoiseLevel};
use tfhe::shortint::{AtomicPatternKind, Ciphertext, PBSOrder};

use super::parameters::BLOCK_PARAMETERS;
use super::Native;
use crate::{Error, Result};
use isopod_wire::ValueType;

/// Words of an LWE ciphertext: 2048 of the mask, and the body.
pub(super) const LWE_WORDS: usize = 2049;
const PATTERN: AtomicPatternKind = AtomicPatternKind::Standard(PBSOrder::KeyswitchBootstrap);
/// log2 of half the scale.
const HALF_BITS: u32 = 58;
/// Coefficients of a table: those of the ring.
const DEGREE: usize = 2048;
/// Coefficients of a table for one integer.
const WIDTH: usize = DEGREE / 16;

/// Noise of a bootstrap's output, tfhe-rs's level 1, in units; a block from a frame has at most one: rounded bodies have
/// a thousandth of a bootstrap's, fresh ones less (`noise_is_that_of_theory_and_within_the_margin` measures it).
const BOOTSTRAPPED: u64 = 64;
const FROM_FRAME: u64 = 1;
/// Largest noise for which tfhe-rs states the failure probability of a bootstrap. Noises add up as if they all had one sign, so
/// that values which a device repeats cannot exceed it.
const MOST: u64 = BLOCK_PARAMETERS.max_noise_level.get() * BOOTSTRAPPED;

/// An encrypted sum of small integers.
#[derive(Clone)]
pub struct Block {
    pub(super) words: Vec<u64>,
    noise: u64,
}

impl Block {
    pub(super) fn from_frame(words: Vec<u64>) -> Self {
        let noise = FROM_FRAME;
        Self { words, noise }
    }

    pub(super) fn bootstrapped(words: Vec<u64>) -> Self {
        let noise = BOOTSTRAPPED;
        Self { words, noise }
    }

    /// An integer in the clear.
    pub fn clear(value: i64) -> Self {
        let (words, noise) = (vec![0; LWE_WORDS], 0);
        Self { words, noise }.plus_halves(2 * value)
    }

    /// Adds `times` another.
    pub fn plus(mut self, other: &Self, times: i64) -> Self {
        let factor = times as u64;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word = word.wrapping_add(more.wrapping_mul(factor));
        }
        self.noise = self
            .noise
            .saturating_add(other.noise.saturating_mul(times.unsigned_abs()));
        self
    }

    /// Adds halves of one.
    pub fn plus_halves(mut self, halves: i64) -> Self {
        let body = &mut self.words[LWE_WORDS - 1];
        *body = body.wrapping_add((halves as u64) << HALF_BITS);
        self
    }

    /// Bootstraps whose noise it has at most, rounded up.
    pub fn level(&self) -> u64 {
        self.noise.div_ceil(BOOTSTRAPPED)
    }

    /// Whether it has the noise of a bootstrap or more: blocks from frames have far less.
    pub fn is_bootstrapped(&self) -> bool {
        self.noise >= BOOTSTRAPPED
    }

    /// Refuses noise beyond the limit of a bootstrap.
    pub(super) fn check(&self) -> Result<()> {
        match self.noise > MOST {
            false => Ok(()),
            true => Err(Error::Noise {
                found: self.level(),
                most: MOST / BOOTSTRAPPED,
            }),
        }
    }

    /// tfhe-rs's block of an integer from 0 to `most`.
    pub(super) fn native(self, most: u64) -> Ciphertext {
        Ciphertext::new(
            LweCiphertext::from_container(self.words, CiphertextModulus::new_native()),
            Degree::new(most),
            NoiseLevel::NOMINAL * self.noise.div_ceil(BOOTSTRAPPED),
            BLOCK_PARAMETERS.message_modulus,
            BLOCK_PARAMETERS.carry_modulus,
            PATTERN,
        )
    }
}

impl Native {
    /// The value of blocks from 0 to 3, or of a boolean; None if the type does not have that many.
    pub fn of_sums(blocks: Vec<Block>, of: ValueType) -> Option<Self> {
        let most = if of == ValueType::Bool { 1 } else { 3 };
        let blocks = blocks.into_iter().map(|block| block.native(most));
        Self::from_blocks(blocks.collect(), of)
    }
}

/// A function of 16 consecutive integers. At the 16 after those it has the negative values: a bootstrap is negacyclic.
pub struct LookupTable {
    pub(super) body: Vec<u64>,
}

impl LookupTable {
    /// The table of a function of `first` to `first + 15`, with values in halves.
    pub fn new(first: i64, function: impl Fn(i64) -> i64) -> Self {
        let mut values = [0u64; 32];
        for at in first..first + 16 {
            let value = (function(at) as u64) << HALF_BITS;
            values[at.rem_euclid(32) as usize] = value;
            values[(at + 16).rem_euclid(32) as usize] = value.wrapping_neg();
        }
        let body = (0..DEGREE).map(|at| values[(at + WIDTH / 2) / WIDTH]);
        Self {
            body: body.collect(),
        }
    }

    /// The table of two functions of 0 to 7, with integer values: one bootstrap gives both.
    pub fn pair(one: impl Fn(i64) -> i64, other: impl Fn(i64) -> i64) -> Self {
        Self::new(0, |at| match at {
            0..8 => 2 * one(at),
            _ => 2 * other(at - 8),
        })
    }

    /// The coefficient of the second function's value.
    pub(super) const SECOND: usize = DEGREE / 2;
}
