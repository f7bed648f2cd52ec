//! Values in blocks of two bits, the lowest first, sums with numbers in the clear, and choices between values.

use std::ops::Range;

use isopod_tfhe::native::{Block, LookupTable, Native, Query, RingCiphertext, ServerKeys};
use isopod_wire::{TfheFrame, ValueType};

use crate::Error;

/// Blocks of one encrypted value.
pub(super) type Value = Vec<Block>;

/// Factor of a condition, 0 or 1, that chooses: beyond every difference of two blocks.
pub(super) const CHOICE: i64 = 8;
/// Largest noise of the blocks of a difference, beside that of a condition, in bootstraps.
const MOST: u64 = 2;

/// A frame, and a number in the clear for each of its values that is added to it, modulo the range of its type.
pub struct BitsInput {
    /// The frame.
    pub frame: TfheFrame,
    /// The numbers, one for each value; none adds nothing.
    pub added: Vec<u64>,
}

impl From<TfheFrame> for BitsInput {
    fn from(frame: TfheFrame) -> Self {
        let added = Vec::new();
        Self { frame, added }
    }
}

impl BitsInput {
    /// Some of its values.
    pub(super) fn values(
        &self,
        keys: &ServerKeys,
        ring: &RingCiphertext,
        range: Range<usize>,
    ) -> Result<Vec<Value>, Error> {
        let values = ring.sums(range.clone()).collect();
        match self.added.get(range) {
            Some(added) if !added.is_empty() => plus_clear(keys, values, added),
            _ => Ok(values),
        }
    }
}

/// Adds a number in the clear to each value, digit by digit from the lowest: a lookup at digit, digit and carry, 0 to 7, gives
/// the digit of the sum and the next carry. That of the highest digit is lost.
fn plus_clear(
    keys: &ServerKeys,
    mut values: Vec<Value>,
    added: &[u64],
) -> Result<Vec<Value>, Error> {
    let table = LookupTable::pair(|sum| sum % 4, |sum| sum / 4);
    let digits = values.iter().map(Vec::len).max().unwrap_or(0);
    let mut carries = vec![Block::clear(0); values.len()];
    for at in 0..digits {
        let sum = |((value, number), carry): ((&Value, &u64), &Block)| {
            let digit = ((number >> (2 * at)) & 3) as i64;
            let sum = value[at].clone().plus(carry, 1);
            (sum.plus_halves(2 * digit), &table)
        };
        let each = values.iter().zip(added).zip(&carries);
        let queries: Vec<Query<'_>> = each.map(sum).collect();
        let found = keys.look_up_pairs(&queries)?;
        for ((value, carry), (digit, next)) in values.iter_mut().zip(&mut carries).zip(found) {
            (value[at], *carry) = (digit, next);
        }
    }
    Ok(values)
}

/// A block that is known to the server or not.
#[derive(Clone)]
pub(super) enum Digit {
    Known(i64),
    Hidden(Block),
}

impl Digit {
    /// The digits of a number in the clear.
    pub(super) fn known(number: u64, blocks: usize) -> Vec<Self> {
        let digits = (0..blocks).map(|at| number.checked_shr(2 * at as u32).unwrap_or(0) % 4);
        digits.map(|digit| Self::Known(digit as i64)).collect()
    }

    pub(super) fn block(&self) -> Block {
        match self {
            Self::Known(value) => Block::clear(*value),
            Self::Hidden(block) => block.clone(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Known(one), Self::Known(other)) if one == other)
    }
}

/// A choice: the second if the condition, times [`CHOICE`], is not zero.
pub(super) struct Choice {
    pub condition: Block,
    pub one: Vec<Digit>,
    pub other: Vec<Digit>,
}

/// Makes choices, with a lookup for each digit in which the two differ.
pub(super) fn choose(keys: &ServerKeys, choices: &[Choice]) -> Result<Vec<Vec<Digit>>, Error> {
    let table = LookupTable::new(-4, |at| if at > 4 { 2 * (at - CHOICE) } else { 0 });
    let mut queries: Vec<Query<'_>> = Vec::new();
    for choice in choices {
        for (one, other) in choice.one.iter().zip(&choice.other) {
            if !one.is(other) {
                let difference = other.block().plus(&one.block(), -1);
                queries.push((difference.plus(&choice.condition, 1), &table));
            }
        }
    }
    let mut found = keys.look_up(&queries)?.into_iter();
    let mut chosen = |one: &Digit, other: &Digit| match one.is(other) {
        true => Some(one.clone()),
        false => Some(Digit::Hidden(found.next()?.plus(&one.block(), 1))),
    };
    let all = choices.iter().map(|choice| {
        let digits = choice.one.iter().zip(&choice.other);
        digits
            .filter_map(|(one, other)| chosen(one, other))
            .collect()
    });
    Ok(all.collect())
}

/// Bootstraps the digits that are too noisy for a difference.
pub(super) fn refresh<'d>(
    keys: &ServerKeys,
    digits: impl Iterator<Item = &'d mut Digit>,
) -> Result<(), Error> {
    let table = LookupTable::new(0, |at| 2 * at);
    let noisy = digits.filter_map(|digit| match digit {
        Digit::Hidden(block) if block.level() > MOST => Some(block),
        _ => None,
    });
    let noisy: Vec<&mut Block> = noisy.collect();
    let queries = noisy
        .iter()
        .map(|block| -> Query<'_> { ((**block).clone(), &table) });
    let fresh = keys.look_up(&queries.collect::<Vec<_>>())?;
    for (block, fresh) in noisy.into_iter().zip(fresh) {
        *block = fresh;
    }
    Ok(())
}

/// The value of a type that has these digits.
pub(super) fn native(digits: &[Digit], of: ValueType) -> Result<Native, Error> {
    let blocks = digits.iter().map(Digit::block);
    let made = Native::of_sums(blocks.collect(), of);
    Ok(made.ok_or(isopod_tfhe::Error::NotConformant { index: 0 })?)
}

/// The boolean of a block, 0 or 1.
pub(super) fn boolean(bit: Block) -> Result<Native, Error> {
    native(&[Digit::Hidden(bit)], ValueType::Bool)
}
