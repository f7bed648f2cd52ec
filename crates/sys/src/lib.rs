#![doc = include_str!("../README.md")]
// The names are those of C, which documents each of them: `device/include/isopod`.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void};

/// Declares structures as C lays them out, each with an all-zero default, and lists what the layout test compares.
macro_rules! c_structs {
    ($($(#[$doc:meta])* struct $name:ident { $($member:ident: $type:ty,)* })*) => {
        use crate::*;

        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name { $(pub $member: $type,)* }

            impl Default for $name {
                fn default() -> Self {
                    // SAFETY: every member is an integer, a pointer, an optional function or made of these: zeroes are valid.
                    unsafe { std::mem::zeroed() }
                }
            }
        )*

        /// Name, size and alignment of each structure, and name, offset and size of each member, as Rust has them.
        #[doc(hidden)]
        pub fn rust_layout() -> Vec<Structure> {
            vec![$(Structure {
                name: stringify!($name),
                size: size_of::<$name>(),
                alignment: align_of::<$name>(),
                members: vec![$(Member {
                    name: stringify!($member).trim_start_matches("r#"),
                    offset: std::mem::offset_of!($name, $member),
                    size: size_of_member(|structure: &$name| &raw const structure.$member),
                }),*],
            }),*]
        }
    };
}

/// Declares constants, and lists what the layout test compares.
macro_rules! c_constants {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        use std::ffi::c_int;

        $(pub const $name: $type = $value;)*

        /// Name and value of each constant, as Rust has them.
        #[doc(hidden)]
        pub fn rust_constants() -> Vec<(&'static str, i64)> {
            vec![$((stringify!($name), $name as i64)),*]
        }
    };
}

mod constants;
mod functions;
mod structs;

pub use constants::*;
pub use functions::*;
pub use structs::*;

/// One structure, for the layout test.
#[doc(hidden)]
#[derive(Debug, PartialEq)]
pub struct Structure {
    pub name: &'static str,
    pub size: usize,
    pub alignment: usize,
    pub members: Vec<Member>,
}

/// One member of a structure, for the layout test.
#[doc(hidden)]
#[derive(Debug, PartialEq)]
pub struct Member {
    pub name: &'static str,
    pub offset: usize,
    pub size: usize,
}

fn size_of_member<S, M>(_: impl Fn(&S) -> *const M) -> usize {
    size_of::<M>()
}
