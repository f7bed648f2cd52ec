//! Where the values of a frame are in its plaintext.

use crate::cbor::Reader;
use crate::{ParameterSet, Result, Scheme, WireError};

/// Layouts of `spec/wire.md`, section 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Layout {
    /// Slots from 0 on; the others are zero.
    #[default]
    Slots,
    /// Slot j holds value j mod count; count is a power of two.
    SlotsRepeated,
    /// As `Slots`, of complex values; CKKS only.
    Complex,
    /// As `SlotsRepeated`, of complex values; CKKS only.
    ComplexRepeated,
    /// Coefficients from 0 on; the others are zero.
    Coefficients,
}

impl Layout {
    /// Every layout, by its number.
    pub const ALL: [Self; 5] = [
        Self::Slots,
        Self::SlotsRepeated,
        Self::Complex,
        Self::ComplexRepeated,
        Self::Coefficients,
    ];

    /// The layout's number on the wire.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The layout's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::SlotsRepeated => "slots repeated",
            Self::Complex => "complex slots",
            Self::ComplexRepeated => "complex slots repeated",
            Self::Coefficients => "coefficients",
        }
    }

    /// Whether values are repeated over all slots.
    pub fn is_repeated(self) -> bool {
        matches!(self, Self::SlotsRepeated | Self::ComplexRepeated)
    }

    /// Whether values are complex.
    pub fn is_complex(self) -> bool {
        matches!(self, Self::Complex | Self::ComplexRepeated)
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let number = reader.uint(u64::MAX, "layout")?;
        let known = Self::ALL.get(usize::try_from(number).unwrap_or(usize::MAX));
        known
            .copied()
            .ok_or_else(|| WireError::out_of_range("layout", number, "0 to 4"))
    }

    /// Refuses a layout that the scheme does not have, and a number of values that does not fit.
    pub(crate) fn check(self, params: &ParameterSet, count: u32) -> Result<()> {
        if self.is_complex() && params.scheme() == Scheme::Bfv {
            let allowed = "0, 1 or 4 for a set of BFV";
            return Err(WireError::out_of_range("layout", self.number(), allowed));
        }
        let most = params.places(self);
        if count == 0 || count as usize > most {
            return Err(WireError::out_of_range(
                "count",
                count,
                format!("1 to {most}"),
            ));
        }
        if self.is_repeated() && !count.is_power_of_two() {
            let allowed = "a power of two for repeated values";
            return Err(WireError::out_of_range("count", count, allowed));
        }
        Ok(())
    }
}
