//! Status and kinds, opaque types, and pointers to constant objects.

use std::ffi::c_int;

pub type isopod_status = c_int;
pub type isopod_key_kind = c_int;
pub type isopod_tfhe_key_kind = c_int;

/// Declares types of which only addresses are used.
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
    isopod_decoder;
    isopod_tfhe_suite;
}

/// A pointer to an immutable object of the C library, which leads to nothing but other such objects.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct StaticPointer<T>(*const T);

// SAFETY: nobody writes to what it points to.
unsafe impl<T> Sync for StaticPointer<T> {}

impl<T> StaticPointer<T> {
    /// The object.
    pub fn get(&self) -> &'static T {
        // SAFETY: only the C library makes such pointers, and it makes them lead to constant objects.
        unsafe { &*self.0 }
    }
}
