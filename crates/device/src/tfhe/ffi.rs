//! The C interface of `device/include/isopod/tfhe*.h`, by hand; `sizes_match` checks the layouts against the compiler's.

use std::ffi::{c_char, c_int, c_void};

pub use crate::ffi::Frame;
use crate::ffi::{Entropy, Identity, PieceStream, Prime};

#[repr(C)]
pub struct Params {
    pub name: *const c_char,
    pub set_id: [u8; 8],
    pub numbers: [u8; 8],
    pub prime: *const Prime,
}

#[repr(C)]
pub struct Key {
    pub params: *const Params,
    pub method: *const c_void,
    pub blob: *const u32,
    pub prepared: *const c_void,
    pub kind: c_int,
}

#[repr(C)]
pub struct Run {
    pub data: *const c_void,
    pub count: u16,
    pub of: u8,
}

#[repr(C)]
pub struct Values {
    pub runs: *const Run,
    pub count: u8,
}

#[repr(C)]
pub struct Config {
    pub params: *const Params,
    pub twiddles: *const i32,
    pub suite: *const Suite,
    pub key: *const Key,
    pub entropy: *mut Entropy,
    pub workspace: *mut c_void,
    pub workspace_bytes: usize,
    pub width: u8,
    pub accept_label: u8,
}

#[repr(C)]
pub struct Tfhe {
    config: *const Config,
    stream: PieceStream,
    coefficients: u16,
    component: u8,
    counts: [u16; 8],
    types: [u8; 8],
    runs: u8,
    nonce: [u8; 16],
}

#[repr(C)]
pub struct Keygen {
    pub params: *const Params,
    pub twiddles: *const i32,
    pub mask_seed: *const u8,
    pub noise_key: *const u8,
    pub secret: *const u32,
    pub workspace: *mut c_void,
}

/// An opaque suite; only its address is used.
#[repr(C)]
pub struct Suite {
    _private: [u8; 0],
}

/// The C library's table of sets; its pointers lead to immutable static data.
#[repr(transparent)]
pub struct SetPointer(pub *const Params);

#[allow(unsafe_code)]
// SAFETY: the pointee is an immutable static of the C library.
unsafe impl Sync for SetPointer {}

pub const SET_COUNT: usize = isopod_wire::TFHE_SETS.len();

#[allow(unsafe_code)]
extern "C" {
    pub static isopod_tfhe_sets: [SetPointer; SET_COUNT];
    pub static isopod_tfhe_chacha20: Suite;
    pub static isopod_tfhe_shake256: Suite;
    pub static isopod_tfhe_aes128: Suite;

    pub fn isopod_tfhe_twiddles_build(twiddles: *mut i32, p: *const Params) -> c_int;
    pub fn isopod_tfhe_public_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u32,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_tfhe_secret_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u32,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_tfhe_stream_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u32,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_tfhe_workspace_bytes(config: *const Config, coefficients: u32) -> usize;
    pub fn isopod_tfhe_begin(c: *mut Tfhe, config: *const Config, values: *const Values) -> c_int;
    pub fn isopod_tfhe_next(
        c: *mut Tfhe,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> c_int;
    pub fn isopod_tfhe_bytes(c: *const Tfhe) -> usize;
    pub fn isopod_tfhe_abort(c: *mut Tfhe);
    pub fn isopod_tfhe_frame_begin(
        f: *mut Frame,
        c: *mut Tfhe,
        i: *const Identity,
        sequence: u64,
    ) -> c_int;
    pub fn isopod_tfhe_frame_next(
        f: *mut Frame,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> c_int;
    pub fn isopod_tfhe_frame_bytes(f: *const Frame) -> usize;
    pub fn isopod_tfhe_keygen_secret(secret: *mut u32, p: *const Params, seed: *const u8);
    pub fn isopod_tfhe_keygen_blob(blob: *mut u32, k: *const Keygen, kind: c_int) -> c_int;
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;

    extern "C" {
        static isopod_rust_tfhe_sizes: [usize; 8];
    }

    #[test]
    fn sizes_match() {
        let rust = [
            size_of::<Params>(),
            size_of::<Key>(),
            size_of::<Run>(),
            size_of::<Values>(),
            size_of::<Config>(),
            size_of::<Tfhe>(),
            size_of::<Frame>(),
            size_of::<Keygen>(),
        ];
        // SAFETY: a constant array of that length.
        assert_eq!(rust, unsafe { isopod_rust_tfhe_sizes });
    }
}
