//! The C interface of decryption, by hand, as `ffi.rs`.

use crate::ffi::{Key, Params, Tables};
use std::ffi::{c_int, c_void};

#[repr(C)]
pub struct Config {
    pub params: *const Params,
    pub tables: *const Tables,
    pub key: *const Key,
    pub decoder: *const Decoder,
    pub workspace: *mut c_void,
    pub workspace_bytes: usize,
    pub log2_bound: i8,
    pub layout: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Answer {
    pub scale: u64,
    pub first: u32,
    pub step: u32,
    pub count: u32,
    pub primes: u8,
}

#[repr(C)]
pub struct Decoded {
    pub data: *mut c_void,
    pub capacity: u32,
    pub kind: c_int,
}

#[repr(C)]
pub struct Decrypt {
    config: *const Config,
    answer: Answer,
    words: [u32; 2],
    bytes: [u8; 4],
    group: [u32; 60],
}

#[repr(C)]
pub struct SealedResult {
    pub params: *const Params,
    pub key_id: *const u8,
    pub job: *const u8,
    pub c0: *const u8,
    pub c1: *const u8,
    pub answer: Answer,
    pub residue_bytes: u32,
    pub job_bytes: u8,
}

/// An opaque decoder; only its address is used.
#[repr(C)]
pub struct Decoder {
    _private: [u8; 0],
}

#[allow(unsafe_code)]
extern "C" {
    pub fn isopod_decryption_key_open(
        key: *mut Key,
        params: *const Params,
        blob: *const u32,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_wide_decryption_key_open(
        key: *mut Key,
        params: *const Params,
        blob: *const u64,
        bytes: usize,
    ) -> c_int;
}

#[allow(unsafe_code)]
extern "C" {
    pub static isopod_ckks_decode: Decoder;
    pub static isopod_wide_ckks_decode: Decoder;
    pub static isopod_bfv_decode: Decoder;
    pub static isopod_wide_bfv_decode: Decoder;

    pub fn isopod_result_open(
        result: *mut SealedResult,
        params: *const Params,
        link_key: *const u8,
        item: *const u8,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_decrypt_result(
        context: *mut Decrypt,
        config: *const Config,
        result: *const SealedResult,
        out: *const Decoded,
    ) -> c_int;
    pub fn isopod_decrypt_unauthenticated_begin(
        context: *mut Decrypt,
        config: *const Config,
        answer: *const Answer,
    ) -> c_int;
    pub fn isopod_decrypt_unauthenticated_feed(
        context: *mut Decrypt,
        bytes: *const u8,
        length: usize,
    ) -> c_int;
    pub fn isopod_decrypt_unauthenticated_finish(
        context: *mut Decrypt,
        out: *const Decoded,
    ) -> c_int;
    pub fn isopod_decrypt_abort(context: *mut Decrypt);
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;

    extern "C" {
        static isopod_rust_decrypt_sizes: [usize; 5];
    }

    #[test]
    fn sizes_match() {
        let rust = [
            size_of::<Config>(),
            size_of::<Answer>(),
            size_of::<Decoded>(),
            size_of::<Decrypt>(),
            size_of::<SealedResult>(),
        ];
        // SAFETY: a constant array of that length.
        assert_eq!(rust, unsafe { isopod_rust_decrypt_sizes });
    }
}
