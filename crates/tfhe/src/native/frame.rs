//! Conversion of frames to native ciphertexts, by sample extraction or tfhe-rs's own compact list. Neither bootstraps.

use std::ops::Range;

use isopod_wire::{Schema, TfheFrame, ValueType};
use tfhe::core_crypto::prelude::{
    CiphertextModulus, LweCiphertextCount, LweCompactCiphertextList, LweSize,
};
use tfhe::integer::ciphertext::CompactCiphertextList;
use tfhe::shortint::ciphertext::{CompactCiphertextList as BlockList, Degree};
use tfhe::shortint::parameters::CompactCiphertextListExpansionKind;
use tfhe::shortint::{AtomicPatternKind, Ciphertext, PBSOrder};

use super::block::{Block, LWE_WORDS};
use super::parameters::BLOCK_PARAMETERS;
use super::value::{kind, Native};
use crate::{frame_mask, Error, Result, Windows};

/// The set's name in `spec/params.toml`.
pub(super) const SET: &str = "tfhe-2048-tfhe-rs";
const PATTERN: AtomicPatternKind = AtomicPatternKind::Standard(PBSOrder::KeyswitchBootstrap);

/// A checked frame with its mask expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingCiphertext {
    windows: Windows<u64>,
    bodies: Vec<u64>,
    schema: Schema,
}

impl RingCiphertext {
    /// Takes an authenticated frame.
    ///
    /// Errors: [`Error::NotForTfheRs`] for another set than tfhe-rs's.
    pub fn new(frame: &TfheFrame) -> Result<Self> {
        let params = frame.header.params;
        if params.name != SET {
            return Err(Error::NotForTfheRs {
                set: params.name.to_owned(),
                allowed: SET,
            });
        }
        Ok(Self {
            windows: Windows::of_ring(&frame_mask(frame)),
            bodies: frame.bodies.clone(),
            schema: frame.header.schema.clone(),
        })
    }

    /// Types of the frame's values.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Converts all values, in the order of the schema.
    ///
    /// Errors: [`Error::NotConformant`].
    pub fn values(&self) -> Result<Vec<Native>> {
        let mut first = 0;
        let values = self.schema.types().enumerate().map(|(index, of)| {
            first += of.blocks(2);
            self.native(index, of, first - of.blocks(2))
        });
        values.collect()
    }

    /// Converts one value, by its place in the schema; only its coefficients are extracted.
    ///
    /// Errors: a place beyond the schema, or [`Error::NotConformant`].
    pub fn value(&self, index: usize) -> Result<Native> {
        let Some(of) = self.schema.types().nth(index) else {
            return Err(Error::OutOfRange {
                field: "value",
                value: index.to_string(),
                allowed: format!("0 to {}", self.schema.values() - 1),
            });
        };
        let first: usize = self.schema.types().take(index).map(|of| of.blocks(2)).sum();
        self.native(index, of, first)
    }

    /// Converts value `index`, whose blocks begin at coefficient `first`.
    fn native(&self, index: usize, of: ValueType, first: usize) -> Result<Native> {
        let blocks = (first..first + of.blocks(2)).map(|at| self.block(at));
        Native::from_blocks(blocks.collect(), of)
            .filter(Native::conforms)
            .ok_or(Error::NotConformant { index })
    }

    /// Extracts one coefficient as tfhe-rs's block of two bits.
    fn block(&self, at: usize) -> Ciphertext {
        self.coefficient(at)
            .native(BLOCK_PARAMETERS.message_modulus.0 - 1)
    }

    /// Extracts one coefficient. Its noise is fresh, or that of rounding, both far below a bootstrap's.
    fn coefficient(&self, at: usize) -> Block {
        let mut words = Vec::with_capacity(LWE_WORDS);
        words.extend_from_slice(self.windows.row(at));
        words.push(self.bodies[at]);
        Block::from_frame(words)
    }

    /// Blocks of two bits of some values, the lowest first, in the order of the schema; each value is extracted when it is due.
    pub fn sums(&self, values: Range<usize>) -> impl Iterator<Item = Vec<Block>> + '_ {
        let types = || self.schema.types();
        let mut first: usize = types().take(values.start).map(|of| of.blocks(2)).sum();
        let wanted = types().skip(values.start).take(values.len());
        wanted.map(move |of| {
            let from = first;
            first += of.blocks(2);
            (from..first).map(|at| self.coefficient(at)).collect()
        })
    }

    /// Converts the whole frame to the type in which tfhe-rs's clients send. Its expansion gives the ciphertexts of
    /// [`RingCiphertext::values`], word for word.
    pub fn compact_list(&self) -> CompactCiphertextList {
        let words = [self.windows.row(0), &self.bodies].concat();
        let list = LweCompactCiphertextList::from_container(
            words,
            LweSize(LWE_WORDS),
            LweCiphertextCount(self.bodies.len()),
            CiphertextModulus::new_native(),
        );
        let blocks = BlockList::from_raw_parts(
            list,
            Degree::new(BLOCK_PARAMETERS.message_modulus.0 - 1),
            BLOCK_PARAMETERS.message_modulus,
            BLOCK_PARAMETERS.carry_modulus,
            CompactCiphertextListExpansionKind::NoCasting(PATTERN),
        );
        CompactCiphertextList::from_raw_parts(blocks, self.schema.types().map(kind).collect())
    }
}
