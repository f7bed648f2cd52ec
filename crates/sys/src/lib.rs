#![doc = include_str!("../README.md")]
#![no_std]
// Names are those of C; `device/include/isopod` documents each of them.
#![allow(non_camel_case_types)]

/// Declares structures as C lays them out, each with an all-zero default, and lists what the layout test compares.
macro_rules! c_structs {
    ($($(#[$doc:meta])* struct $name:ident { $($member:ident: $type:ty,)* })*) => {
        use crate::codes::*;
        use crate::constants::*;
        use crate::layout::{size_of_target, Member, Structure};
        use crate::types::*;
        use core::ffi::{c_char, c_int, c_void};

        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name { $(pub $member: $type,)* }

            impl Default for $name {
                fn default() -> Self {
                    // SAFETY: all zero is valid for integers, pointers, optional functions and structures of them.
                    unsafe { core::mem::zeroed() }
                }
            }
        )*

        /// Name, size and alignment of each structure, and name, offset and size of each member, as Rust has them.
        #[doc(hidden)]
        pub const LAYOUT: &[Structure] = &[$(Structure {
            name: stringify!($name),
            size: size_of::<$name>(),
            alignment: align_of::<$name>(),
            members: &[$(Member {
                name: stringify!($member),
                offset: core::mem::offset_of!($name, $member),
                size: {
                    let structure = core::mem::MaybeUninit::<$name>::uninit();
                    // SAFETY: an address within the structure; nothing is read there.
                    size_of_target(unsafe { &raw const (*structure.as_ptr()).$member })
                },
            }),*],
        }),*];
    };
}

/// Declares constants, and lists what the layout test compares.
macro_rules! c_constants {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        use core::ffi::c_int;

        $(pub const $name: $type = $value;)*

        /// Name and value of each constant of this list, as Rust has them.
        pub(crate) const LISTED: &[(&str, i64)] = &[$((stringify!($name), $name as i64)),*];
    };
}

mod codes;
mod constants;
mod functions;
mod layout;
mod sets;
mod structs;
mod types;

pub use codes::*;
pub use constants::*;
pub use functions::*;
#[doc(hidden)]
pub use layout::{Member, Structure};
pub use sets::*;
pub use structs::*;
pub use types::*;

/// Name and value of each constant, as Rust has them.
#[doc(hidden)]
pub fn rust_constants() -> impl Iterator<Item = (&'static str, i64)> {
    codes::LISTED.iter().chain(constants::LISTED).copied()
}
