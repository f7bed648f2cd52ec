//! Numbers and ranges as few bytes.

use super::ranges::{Range, Ranges};

/// Appends a number, seven bits a byte, the lowest first.
pub fn append_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Takes the number that the bytes begin with.
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if part.leading_zeros() < shift {
            return None;
        }
        number |= part << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

impl Ranges {
    /// Appends the ranges by their distances, as [`Ranges::parse`] reads them.
    pub(super) fn append_to(&self, into: &mut Vec<u8>) {
        let (mut epoch, mut behind) = (0, 0);
        for range in self.all() {
            append_number(u64::from(range.epoch - epoch), into);
            behind = if range.epoch == epoch { behind } else { 0 };
            append_number(range.first - behind, into);
            append_number(range.last - range.first, into);
            (epoch, behind) = (range.epoch, range.last);
        }
    }

    /// Ranges from their bytes; None for others.
    pub(super) fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut ranges = Vec::new();
        let (mut epoch, mut behind) = (0u32, 0u64);
        while !bytes.is_empty() {
            let step = u32::try_from(take_number(&mut bytes)?).ok()?;
            behind = if step == 0 { behind } else { 0 };
            epoch = epoch.checked_add(step)?;
            let first = behind.checked_add(take_number(&mut bytes)?)?;
            let last = first.checked_add(take_number(&mut bytes)?)?;
            ranges.push(Range { epoch, first, last });
            behind = last;
        }
        Self::ordered(ranges)
    }
}
