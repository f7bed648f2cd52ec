//! Linear tags behind the last residues of frames, partial states and results (`spec/verify.md`): numbers that are added as the
//! frames are.

use crate::codes::size;
use crate::{Result, WireError};

const SHIFT: u32 = 61;

/// The tag of a frame, or of a weighted sum of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearTag {
    period: u8,
    number: u64,
}

impl LinearTag {
    /// The modulus p = 2^61 - 1.
    pub const MODULUS: u64 = (1 << SHIFT) - 1;
    /// Periods that a tag tells apart.
    pub const PERIODS: u32 = 8;

    /// A tag of a period; the number counts modulo p.
    pub fn new(period: u32, number: u64) -> Self {
        Self {
            period: (period % Self::PERIODS) as u8,
            number: number % Self::MODULUS,
        }
    }

    /// Reads a tag.
    ///
    /// Errors: [`WireError::NotCanonical`] for a number that is not below p.
    fn read(field: &'static str, bytes: [u8; size::LINEAR_TAG]) -> Result<Self> {
        let word = u64::from_le_bytes(bytes);
        match word & Self::MODULUS {
            Self::MODULUS => Err(WireError::NotCanonical { field }),
            number => Ok(Self::new((word >> SHIFT) as u32, number)),
        }
    }

    /// The bytes of the tag; none where there is none.
    pub(crate) fn write(tag: Option<Self>) -> Vec<u8> {
        let word = |tag: Self| u64::from(tag.period) << SHIFT | tag.number;
        tag.map_or_else(Vec::new, |tag| word(tag).to_le_bytes().to_vec())
    }

    /// Splits the bytes of a field into residues, of this length, and a tag, if there is one.
    ///
    /// Errors: [`WireError::Length`]; [`WireError::NotCanonical`].
    pub(crate) fn split<'a>(
        field: &'static str,
        bytes: &'a [u8],
        residues: usize,
    ) -> Result<(&'a [u8], Option<Self>)> {
        if bytes.len() == residues {
            return Ok((bytes, None));
        }
        let split = bytes.split_last_chunk();
        match split.filter(|(first, _)| first.len() == residues) {
            Some((first, &tag)) => Ok((first, Some(Self::read(field, tag)?))),
            None => Err(WireError::length(field, bytes.len(), residues)),
        }
    }

    /// Refuses a tag where none belongs.
    ///
    /// Errors: [`WireError::Length`].
    pub(crate) fn refuse(field: &'static str, tag: Option<Self>) -> Result<()> {
        match tag {
            None => Ok(()),
            Some(_) => Err(WireError::length(field, size::LINEAR_TAG, "no linear tag")),
        }
    }

    /// The period modulo [`Self::PERIODS`].
    pub fn period(self) -> u32 {
        self.period.into()
    }

    /// The number, below p.
    pub fn number(self) -> u64 {
        self.number
    }

    /// The tag of a sum in which this one's frames have a weight besides; None for another period.
    pub fn plus(self, other: Self, weight: i64) -> Option<Self> {
        let weighted = i128::from(other.number) * i128::from(weight) + i128::from(self.number);
        let number = weighted.rem_euclid(i128::from(Self::MODULUS)) as u64;
        (self.period == other.period).then_some(Self { number, ..self })
    }
}
