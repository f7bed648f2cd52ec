//! The C interface of key generation, by hand, as `ffi.rs`.

use crate::ffi::{Entropy, Params, Tables};
use std::ffi::{c_int, c_void};

#[repr(C)]
pub struct Config {
    pub params: *const Params,
    pub tables: *const Tables,
    pub entropy: *mut Entropy,
    pub workspace: *mut c_void,
    pub workspace_bytes: usize,
    pub chunks: u8,
}

#[repr(C)]
pub struct Pair {
    config: *const Config,
    piece: *const u8,
    words: [u32; 3],
    kind: c_int,
    bytes: [u8; 4],
    pub mask_seed: [u8; 32],
}

#[repr(C)]
#[derive(Default)]
pub struct Piece {
    pub offset: u32,
    pub length: u32,
}

#[allow(unsafe_code)]
extern "C" {
    pub fn isopod_key_pair_begin(pair: *mut Pair, config: *const Config) -> c_int;
    pub fn isopod_key_pair_payload(pair: *mut Pair, kind: c_int) -> c_int;
    pub fn isopod_key_pair_next(
        pair: *mut Pair,
        out: *mut u8,
        capacity: usize,
        piece: *mut Piece,
    ) -> c_int;
    pub fn isopod_key_pair_close(pair: *mut Pair);
    pub fn isopod_key_identify(
        key_id: *mut u8,
        params: *const Params,
        kind: c_int,
        payload: *const u32,
        mask_seed: *const u8,
    ) -> c_int;
    pub fn isopod_key_header(
        header: *mut u8,
        params: *const Params,
        kind: c_int,
        payload: *const u32,
        key_id: *const u8,
    ) -> c_int;
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;

    extern "C" {
        static isopod_rust_key_pair_sizes: [usize; 3];
    }

    #[test]
    fn sizes_match() {
        let rust = [size_of::<Config>(), size_of::<Pair>(), size_of::<Piece>()];
        // SAFETY: a constant array of that length.
        assert_eq!(rust, unsafe { isopod_rust_key_pair_sizes });
    }
}
