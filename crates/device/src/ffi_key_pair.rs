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

pub type Begin = unsafe extern "C" fn(*mut Pair, *const Config) -> c_int;
pub type Payload = unsafe extern "C" fn(*mut Pair, c_int) -> c_int;
pub type Next = unsafe extern "C" fn(*mut Pair, *mut u8, usize, *mut Piece) -> c_int;
pub type Close = unsafe extern "C" fn(*mut Pair);
pub type Identify =
    unsafe extern "C" fn(*mut u8, *const Params, c_int, *const u64, *const u8) -> c_int;
pub type Header =
    unsafe extern "C" fn(*mut u8, *const Params, c_int, *const u64, *const u8) -> c_int;

/// The calls for sets of one size of words; payloads are 8-byte aligned whatever it is.
pub struct Calls {
    pub begin: Begin,
    pub payload: Payload,
    pub next: Next,
    pub close: Close,
    pub identify: Identify,
    pub header: Header,
}

/// Of 32-bit words.
pub static NARROW: Calls = Calls {
    begin: isopod_key_pair_begin,
    payload: isopod_key_pair_payload,
    next: isopod_key_pair_next,
    close: isopod_key_pair_close,
    identify: isopod_key_identify,
    header: isopod_key_header,
};

/// Of 64-bit words.
pub static WIDE: Calls = Calls {
    begin: isopod_wide_key_pair_begin,
    payload: isopod_wide_key_pair_payload,
    next: isopod_wide_key_pair_next,
    close: isopod_wide_key_pair_close,
    identify: isopod_wide_key_identify,
    header: isopod_wide_key_header,
};

#[allow(unsafe_code)]
extern "C" {
    fn isopod_key_pair_begin(pair: *mut Pair, config: *const Config) -> c_int;
    fn isopod_key_pair_payload(pair: *mut Pair, kind: c_int) -> c_int;
    fn isopod_key_pair_next(
        pair: *mut Pair,
        out: *mut u8,
        capacity: usize,
        piece: *mut Piece,
    ) -> c_int;
    fn isopod_key_pair_close(pair: *mut Pair);
    fn isopod_key_identify(
        key_id: *mut u8,
        params: *const Params,
        kind: c_int,
        payload: *const u64,
        mask_seed: *const u8,
    ) -> c_int;
    fn isopod_key_header(
        header: *mut u8,
        params: *const Params,
        kind: c_int,
        payload: *const u64,
        key_id: *const u8,
    ) -> c_int;
}

#[allow(unsafe_code)]
extern "C" {
    fn isopod_wide_key_pair_begin(pair: *mut Pair, config: *const Config) -> c_int;
    fn isopod_wide_key_pair_payload(pair: *mut Pair, kind: c_int) -> c_int;
    fn isopod_wide_key_pair_next(
        pair: *mut Pair,
        out: *mut u8,
        capacity: usize,
        piece: *mut Piece,
    ) -> c_int;
    fn isopod_wide_key_pair_close(pair: *mut Pair);
    fn isopod_wide_key_identify(
        key_id: *mut u8,
        params: *const Params,
        kind: c_int,
        payload: *const u64,
        mask_seed: *const u8,
    ) -> c_int;
    fn isopod_wide_key_header(
        header: *mut u8,
        params: *const Params,
        kind: c_int,
        payload: *const u64,
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
