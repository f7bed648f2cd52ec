//! Comparisons with a number in the clear: a lookup for every two blocks, without those in which the number ends in zeros.

use std::ops::Range;

use isopod_tfhe::native::{Block, LookupTable, Query, ServerKeys};
use isopod_wire::ValueType;

use super::value::Value;
use crate::model::threshold::{Side, Threshold};
use crate::Error;

/// A comparison of values of one type, whose bits are 0 or a factor.
///
/// A value reaches a number if its upper blocks, plus one if its lower ones reach the number's, exceed the number's. That sum is
/// 0 to 16; the table of "at least T" has at 16 the negative of its value at 0, which is right, since T is 1 to 16.
pub(super) enum Comparison {
    /// All values are on one side.
    Known(i64),
    /// Lookups, from the lowest blocks to the highest.
    Steps {
        /// For blocks as frames have them, two at a time.
        pairs: Vec<Step>,
        /// For blocks that a bootstrap gave, whose noise allows one at a time.
        singles: Vec<Step>,
    },
}

/// One lookup: at the sum of blocks and of the bit of those below.
pub(super) struct Step {
    blocks: Range<usize>,
    is_sign: bool,
    table: LookupTable,
    /// Factor of the bits that it gives.
    factor: i64,
}

impl Comparison {
    /// Prepares a comparison with a threshold within the type.
    pub(super) fn new(threshold: Threshold, of: ValueType, factor: i64) -> Self {
        let (blocks, is_below) = (of.blocks(2), threshold.side == Side::Below);
        // The least number that is not below the threshold, or that is above it, from the type's smallest number.
        let least = threshold.value - of.range().0 + i128::from(!is_below);
        let digit = |at: usize| (least >> (2 * at)) as i64 & 3;
        let Some(first) = (0..blocks).find(|&at| digit(at) != 0) else {
            let reached = least == 0;
            return Self::Known(if reached == is_below { 0 } else { factor });
        };
        let steps = |parts: Vec<Range<usize>>| -> Vec<Step> {
            let last = parts.len() - 1;
            let steps = parts.into_iter().enumerate().map(|(at, part)| {
                let number = part.clone().rev().fold(0, |sum, at| 4 * sum + digit(at));
                let wanted = number + i64::from(at > 0);
                let is_sign = of.is_signed() && part.end == blocks;
                let yes = match (at == last, is_below) {
                    (false, _) => 1,
                    (true, false) => factor,
                    (true, true) => -factor,
                };
                Step::new(part, is_sign, wanted, yes)
            });
            steps.collect()
        };
        Self::Steps {
            pairs: steps(parts(first..blocks, of.is_signed())),
            singles: steps((first..blocks).map(|at| at..at + 1).collect()),
        }
    }

    /// The bits of values.
    ///
    /// # Errors
    /// [`Error::Tfhe`].
    pub(super) fn bits(&self, keys: &ServerKeys, values: &[&Value]) -> Result<Vec<Block>, Error> {
        let steps = match self {
            Self::Known(bit) => return Ok(vec![Block::clear(*bit); values.len()]),
            Self::Steps { pairs, singles } => {
                match values.iter().copied().flatten().any(Block::is_bootstrapped) {
                    true => singles,
                    false => pairs,
                }
            }
        };
        let mut bits: Vec<Block> = vec![Block::clear(0); values.len()];
        for step in steps {
            let sums = values.iter().zip(&bits);
            let queries = sums.map(|(value, below)| (step.sum(value, below), &step.table));
            let found = keys.look_up(&queries.collect::<Vec<Query<'_>>>())?;
            bits = found
                .into_iter()
                .map(|bit| bit.plus_halves(step.factor))
                .collect();
        }
        Ok(bits)
    }
}

/// Cuts blocks to pairs, from the highest; that with the sign is by itself. The lowest comes first.
fn parts(blocks: Range<usize>, is_signed: bool) -> Vec<Range<usize>> {
    let (mut parts, mut end, mut most) = (Vec::new(), blocks.end, if is_signed { 1 } else { 2 });
    while end > blocks.start {
        let start = end.saturating_sub(most).max(blocks.start);
        parts.insert(0, start..end);
        (end, most) = (start, 2);
    }
    parts
}

impl Step {
    /// The lookup of whether the sum is at least `wanted`: half of `yes`, or of its negative.
    fn new(blocks: Range<usize>, is_sign: bool, wanted: i64, yes: i64) -> Self {
        let table = LookupTable::new(0, |sum| {
            // The block of the sign begins at the negative numbers; it has a factor of two.
            let sum = if is_sign {
                ((sum / 2) ^ 2) + sum % 2
            } else {
                sum
            };
            if sum >= wanted {
                yes
            } else {
                -yes
            }
        });
        Self {
            blocks,
            is_sign,
            table,
            factor: yes.abs(),
        }
    }

    fn sum(&self, value: &Value, below: &Block) -> Block {
        let mut factor = if self.is_sign { 2 } else { 1 };
        let mut sum = below.clone();
        for block in &value[self.blocks.clone()] {
            sum = sum.plus(block, factor);
            factor *= 4;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn pairs_begin_at_the_top_and_the_sign_is_alone() {
        assert_eq!(parts(0..4, false), [0..2, 2..4]);
        assert_eq!(parts(1..4, false), [1..2, 2..4]);
        assert_eq!(parts(0..4, true), [0..1, 1..3, 3..4]);
        assert!(parts(3..4, true).iter().eq([&(3..4)]));
    }
}
