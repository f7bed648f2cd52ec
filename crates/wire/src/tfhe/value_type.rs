//! Types of TFHE values and their encoding as blocks of bits, the lowest block first (`spec/tfhe.md`, section 4).

use crate::codes::value_type;
use crate::{Result, WireError};

/// Type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ValueType {
    /// One block that is 0 or 1.
    Bool = value_type::BOOL,
    /// Unsigned, 8 bits.
    U8 = value_type::U8,
    /// Unsigned, 16 bits.
    U16 = value_type::U16,
    /// Unsigned, 32 bits.
    U32 = value_type::U32,
    /// Unsigned, 64 bits.
    U64 = value_type::U64,
    /// Two's complement, 8 bits.
    I8 = value_type::I8,
    /// Two's complement, 16 bits.
    I16 = value_type::I16,
    /// Two's complement, 32 bits.
    I32 = value_type::I32,
    /// Two's complement, 64 bits.
    I64 = value_type::I64,
}

impl ValueType {
    /// All types, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Bool,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
    ];

    /// The number on the wire.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The type with that number, if any.
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|of| u64::from(of.number()) == number)
    }

    /// The place in [`ValueType::ALL`].
    fn index(self) -> usize {
        usize::from(self.number() - value_type::BOOL)
    }

    /// `bool`, `u8` ... `i64`.
    pub fn name(self) -> &'static str {
        ["bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"][self.index()]
    }

    /// The type with that name, if any.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }

    /// Bits of a value.
    pub fn bits(self) -> u32 {
        [1, 8, 16, 32, 64, 8, 16, 32, 64][self.index()]
    }

    /// Whether values may be negative.
    pub fn is_signed(self) -> bool {
        self.number() >= Self::I8.number()
    }

    /// Blocks of one value, of `message_bits` bits (1 or 2) each.
    pub fn blocks(self, message_bits: u32) -> usize {
        self.bits().div_ceil(message_bits) as usize
    }

    /// Smallest and largest value.
    pub fn range(self) -> (i128, i128) {
        if self.is_signed() {
            (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1)
        } else {
            (0, (1 << self.bits()) - 1)
        }
    }

    /// Encodes a value as blocks.
    ///
    /// Errors: a value outside of [`ValueType::range`].
    pub fn encode(self, value: i128, message_bits: u32) -> Result<Vec<u8>> {
        let (least, most) = self.range();
        if !(least..=most).contains(&value) {
            let allowed = format!("{least} to {most} for {}", self.name());
            return Err(WireError::out_of_range("value", value, allowed));
        }
        let mask = (1 << message_bits) - 1;
        let block = |at: usize| (value >> (message_bits as usize * at)) as u8 & mask;
        Ok((0..self.blocks(message_bits)).map(block).collect())
    }

    /// Decodes the blocks of a value; a bool is true if its block is not zero.
    ///
    /// Errors: another number of blocks than [`ValueType::blocks`].
    pub fn decode(self, blocks: &[u8], message_bits: u32) -> Result<i128> {
        if blocks.len() != self.blocks(message_bits) {
            let allowed = self.blocks(message_bits);
            return Err(WireError::length("blocks", blocks.len(), allowed));
        }
        let mask = (1 << message_bits) - 1;
        let digits = blocks.iter().rev();
        let value = digits.fold(0, |sum: i128, &block| {
            sum << message_bits | i128::from(block & mask)
        });
        Ok(match self {
            Self::Bool => i128::from(value != 0),
            _ if self.is_signed() && value >> (self.bits() - 1) != 0 => value - (1 << self.bits()),
            _ => value,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::ValueType;

    #[test]
    fn values_come_back_at_both_block_widths() {
        for of in ValueType::ALL {
            let (least, most) = of.range();
            let bytes = (least..=most).take(256);
            for value in bytes
                .chain([most - 1, most])
                .chain(-1..=1)
                .filter(|v| (least..=most).contains(v))
            {
                for bits in [1, 2] {
                    let blocks = of.encode(value, bits).unwrap();
                    assert_eq!(of.decode(&blocks, bits).unwrap(), value);
                }
            }
            assert!(of.encode(least - 1, 2).is_err() && of.encode(most + 1, 2).is_err());
        }
    }

    #[test]
    fn the_lowest_block_comes_first() {
        assert_eq!(
            ValueType::U8.encode(0b11_01_00_10, 2).unwrap(),
            [2, 0, 1, 3]
        );
        assert_eq!(ValueType::I8.encode(-2, 2).unwrap(), [2, 3, 3, 3]);
        assert_eq!(
            ValueType::U8.encode(5, 1).unwrap(),
            [1, 0, 1, 0, 0, 0, 0, 0]
        );
    }

    #[test]
    fn numbers_and_names_are_unique() {
        for of in ValueType::ALL {
            assert_eq!(ValueType::from_number(of.number().into()), Some(of));
            assert_eq!(ValueType::from_name(of.name()), Some(of));
        }
        assert_eq!(ValueType::from_number(0), None);
        assert_eq!(ValueType::from_number(10), None);
    }
}
