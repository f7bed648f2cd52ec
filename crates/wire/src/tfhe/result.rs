//! Results of TFHE, sent by the server to the owner: blocks packed under a key of the owner's (`spec/wire.md`, section 8).

use super::blob::set;
use crate::cbor::codec::Writer;
use crate::codes::{allowed, domain, fields, kind, VERSION};
use crate::{
    Authentic, Envelope, ItemKind, KeyId, Nonce, Provenance, Relation, Result, Schema, TfheParams,
    Unsealed, WireError,
};

/// A result: the encrypted values that a job computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TfheResult {
    /// Parameter set.
    pub params: &'static TfheParams,
    /// Key pair.
    pub key_id: KeyId,
    /// Nonce, fresh per result.
    pub nonce: Nonce,
    /// Which evaluation it is of, what was asked, and what entered.
    pub provenance: Provenance,
    /// Types of the values in the blocks.
    pub schema: Schema,
    /// Values of a row, at least 1; rows are whole.
    pub columns: u32,
    /// Values of a row of the frames that entered, at least 1; a place among all values counts in them.
    pub frame_columns: u32,
    /// The packed ciphertexts, [`TfheResult::packed_bytes`] of them.
    pub packed: Vec<u8>,
}

impl TfheResult {
    /// Bits of a packed word.
    pub const WORD_BITS: u32 = 12;
    /// Blocks of one packed ciphertext.
    pub const BLOCKS: usize = 256;
    /// Words of the mask of one packed ciphertext.
    pub const MASK_WORDS: usize = 1024;

    /// Bytes of a number of blocks: for each group of 256 the mask, then the bodies, all bits in sequence.
    pub fn packed_bytes(blocks: usize) -> usize {
        let words = blocks.div_ceil(Self::BLOCKS) * Self::MASK_WORDS + blocks;
        (words * Self::WORD_BITS as usize).div_ceil(8)
    }

    fn check(&self) -> Result<()> {
        self.provenance.check()?;
        self.schema.check_columns(self.columns)?;
        if self.frame_columns == 0 {
            return Err(WireError::out_of_range("frame_columns", 0, "1 or more"));
        }
        let wanted = Self::packed_bytes(self.schema.blocks(self.params.message_bits));
        if self.packed.len() != wanted {
            return Err(WireError::length("packed", self.packed.len(), wanted));
        }
        Ok(())
    }

    /// Encodes the result up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        let mut writer = Writer::with_capacity(self.packed.len() + 512);
        writer
            .array(fields::TFHE_RESULT)
            .uint(VERSION)
            .uint(kind::TFHE_RESULT);
        writer
            .bytes(&self.params.set_id)
            .bytes(&self.key_id)
            .bytes(&self.nonce);
        self.provenance.write(&mut writer);
        self.schema.write(&mut writer);
        writer
            .uint(self.columns.into())
            .uint(self.frame_columns.into())
            .bytes(&self.packed);
        let message = writer.into_bytes();
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::RESULT,
            message,
        ))
    }
}

impl Authentic<Envelope<'_>> {
    /// Parses a TFHE result.
    ///
    /// Errors: every field outside of what its set allows.
    pub fn tfhe_result(&self) -> Result<TfheResult> {
        let (mut reader, _) = self.body(ItemKind::TfheResult, allowed::TFHE_RESULT)?;
        let mut result = TfheResult {
            params: set(reader.fixed("set")?)?,
            key_id: *reader.fixed("key")?,
            nonce: *reader.fixed("nonce")?,
            provenance: Provenance::read(&mut reader)?,
            schema: Schema::read(&mut reader)?,
            columns: 0,
            frame_columns: 0,
            packed: Vec::new(),
        };
        [result.columns, result.frame_columns] = reader.words(["columns", "frame_columns"])?;
        result.packed = reader.bytes(usize::MAX, "packed")?.to_vec();
        result.check().map(|()| result)
    }
}
