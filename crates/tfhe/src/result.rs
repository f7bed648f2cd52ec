//! Decryption of results without tfhe-rs: one small product per block, at 12 bits (`spec/wire.md`, section 8).

use isopod_wire::{unpack, TfheResult};

use crate::owner::OwnerSecrets;
use crate::{Error, Result};

/// Shift of a block, which stands below one bit of padding.
const BLOCK_SHIFT: u32 = TfheResult::WORD_BITS - 3;

impl OwnerSecrets {
    /// Decrypts a result to its values, in the order of its schema. Time depends on the schema only.
    ///
    /// Errors: [`Error::Undecryptable`].
    pub fn decrypt(&self, result: &TfheResult) -> Result<Vec<i128>> {
        let words: Vec<u64> = unpack(TfheResult::WORD_BITS, &result.packed).collect();
        let key = self.result_key();
        let blocks = result.schema.blocks(result.params.message_bits);
        let mut phases = Vec::with_capacity(blocks);
        for group in words.chunks(TfheResult::MASK_WORDS + TfheResult::BLOCKS) {
            let (masks, bodies) = group.split_at(TfheResult::MASK_WORDS);
            let used = bodies.iter().take(blocks - phases.len());
            phases.extend(
                used.enumerate()
                    .map(|(at, body)| body.wrapping_sub(product(masks, &key, at))),
            );
        }
        let blocks: Vec<u8> = phases.iter().map(|&phase| message(phase)).collect();
        match blocks.iter().position(|&block| block > 3) {
            Some(block) => Err(Error::Undecryptable { block }),
            None => Ok(result.schema.decode(&blocks, result.params.message_bits)?),
        }
    }
}

/// Computes coefficient `at` of the sum of masks times keys, modulo X^256 + 1 and the word.
fn product(masks: &[u64], key: &[u8], at: usize) -> u64 {
    let polynomials = masks
        .chunks(TfheResult::BLOCKS)
        .zip(key.chunks(TfheResult::BLOCKS));
    polynomials.fold(0, |sum: u64, (mask, key)| {
        key.iter().enumerate().fold(sum, |sum, (column, &bit)| {
            let term = match at.checked_sub(column) {
                Some(below) => mask[below],
                None => mask[TfheResult::BLOCKS + at - column].wrapping_neg(),
            };
            sum.wrapping_add(term & u64::from(bit).wrapping_neg())
        })
    })
}

/// Rounds a phase to the nearest block; 4 and above if the padding is not clear.
fn message(phase: u64) -> u8 {
    (phase.wrapping_add(1 << (BLOCK_SHIFT - 1)) >> BLOCK_SHIFT) as u8 & 7
}
