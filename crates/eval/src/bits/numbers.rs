//! Conversion between native values and tfhe-rs's radix integers, which serve all widths with one function per sign.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;
use tfhe::integer::block_decomposition::DecomposableInto;
use tfhe::integer::{
    BooleanBlock, IntegerRadixCiphertext, RadixCiphertext, ServerKey, SignedRadixCiphertext,
};

use super::job::Session;
use crate::threshold::{Side, Threshold};
use crate::Error;

/// Radix integers of one sign, of any width.
pub(super) trait Number: IntegerRadixCiphertext {
    /// The widest type in the clear of the same sign.
    type Clear: DecomposableInto<u64>;

    /// Converts a number that fits, as was checked before.
    fn clear(value: i128) -> Self::Clear;
}

impl Number for RadixCiphertext {
    type Clear = u64;

    fn clear(value: i128) -> u64 {
        value as u64
    }
}

impl Number for SignedRadixCiphertext {
    type Clear = i64;

    fn clear(value: i128) -> i64 {
        value as i64
    }
}

/// All values, as radix integers of their sign.
pub(super) enum Column {
    Unsigned(Vec<RadixCiphertext>),
    Signed(Vec<SignedRadixCiphertext>),
}

impl Column {
    pub(super) fn new(of: ValueType, values: Vec<Native>) -> Self {
        let blocks = values.into_iter().map(Native::into_blocks);
        if of.is_signed() {
            Self::Signed(blocks.map(Into::into).collect())
        } else {
            Self::Unsigned(blocks.map(Into::into).collect())
        }
    }

    /// Compares each value with a threshold in range: a bit for each value, one step of the session each.
    pub(super) fn compared(
        &self,
        session: &mut Session<'_>,
        threshold: Threshold,
    ) -> Vec<BooleanBlock> {
        match self {
            Self::Unsigned(values) => compare_each(session, values, threshold),
            Self::Signed(values) => compare_each(session, values, threshold),
        }
    }
}

fn compare_each<T: Number>(
    session: &mut Session<'_>,
    values: &[T],
    threshold: Threshold,
) -> Vec<BooleanBlock> {
    let mut bits = Vec::with_capacity(values.len());
    for value in values {
        bits.push(compare(session.keys(), value, threshold));
        session.step();
    }
    bits
}

/// Converts a radix integer to a value of a type; its blocks stay.
pub(super) fn native<T: IntegerRadixCiphertext>(value: T, of: ValueType) -> Result<Native, Error> {
    let made = Native::from_blocks(value.into_blocks(), of);
    Ok(made.ok_or(isopod_tfhe::Error::NotConformant { index: 0 })?)
}

/// Converts a bit to a value.
pub(super) fn bit(value: BooleanBlock) -> Result<Native, Error> {
    let made = Native::from_blocks(vec![value.into_raw_parts()], ValueType::Bool);
    Ok(made.ok_or(isopod_tfhe::Error::NotConformant { index: 0 })?)
}

/// Compares a value with a threshold in range.
pub(super) fn compare<T: Number>(
    keys: &ServerKey,
    value: &T,
    threshold: Threshold,
) -> BooleanBlock {
    let clear = T::clear(threshold.value);
    match threshold.side {
        Side::Above => keys.scalar_gt_parallelized(value, clear),
        Side::Below => keys.scalar_lt_parallelized(value, clear),
    }
}

/// Counts the bits that are set, as a u16.
pub(super) fn count(keys: &ServerKey, bits: Vec<BooleanBlock>) -> RadixCiphertext {
    let blocks = ValueType::U16.blocks(2);
    let numbers = bits.into_iter().map(|bit| bit.into_radix(blocks, keys));
    let numbers: Vec<RadixCiphertext> = numbers.collect();
    let sum = keys.sum_ciphertexts_parallelized(&numbers);
    sum.unwrap_or_else(|| keys.create_trivial_zero_radix(blocks))
}
