//! Thresholds as they are asked for: an integer for frames of TFHE, any number for merged frames.

use std::str::FromStr;

use isopod_eval::Side;
use serde::{Deserialize, Serialize};

/// Largest integer up to which every integer is a number of 64 bits.
const EXACT: f64 = (1u64 << 53) as f64;

/// A number that readings are compared with. Read from text or JSON, a number without fraction is an integer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "Number")]
pub enum ThresholdValue {
    /// An integer, of the types of TFHE or of fewer bits.
    Integer(i128),
    /// A number with a fraction, or a large one.
    Real(f64),
}

/// Numbers of JSON; those of more than 64 bits lose digits, and no type has them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Unsigned(u64),
    Signed(i64),
    Real(f64),
}

impl From<Number> for ThresholdValue {
    fn from(number: Number) -> Self {
        match number {
            Number::Unsigned(value) => Self::Integer(value.into()),
            Number::Signed(value) => Self::Integer(value.into()),
            Number::Real(value) => Self::of(value),
        }
    }
}

impl FromStr for ThresholdValue {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match text.parse() {
            Ok(value) => Ok(Self::Integer(value)),
            Err(_) => text.parse().map(Self::of),
        }
    }
}

impl ThresholdValue {
    /// A number; an integer, if it has no fraction.
    pub fn of(value: f64) -> Self {
        match value.fract() == 0.0 && value.abs() <= EXACT {
            true => Self::Integer(value as i128),
            false => Self::Real(value),
        }
    }

    /// The number, with as many digits as 64 bits have.
    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Real(value) => value,
        }
    }
}

/// A real number in the clear, the side that counts, and how near to it a reading may be that is taken for one of the other side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RealThreshold {
    /// The number, in the unit of the readings.
    pub value: f64,
    /// Side of it, above or below.
    pub side: Side,
    /// Largest distance from the number at which a reading may be taken for one of the other side; None for whatever the bounds
    /// of the readings give.
    pub gap: Option<f64>,
}

/// Ascending real numbers in the clear, and how near to one of them a reading may be that is counted on its other side.
#[derive(Debug, Clone, PartialEq)]
pub struct RealEdges {
    /// The numbers, in the unit of the readings.
    pub values: Vec<f64>,
    /// Largest distance from a number at which a reading may be counted on its other side; None for whatever the bounds of the
    /// readings give.
    pub gap: Option<f64>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_number_is_the_same_from_a_command_line_and_from_json() {
        let numbers = [
            ("75", ThresholdValue::Integer(75)),
            ("-7", ThresholdValue::Integer(-7)),
            (
                "18446744073709551615",
                ThresholdValue::Integer(u64::MAX.into()),
            ),
            ("75.0", ThresholdValue::Integer(75)),
            ("75.5", ThresholdValue::Real(75.5)),
            ("1e300", ThresholdValue::Real(1e300)),
        ];
        for (text, wanted) in numbers {
            assert_eq!(text.parse::<ThresholdValue>().unwrap(), wanted);
            assert_eq!(
                serde_json::from_str::<ThresholdValue>(text).unwrap(),
                wanted
            );
            let written = serde_json::to_string(&wanted).unwrap();
            assert_eq!(
                serde_json::from_str::<ThresholdValue>(&written).unwrap(),
                wanted
            );
        }
        assert!("some".parse::<ThresholdValue>().is_err());
    }
}
