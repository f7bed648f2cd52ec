//! The invitation: what several owners agree on before they make a key.

use crate::cbor::codec::Writer;
use crate::codes::{fields, kind, limit, size, VERSION};
use crate::frame::header::read_set;
use crate::keys::key_file::begin;
use crate::{ParameterSet, Result, WireError};

/// Jobs whose results several owners open: they need no evaluation keys, and add frames up place by place.
pub const JOBS_OF_OWNERS: [&str; 3] = ["sum", "mean", WEIGHTED_JOB];
/// The job of weights, which holders see in the request.
pub const WEIGHTED_JOB: &str = "weighted";

/// Most queries of a key, 2^32.
const MOST_QUERIES: u64 = 1 << 32;

/// The agreement of several owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Parameter set of the key.
    pub params: &'static ParameterSet,
    /// Fresh per ceremony.
    pub ceremony: [u8; size::CEREMONY],
    /// Names of the holders, 2 to 10, each once; holder i has the number i + 1.
    pub holders: Vec<String>,
    /// Holders who open an answer together, 2 to all of them.
    pub threshold: u8,
    /// Most frames that enter an answer, at least 1.
    pub frames: u32,
    /// Bits of security that all answers together keep, 30 to 64.
    pub statistical_bits: u8,
    /// Answers that the key opens, 1 to 2^32.
    pub queries: u64,
}

impl Invitation {
    /// Reads the whole of `bytes`.
    ///
    /// Errors: anything but exactly this item, and those of [`Invitation::check`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let allowed = "53, an invitation of several owners";
        let (count, kind) = (fields::OWNERS_INVITATION, kind::OWNERS_INVITATION);
        let mut reader = begin(bytes, count, kind, allowed)?;
        let params = read_set(&mut reader)?;
        let ceremony = *reader.fixed("ceremony")?;
        let names = reader.text(limit::HOLDERS * (limit::HOLDER_NAME + 1), "holders")?;
        let invitation = Self {
            params,
            ceremony,
            holders: names.split(',').map(str::to_owned).collect(),
            threshold: reader.uint(u8::MAX.into(), "threshold")? as u8,
            frames: reader.word("frames")?,
            statistical_bits: reader.uint(u8::MAX.into(), "statistical_bits")? as u8,
            queries: reader.uint(u64::MAX, "queries")?,
        };
        reader.finish()?;
        invitation.check().map(|()| invitation)
    }

    /// Refuses what no ceremony has.
    ///
    /// Errors: [`WireError::OutOfRange`] names the field and what is allowed.
    pub fn check(&self) -> Result<()> {
        let count = self.holders.len();
        let refuse = |field, value: String, allowed: String| {
            Err(WireError::out_of_range(field, value, allowed))
        };
        if !(2..=limit::HOLDERS).contains(&count) {
            let allowed = format!("2 to {} names", limit::HOLDERS);
            return refuse("holders", count.to_string(), allowed);
        }
        for (at, name) in self.holders.iter().enumerate() {
            if !is_name(name) || self.holders[..at].contains(name) {
                let allowed = "names of 1 to 32 characters in a to z, 0 to 9 and -, each once";
                return refuse("holders", format!("'{name}'"), allowed.to_owned());
            }
        }
        if !(2..=count).contains(&usize::from(self.threshold)) {
            let allowed = format!("2 to {count}, all holders");
            return refuse("threshold", self.threshold.to_string(), allowed);
        }
        if self.frames == 0 {
            return refuse("frames", "0".to_owned(), "at least 1".to_owned());
        }
        if !(30..=64).contains(&self.statistical_bits) {
            let found = self.statistical_bits.to_string();
            return refuse("statistical_bits", found, "30 to 64".to_owned());
        }
        if !(1..=MOST_QUERIES).contains(&self.queries) {
            let allowed = format!("1 to {MOST_QUERIES}");
            return refuse("queries", self.queries.to_string(), allowed);
        }
        Ok(())
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(limit::INVITATION_BYTES);
        writer
            .array(fields::OWNERS_INVITATION)
            .uint(VERSION)
            .uint(kind::OWNERS_INVITATION)
            .bytes(&self.params.set_id)
            .bytes(&self.ceremony)
            .text(&self.holders.join(","))
            .uint(self.threshold.into())
            .uint(self.frames.into())
            .uint(self.statistical_bits.into())
            .uint(self.queries);
        writer.into_bytes()
    }

    /// The number of a holder, from 1; None for a name that is not invited.
    pub fn number(&self, name: &str) -> Option<u8> {
        let at = self.holders.iter().position(|holder| holder == name)?;
        Some(at as u8 + 1)
    }

    /// The name of a holder; empty for a number that none has.
    pub fn name(&self, number: u8) -> &str {
        let at = usize::from(number).wrapping_sub(1);
        self.holders.get(at).map_or("", String::as_str)
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=limit::HOLDER_NAME).contains(&name.len()) && name.bytes().all(is_letter)
}
