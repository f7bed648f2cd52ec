//! Results of TFHE, sent by the server to the owner: blocks packed under a key of the owner's (`spec/wire.md`, section 8).

use super::blob::set;
use crate::cbor::Writer;
use crate::codes::{allowed, domain, fields, kind, size, VERSION};
use crate::result::check_job;
use crate::{
    Authentic, Envelope, ItemKind, KeyId, Nonce, Relation, Result, Schema, TfheParams, Unsealed,
    WireError,
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
    /// Name of the job, at most 64 bytes, no control characters.
    pub job: String,
    /// Types of the values in the blocks.
    pub schema: Schema,
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
        check_job(&self.job)?;
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
        let mut writer = Writer::with_capacity(self.packed.len() + 256);
        writer
            .array(fields::TFHE_RESULT)
            .uint(VERSION)
            .uint(kind::TFHE_RESULT);
        writer
            .bytes(&self.params.set_id)
            .bytes(&self.key_id)
            .bytes(&self.nonce)
            .text(&self.job);
        self.schema.write(&mut writer);
        writer.bytes(&self.packed);
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
        let result = TfheResult {
            params: set(reader.fixed("set")?)?,
            key_id: *reader.fixed("key")?,
            nonce: *reader.fixed("nonce")?,
            job: reader.text(size::JOB, "job")?.to_owned(),
            schema: Schema::read(&mut reader)?,
            packed: reader.bytes(usize::MAX, "packed")?.to_vec(),
        };
        result.check().map(|()| result)
    }
}
