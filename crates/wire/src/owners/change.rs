//! Steps by which holders change their shares: refresh, replacement of a holder, end of a key.

use crate::cbor::codec::Writer;
use crate::codes::{fields, kind, size, VERSION};
use crate::keys::key_file::begin;
use crate::owners::ceremony::{read_holder, SealedShare};
use crate::{Result, WireError};

type Digest = [u8; size::DIGEST];

/// Steps of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStep {
    /// A sharing of zero for every other holder.
    Dealt = 1,
    /// A holder has the share of the next generation.
    Confirmed = 2,
    /// Seeds of masks for the other helpers.
    Masked = 3,
    /// A piece of the lost share for the newcomer.
    Given = 4,
    /// A holder wiped the share.
    Ended = 5,
}

/// One step of one holder. Shares for other holders follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Digest of all files of the ceremony.
    pub fingerprint: Digest,
    /// How often the shares were refreshed before.
    pub generation: u32,
    /// The step.
    pub step: ChangeStep,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// Digest that binds the step (`spec/owners.md`, section 5).
    pub digest: Digest,
}

impl ChangeStep {
    fn from_code(code: u64) -> Result<Self> {
        let all = [
            Self::Dealt,
            Self::Confirmed,
            Self::Masked,
            Self::Given,
            Self::Ended,
        ];
        let found = all.into_iter().find(|&step| step as u64 == code);
        found.ok_or_else(|| WireError::out_of_range("step", code, "1 to 5"))
    }
}

impl Change {
    /// Reads a step and the shares behind it.
    ///
    /// Errors: anything but exactly a step and any number of shares.
    pub fn read(bytes: &[u8]) -> Result<(Self, Vec<SealedShare<'_>>)> {
        let allowed = "63, a step of a change of holders";
        let mut reader = begin(bytes, fields::OWNERS_CHANGE, kind::OWNERS_CHANGE, allowed)?;
        let change = Self {
            fingerprint: *reader.fixed("fingerprint")?,
            generation: reader.word("generation")?,
            step: ChangeStep::from_code(reader.uint(u8::MAX.into(), "step")?)?,
            holder: read_holder(&mut reader, "holder")?,
            digest: *reader.fixed("digest")?,
        };
        let shares = SealedShare::read_all(&bytes[reader.position()..])?;
        Ok((change, shares))
    }

    /// The bytes of the file.
    pub fn write(&self, shares: &[SealedShare<'_>]) -> Vec<u8> {
        let mut writer = Writer::with_capacity(SealedShare::room(shares) + 128);
        writer
            .array(fields::OWNERS_CHANGE)
            .uint(VERSION)
            .uint(kind::OWNERS_CHANGE)
            .bytes(&self.fingerprint)
            .uint(self.generation.into())
            .uint(self.step as u64)
            .uint(self.holder.into())
            .bytes(&self.digest);
        for share in shares {
            share.write(&mut writer);
        }
        writer.into_bytes()
    }
}
