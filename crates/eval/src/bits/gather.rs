//! Sums of bits: whether any is set, and how many. As many are added as the noise of one lookup admits.

use isopod_tfhe::native::{Block, LookupTable, Query, ServerKeys};

use super::value::Digit;
use crate::Error;

/// Bits of one sum: as many bootstraps as it may have the noise of.
const SUMMANDS: usize = 5;
/// Sums that are looked up together.
const SUMS: usize = 8;

/// Disjunction of bits that come one by one. In memory are at most [`SUMMANDS`] times [`SUMS`], and those that came last.
#[derive(Default)]
pub(super) struct Any {
    bits: Vec<Block>,
}

impl Any {
    pub(super) fn take(&mut self, keys: &ServerKeys, bits: Vec<Block>) -> Result<(), Error> {
        self.bits.extend(bits);
        while self.bits.len() >= SUMMANDS * SUMS {
            self.reduce(keys, SUMMANDS)?;
        }
        Ok(())
    }

    /// Replaces groups of bits by one each; the last group only if it has at least `least`.
    fn reduce(&mut self, keys: &ServerKeys, least: usize) -> Result<(), Error> {
        let table = LookupTable::new(0, |sum| i64::from(sum > 0) * 2);
        let bits = std::mem::take(&mut self.bits);
        let (groups, rest): (Vec<_>, Vec<_>) = bits
            .chunks(SUMMANDS)
            .partition(|group| group.len() >= least);
        let queries: Vec<Query<'_>> = groups.iter().map(|group| (sum(*group), &table)).collect();
        self.bits = keys.look_up(&queries)?;
        self.bits.extend(rest.concat());
        Ok(())
    }

    /// The disjunction; of no bits, zero.
    pub(super) fn finish(mut self, keys: &ServerKeys) -> Result<Block, Error> {
        while self.bits.len() > 1 {
            let least = if self.bits.len() > SUMMANDS {
                SUMMANDS
            } else {
                2
            };
            self.reduce(keys, least)?;
        }
        Ok(self.bits.pop().unwrap_or_else(|| Block::clear(0)))
    }

    pub(super) fn join(&mut self, other: Self) {
        self.bits.extend(other.bits);
    }
}

fn sum<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> Block {
    let zero = Block::clear(0);
    blocks
        .into_iter()
        .fold(zero, |sum, block| sum.plus(block, 1))
}

/// Number of bits that come one by one, in columns of two bits.
#[derive(Default)]
pub(super) struct Counter {
    columns: Vec<Column>,
}

/// Summands of one column: those up to 3, and those up to 1.
#[derive(Default)]
struct Column {
    digits: Vec<Block>,
    bits: Vec<Block>,
}

impl Column {
    fn len(&self) -> usize {
        self.digits.len() + self.bits.len()
    }

    /// Takes summands whose sum is at most 7: a digit and four bits, or five bits; at the end fewer, or two digits.
    fn group(&mut self, is_end: bool) -> Option<Block> {
        let most = SUMMANDS - usize::from(!self.digits.is_empty());
        if self.bits.len() < most && !(is_end && self.len() > 1) {
            return None;
        }
        let mut group: Vec<Block> = self.digits.pop().into_iter().collect();
        if self.bits.is_empty() {
            group.extend(self.digits.pop());
        }
        let rest = self.bits.len().saturating_sub(most);
        group.extend(self.bits.drain(rest..));
        Some(sum(&group))
    }
}

impl Counter {
    pub(super) fn take(&mut self, keys: &ServerKeys, bits: Vec<Block>) -> Result<(), Error> {
        self.carry(0, bits);
        for at in 0.. {
            match self.columns.get(at) {
                None => return Ok(()),
                Some(column) if column.bits.len() < SUMMANDS * SUMS => {}
                Some(_) => self.reduce(keys, at, false)?,
            }
        }
        Ok(())
    }

    fn carry(&mut self, at: usize, bits: Vec<Block>) {
        if at == self.columns.len() {
            self.columns.push(Column::default());
        }
        self.columns[at].bits.extend(bits);
    }

    /// Replaces groups of a column by a digit each, and carries.
    fn reduce(&mut self, keys: &ServerKeys, at: usize, is_end: bool) -> Result<(), Error> {
        let table = LookupTable::pair(|sum| sum % 4, |sum| sum / 4);
        let column = &mut self.columns[at];
        let groups = std::iter::from_fn(|| column.group(is_end));
        let queries: Vec<Query<'_>> = groups.map(|group| (group, &table)).collect();
        let (digits, carries): (Vec<_>, Vec<_>) = keys.look_up_pairs(&queries)?.into_iter().unzip();
        column.digits.extend(digits);
        self.carry(at + 1, carries);
        Ok(())
    }

    /// The digits of the number; further ones are zero.
    pub(super) fn finish(mut self, keys: &ServerKeys, blocks: usize) -> Result<Vec<Digit>, Error> {
        let mut digits = Vec::with_capacity(blocks);
        for at in 0..blocks {
            while self.columns.get(at).is_some_and(|column| column.len() > 1) {
                self.reduce(keys, at, true)?;
            }
            let column = self.columns.get_mut(at);
            let left = column.and_then(|column| column.digits.pop().or_else(|| column.bits.pop()));
            digits.push(left.map_or(Digit::Known(0), Digit::Hidden));
        }
        Ok(digits)
    }

    pub(super) fn join(&mut self, other: Self) {
        for (at, column) in other.columns.into_iter().enumerate() {
            self.carry(at, column.bits);
            self.columns[at].digits.extend(column.digits);
        }
    }
}

/// Differences of numbers, digit by digit; no subtrahend is larger.
pub(super) fn subtract(
    keys: &ServerKeys,
    from: &[Digit],
    subtrahend: &[Digit],
) -> Result<Vec<Digit>, Error> {
    let table = LookupTable::pair(|sum| sum % 4, |sum| i64::from(sum < 4));
    let mut borrow = Block::clear(0);
    let mut digits = Vec::with_capacity(from.len());
    for (one, other) in from.iter().zip(subtrahend) {
        let difference = Block::clear(4)
            .plus(&one.block(), 1)
            .plus(&other.block(), -1);
        let found = keys.look_up_pairs(&[(difference.plus(&borrow, -1), &table)])?;
        for (digit, below) in found {
            digits.push(Digit::Hidden(digit));
            borrow = below;
        }
    }
    Ok(digits)
}
