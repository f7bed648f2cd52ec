//! Layouts: where the values of a frame are in its plaintext, and whether a dither rounded them (`spec/wire.md`, section 1).

use crate::cbor::codec::Reader;
use crate::codes::layout;
use crate::{Result, WireError};

/// Difference that a dither makes to the number of a layout.
const DITHERED: u8 = layout::SLOTS_DITHERED - layout::SLOTS;

/// Arrangement of values in slots or coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Layout {
    /// Values in slots from 0 on; the other slots are zero.
    #[default]
    Slots = layout::SLOTS,
    /// Slot j holds value j mod count; count is a power of two.
    SlotsRepeated = layout::SLOTS_REPEATED,
    /// Complex values, otherwise as in `Slots`; CKKS only.
    Complex = layout::COMPLEX,
    /// Complex values, otherwise as in `SlotsRepeated`; CKKS only.
    ComplexRepeated = layout::COMPLEX_REPEATED,
    /// Values in coefficients from 0 on; the others are zero.
    Coefficients = layout::COEFFICIENTS,
    /// Values in coefficients, which travel as such: rounded, and c0 in part.
    CoefficientsRounded = layout::COEFFICIENTS_ROUNDED,
}

impl Layout {
    /// Every layout, in the order of the numbers on the wire.
    pub const ALL: [Self; 6] = [
        Self::Slots,
        Self::SlotsRepeated,
        Self::Complex,
        Self::ComplexRepeated,
        Self::Coefficients,
        Self::CoefficientsRounded,
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
            Self::CoefficientsRounded => "rounded coefficients",
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

    /// The number on the wire of a frame in this layout.
    pub(crate) fn number_of_frame(self, dithered: bool) -> u8 {
        self.number() + if dithered { DITHERED } else { 0 }
    }

    /// Reads the layout of a frame, and whether a dither rounded its encoding.
    pub(crate) fn read_of_frame(reader: &mut Reader<'_>) -> Result<(Self, bool)> {
        let number = reader.uint(u64::MAX, "layout")?;
        let mut all = [false, true]
            .into_iter()
            .flat_map(|dithered| Self::ALL.map(|layout| (layout, dithered)));
        all.find(|&(layout, dithered)| {
            layout.allows(dithered) && u64::from(layout.number_of_frame(dithered)) == number
        })
        .ok_or_else(|| WireError::out_of_range("layout", number, layout::ALLOWED))
    }

    /// Whether an encoding in this layout may be rounded so. In coefficients readings are rounded to the nearest.
    pub(crate) fn allows(self, dithered: bool) -> bool {
        !dithered || !matches!(self, Self::Coefficients | Self::CoefficientsRounded)
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let number = reader.uint(u64::MAX, "layout")?;
        Self::ALL
            .into_iter()
            .find(|layout| u64::from(layout.number()) == number)
            .ok_or_else(|| WireError::out_of_range("layout", number, "0 to 5"))
    }
}
