//! Values as firmware has them.

use core::ffi::{c_int, c_void};
use core::ptr::null;
use isopod_sys::*;

/// Values of one frame. Integers of CKKS have a unit: a value is integer * 2^`log2_unit`, -31 to 31; 0 in BFV.
pub enum Values<'a> {
    /// Floats of 32 bits, for CKKS.
    Float32(&'a [f32]),
    /// Floats of 64 bits, for CKKS.
    Float64(&'a [f64]),
    /// Integers of 16 bits.
    Int16 {
        /// The integers.
        values: &'a [i16],
        /// log2 of their unit.
        log2_unit: i8,
    },
    /// Integers of 32 bits.
    Int32 {
        /// The integers.
        values: &'a [i32],
        /// log2 of their unit.
        log2_unit: i8,
    },
    /// Integers from 0 on, for BFV.
    Uint32(&'a [u32]),
    /// Floats, asked for one by one while the frame is made; they do not enter the hedge.
    Asked {
        /// How many.
        count: u32,
        /// Gives value number 0 to count - 1.
        read: &'a mut dyn FnMut(u32) -> f32,
    },
}

/// The callback of [`Values::Asked`], kept where it does not move while C may ask.
pub(super) type Reader<'a> = Option<&'a mut dyn FnMut(u32) -> f32>;

impl<'a> Values<'a> {
    /// The C library's view, and the callback that belongs to it.
    pub(super) fn source(self) -> (isopod_value_source, Reader<'a>) {
        match self {
            Self::Float32(values) => (array(values, ISOPOD_VALUES_FLOAT32, 0), None),
            Self::Float64(values) => (array(values, ISOPOD_VALUES_FLOAT64, 0), None),
            Self::Int16 { values, log2_unit } => {
                (array(values, ISOPOD_VALUES_INT16, log2_unit), None)
            }
            Self::Int32 { values, log2_unit } => {
                (array(values, ISOPOD_VALUES_INT32, log2_unit), None)
            }
            Self::Uint32(values) => (array(values, ISOPOD_VALUES_UINT32, 0), None),
            Self::Asked { count, read } => (asked(count), Some(read)),
        }
    }
}

fn array<T>(values: &[T], r#type: c_int, log2_unit: i8) -> isopod_value_source {
    isopod_value_source {
        values: isopod_values {
            data: values.as_ptr().cast(),
            count: u32::try_from(values.len()).unwrap_or(u32::MAX),
            r#type,
        },
        log2_unit,
        ..isopod_value_source::default()
    }
}

fn asked(count: u32) -> isopod_value_source {
    isopod_value_source {
        values: isopod_values {
            data: null(),
            count,
            r#type: ISOPOD_VALUES_FLOAT32,
        },
        read: Some(read),
        ..isopod_value_source::default()
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn read(state: *mut c_void, number: u32, value: *mut c_void) {
    // SAFETY: the C library passes the state that it was given, and room for a float.
    unsafe {
        if let Some(read) = &mut *state.cast::<Reader<'_>>() {
            value.cast::<f32>().write(read(number));
        }
    }
}
