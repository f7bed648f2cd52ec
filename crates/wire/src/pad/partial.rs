//! Partial states of sums of pads, of a server for itself or another server of the key (`spec/wire.md`, section 15).

use crate::cbor::codec::Writer;
use crate::codes::{allowed, domain, fields, kind, size, VERSION};
use crate::pad::result::PadSum;
use crate::result::provenance::check_job;
use crate::{Authentic, Envelope, ItemKind, KeyId, Nonce, Relation, Result, Unsealed};

/// A sum of packets of pads, and the request that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PadPartial {
    /// Which pad master.
    pub key_id: KeyId,
    /// Nonce, fresh per state.
    pub nonce: Nonce,
    /// SHA3-256 of the request.
    pub request: [u8; size::DIGEST],
    /// Name of the job, at most 64 bytes, no control characters.
    pub job: String,
    /// The sum.
    pub sum: PadSum,
}

impl PadPartial {
    fn check(&self) -> Result<()> {
        check_job(&self.job)?;
        self.sum.check(self.sum.packing())
    }

    /// Encodes the state up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        let mut writer = Writer::with_capacity(1024);
        writer
            .array(fields::PAD_PARTIAL)
            .uint(VERSION)
            .uint(kind::PAD_PARTIAL)
            .bytes(&self.key_id)
            .bytes(&self.nonce)
            .bytes(&self.request)
            .text(&self.job)
            .optional(self.sum.packing().as_ref());
        self.sum.write(&mut writer)?;
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::PARTIAL,
            writer.into_bytes(),
        ))
    }
}

impl Authentic<Envelope<'_>> {
    /// Parses a partial state of a sum of pads.
    ///
    /// Errors: every field outside of what is allowed.
    pub fn pad_partial(&self) -> Result<PadPartial> {
        let (mut reader, _) = self.body(ItemKind::PadPartial, allowed::PAD_PARTIAL)?;
        let (key_id, nonce) = (*reader.fixed("key")?, *reader.fixed("nonce")?);
        let request = *reader.fixed("request")?;
        let job = reader.text(size::JOB, "job")?.to_owned();
        let packing = reader.optional("packing")?;
        let state = PadPartial {
            key_id,
            nonce,
            request,
            job,
            sum: PadSum::read(&mut reader, packing)?,
        };
        state.check().map(|()| state)
    }
}
