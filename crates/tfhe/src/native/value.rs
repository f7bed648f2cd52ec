//! High-level types of tfhe-rs, one for each type of value.

use std::num::NonZeroUsize;

use tfhe::conformance::ParameterSetConformant;
use tfhe::integer::ciphertext::{DataKind, Expandable};
use tfhe::integer::IntegerRadixCiphertext;
use tfhe::shortint::{Ciphertext, ClassicPBSParameters};
use tfhe::{
    FheBool, FheInt16, FheInt32, FheInt64, FheInt8, FheUint16, FheUint32, FheUint64, FheUint8,
};

use super::parameters::BLOCK_PARAMETERS;
use isopod_wire::ValueType;

/// One encrypted value in tfhe-rs's own type.
#[derive(Clone)]
pub enum Native {
    /// A bit.
    Bool(FheBool),
    /// Unsigned, 8 bits.
    Uint8(FheUint8),
    /// Unsigned, 16 bits.
    Uint16(FheUint16),
    /// Unsigned, 32 bits.
    Uint32(FheUint32),
    /// Unsigned, 64 bits.
    Uint64(FheUint64),
    /// Signed, 8 bits.
    Int8(FheInt8),
    /// Signed, 16 bits.
    Int16(FheInt16),
    /// Signed, 32 bits.
    Int32(FheInt32),
    /// Signed, 64 bits.
    Int64(FheInt64),
}

pub(super) fn kind(of: ValueType) -> DataKind {
    let blocks = NonZeroUsize::new(of.blocks(2)).unwrap_or(NonZeroUsize::MIN);
    match of {
        ValueType::Bool => DataKind::Boolean,
        ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 => {
            DataKind::Unsigned(blocks)
        }
        _ => DataKind::Signed(blocks),
    }
}

/// Converts `blocks` to `T`; None if it does not have that many.
fn expand<T: Expandable>(blocks: Vec<Ciphertext>, of: ValueType) -> Option<T> {
    T::from_expanded_blocks(blocks, kind(of)).ok()
}

fn conforms<T>(value: &T) -> bool
where
    T: ParameterSetConformant,
    T::ParameterSet: From<ClassicPBSParameters>,
{
    value.is_conformant(&BLOCK_PARAMETERS.into())
}

impl Native {
    /// Makes a value from blocks, the lowest first; None if the type does not have that many.
    pub fn from_blocks(blocks: Vec<Ciphertext>, of: ValueType) -> Option<Self> {
        match of {
            ValueType::Bool => expand(blocks, of).map(Self::Bool),
            ValueType::U8 => expand(blocks, of).map(Self::Uint8),
            ValueType::U16 => expand(blocks, of).map(Self::Uint16),
            ValueType::U32 => expand(blocks, of).map(Self::Uint32),
            ValueType::U64 => expand(blocks, of).map(Self::Uint64),
            ValueType::I8 => expand(blocks, of).map(Self::Int8),
            ValueType::I16 => expand(blocks, of).map(Self::Int16),
            ValueType::I32 => expand(blocks, of).map(Self::Int32),
            ValueType::I64 => expand(blocks, of).map(Self::Int64),
        }
    }

    /// Whether tfhe-rs takes it for a fresh encryption under its own parameters. Results of computations need not conform.
    pub fn conforms(&self) -> bool {
        match self {
            Self::Bool(value) => conforms(value),
            Self::Uint8(value) => conforms(value),
            Self::Uint16(value) => conforms(value),
            Self::Uint32(value) => conforms(value),
            Self::Uint64(value) => conforms(value),
            Self::Int8(value) => conforms(value),
            Self::Int16(value) => conforms(value),
            Self::Int32(value) => conforms(value),
            Self::Int64(value) => conforms(value),
        }
    }

    /// Type of the value.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Bool(_) => ValueType::Bool,
            Self::Uint8(_) => ValueType::U8,
            Self::Uint16(_) => ValueType::U16,
            Self::Uint32(_) => ValueType::U32,
            Self::Uint64(_) => ValueType::U64,
            Self::Int8(_) => ValueType::I8,
            Self::Int16(_) => ValueType::I16,
            Self::Int32(_) => ValueType::I32,
            Self::Int64(_) => ValueType::I64,
        }
    }

    /// Blocks of the value, the lowest first.
    pub fn into_blocks(self) -> Vec<Ciphertext> {
        match self {
            Self::Bool(value) => vec![value.into_raw_parts()],
            Self::Uint8(value) => value.into_raw_parts().0.into_blocks(),
            Self::Uint16(value) => value.into_raw_parts().0.into_blocks(),
            Self::Uint32(value) => value.into_raw_parts().0.into_blocks(),
            Self::Uint64(value) => value.into_raw_parts().0.into_blocks(),
            Self::Int8(value) => value.into_raw_parts().0.into_blocks(),
            Self::Int16(value) => value.into_raw_parts().0.into_blocks(),
            Self::Int32(value) => value.into_raw_parts().0.into_blocks(),
            Self::Int64(value) => value.into_raw_parts().0.into_blocks(),
        }
    }
}
