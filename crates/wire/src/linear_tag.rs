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

    /// Splits the bytes of a frame's residues into these and its tags: of its places, and of its columns if it has two.
    ///
    /// Errors: those of [`LinearTag::split`]; [`WireError::NotCanonical`] for tags of two periods.
    pub(crate) fn split_frame<'a>(
        field: &'static str,
        bytes: &'a [u8],
        residues: usize,
    ) -> Result<(&'a [u8], [Option<Self>; 2])> {
        if bytes.len() != residues + 2 * size::LINEAR_TAG {
            let (residues, tag) = Self::split(field, bytes, residues)?;
            return Ok((residues, [tag, None]));
        }
        let (rest, second) = Self::split(field, bytes, residues + size::LINEAR_TAG)?;
        let (residues, first) = Self::split(field, rest, residues)?;
        match (first, second) {
            (Some(first), Some(second)) if first.period != second.period => {
                Err(WireError::NotCanonical { field })
            }
            tags => Ok((residues, tags.into())),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn frame(tags: &[LinearTag]) -> Vec<u8> {
        let tags = tags.iter().flat_map(|tag| LinearTag::write(Some(*tag)));
        [1, 2, 3].into_iter().chain(tags).collect()
    }

    #[test]
    fn a_frame_has_no_tag_or_one_or_two_of_one_period() {
        let (places, columns) = (LinearTag::new(5, 7), LinearTag::new(5, 8));
        for tags in [&[][..], &[places], &[places, columns]] {
            let bytes = frame(tags);
            let (rest, found) = LinearTag::split_frame("residues", &bytes, 3).unwrap();
            assert_eq!(rest, [1, 2, 3]);
            assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), tags);
        }
        let of_two_periods = frame(&[places, LinearTag::new(6, 8)]);
        let too_many = frame(&[places, columns, columns]);
        let not_below_p = [&[0; 11][..], &[255; 8]].concat();
        for bytes in [
            &of_two_periods[..],
            &too_many,
            &not_below_p,
            &[0; 10],
            &[0; 12],
            &[0; 2],
        ] {
            assert!(
                LinearTag::split_frame("residues", bytes, 3).is_err(),
                "{bytes:?}"
            );
        }
    }
}
