//! Values of one ciphertext, in the types that the C library takes.

use isopod_sys::*;
use std::ffi::{c_int, c_void};

/// Values of one ciphertext.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values<'a> {
    /// Real numbers, for CKKS.
    Real(&'a [f64]),
    /// Real numbers of 32 bits, for CKKS.
    Single(&'a [f32]),
    /// Complex numbers, real and imaginary part, for CKKS.
    Complex(&'a [[f64; 2]]),
    /// Integers from -bound to bound, at most floor(t/2), for BFV.
    Signed(&'a [i32]),
    /// Integers from 0 to bound, at most floor(t/2), for BFV.
    Unsigned(&'a [u32]),
}

impl Values<'_> {
    /// Number of values; a complex one counts once.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Single(values) => values.len(),
            Self::Complex(values) => values.len(),
            Self::Signed(values) => values.len(),
            Self::Unsigned(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self, Self::Signed(_) | Self::Unsigned(_))
    }

    fn pointer(&self) -> (*const c_void, c_int) {
        match self {
            Self::Real(values) => (values.as_ptr().cast(), ISOPOD_VALUES_FLOAT64),
            Self::Single(values) => (values.as_ptr().cast(), ISOPOD_VALUES_FLOAT32),
            Self::Complex(values) => (values.as_ptr().cast(), ISOPOD_VALUES_FLOAT64),
            Self::Signed(values) => (values.as_ptr().cast(), ISOPOD_VALUES_INT32),
            Self::Unsigned(values) => (values.as_ptr().cast(), ISOPOD_VALUES_UINT32),
        }
    }

    /// The C library's view of the values, valid as long as the slice.
    pub(crate) fn input(&self) -> isopod_values {
        let (data, r#type) = self.pointer();
        isopod_values {
            data,
            count: u32::try_from(self.len()).unwrap_or(u32::MAX),
            r#type,
        }
    }

    /// Position of the first number that offends, or 0 if none does; a complex number offends by either part.
    pub(crate) fn first_number(&self, offends: impl Fn(f64) -> bool) -> usize {
        let found = match self {
            Self::Real(values) => values.iter().position(|&value| offends(value)),
            Self::Single(values) => values.iter().position(|&value| offends(value.into())),
            Self::Complex(values) => values
                .iter()
                .position(|parts| parts.iter().any(|&part| offends(part))),
            _ => None,
        };
        found.unwrap_or(0)
    }

    /// Position of the first integer beyond the bound, and the range of allowed ones.
    pub(crate) fn first_outside(&self, bound: i64) -> (usize, i64, i64) {
        match self {
            Self::Signed(values) => {
                let outside = |&value: &i32| i64::from(value).abs() > bound;
                (values.iter().position(outside).unwrap_or(0), -bound, bound)
            }
            Self::Unsigned(values) => {
                let outside = |&value: &u32| i64::from(value) > bound;
                (values.iter().position(outside).unwrap_or(0), 0, bound)
            }
            _ => (0, -bound, bound),
        }
    }
}
