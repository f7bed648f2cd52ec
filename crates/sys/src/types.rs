//! Status codes and kinds, opaque types, and pointers to constant objects of the C headers.

use core::ffi::c_int;

pub type isopod_status = c_int;
pub type isopod_key_kind = c_int;
pub type isopod_tfhe_key_kind = c_int;

/// Declares opaque types: only their addresses are used.
macro_rules! opaque {
    ($($name:ident;)*) => {
        $(
            #[repr(C)]
            pub struct $name {
                _private: [u8; 0],
            }
        )*
    };
}

opaque! {
    isopod_suite;
    isopod_encoder;
    isopod_fault_check;
    isopod_range_rule;
    isopod_decoder;
    isopod_tfhe_suite;
    isopod_rounded_method;
    isopod_linear_method;
    isopod_linear_proof;
    isopod_packet_method;
    isopod_packet_scheme;
}

/// A pointer to an immutable object of the C library, which points only to other immutable objects.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct StaticPointer<T>(*const T);

// SAFETY: nobody writes to the object.
unsafe impl<T> Sync for StaticPointer<T> {}

impl<T> StaticPointer<T> {
    /// The object that this points to.
    pub fn get(&self) -> &'static T {
        // SAFETY: only the C library makes such pointers, all of them to constant objects.
        unsafe { &*self.0 }
    }
}

/// An immutable object of the C library, which points only to other immutable objects.
#[repr(transparent)]
pub struct Constant<T>(T);

// SAFETY: nobody writes to the object.
unsafe impl<T> Sync for Constant<T> {}
