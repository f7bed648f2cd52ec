//! The C interface of `device/include/isopod`, by hand; `sizes_match` checks the layouts against the compiler's.

use std::ffi::{c_char, c_int, c_void};

pub const OK: c_int = 0;
pub const DONE: c_int = 1;
pub const VALUES_FLOAT64: c_int = 2;
pub const VALUES_INT32: c_int = 3;
pub const VALUES_UINT32: c_int = 5;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Prime {
    pub modulus: u32,
    pub root: u32,
    pub negative_inverse: u32,
    pub barrett: u32,
    pub montgomery_square: u32,
    pub bits: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Params {
    pub name: *const c_char,
    pub set_id: [u8; 8],
    pub log2_ring_degree: u8,
    pub prime_count: u8,
    pub label: u8,
    pub key_switching: u8,
    pub log2_scale: [u8; 3],
    pub special_prime: u64,
    pub primes: *const Prime,
    pub wide_primes: *const c_void,
    pub plain: *const Prime,
}

#[repr(C)]
pub struct Tables {
    pub twiddles: *const *const i32,
    pub cosine32: *const i32,
    pub cosine64: *const i64,
    pub backend: *const *const i32,
    pub coarse: *const *const i32,
    pub wide_twiddles: *const *const i64,
    pub wide_backend: *const *const i64,
    pub plain: *const i32,
}

pub type Fill = extern "C" fn(*mut c_void, *mut u8, usize) -> c_int;

#[repr(C)]
pub struct Entropy {
    pub fill: Option<Fill>,
    pub state: *mut c_void,
    pub hedge: *const u8,
    pub counter: u64,
    pub fingerprint: [u8; 8],
    pub poisoned: u8,
}

#[repr(C)]
pub struct Key {
    pub params: *const Params,
    pub method: *const c_void,
    pub blob: *const u32,
    pub kind: c_int,
}

#[repr(C)]
pub struct Config {
    pub params: *const Params,
    pub tables: *const Tables,
    pub suite: *const c_void,
    pub key: *const Key,
    pub encoder: *const c_void,
    pub entropy: *mut Entropy,
    pub workspace: *mut c_void,
    pub workspace_bytes: usize,
    pub chunks: u8,
    pub log2_scale: u8,
    pub log2_bound: i8,
    pub accept_label: u8,
    pub level: u8,
    pub layout: u8,
    pub fault_check: *const c_void,
}

#[repr(C)]
pub struct Values {
    pub data: *const c_void,
    pub count: u32,
    pub kind: c_int,
}

#[repr(C)]
pub struct PieceStream {
    piece: *const u8,
    pending: u32,
    state: u8,
}

#[repr(C)]
pub struct Encryption {
    config: *const Config,
    scheme: *const c_void,
    stream: PieceStream,
    words: [u32; 2],
    bytes: [u8; 4],
    nonce: [u8; 16],
    mask_seed: [u8; 64],
}

#[repr(C)]
pub struct Identity {
    pub device: u64,
    pub epoch: u32,
    pub key: *const u8,
}

#[repr(C)]
pub struct Frame {
    source: *const c_void,
    encryption: *mut c_void,
    identity: *const Identity,
    sequence: u64,
    tag: [u32; 14],
    left: u32,
    bytes: [u8; 3],
}

#[repr(C)]
#[derive(Default)]
pub struct Piece {
    pub length: usize,
    pub part: u8,
    pub part_complete: u8,
}

/// An opaque suite or encoder; only its address is used.
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

pub const CKKS_SET_COUNT: usize = isopod_wire::CKKS_SETS.len();
pub const BFV_SET_COUNT: usize = isopod_wire::BFV_SETS.len();
pub const WIDE_SET_COUNT: usize = isopod_wire::WIDE_SETS.len();

#[allow(unsafe_code)]
extern "C" {
    pub static isopod_ckks_sets: [SetPointer; CKKS_SET_COUNT];
    pub static isopod_bfv_sets: [SetPointer; BFV_SET_COUNT];
    pub static isopod_wide_sets: [SetPointer; WIDE_SET_COUNT];
    pub static isopod_encoder_slots64: Suite;
    pub static isopod_encoder_complex64: Suite;
    pub static isopod_encoder_coefficients64: Suite;
    pub static isopod_suite_chacha20: Suite;
    pub static isopod_suite_shake256: Suite;
    pub static isopod_suite_seal_shake256: Suite;

    pub fn isopod_ckks_tables_build(
        t: *mut Tables,
        p: *const Params,
        m: *mut c_void,
        b: usize,
    ) -> c_int;
    pub fn isopod_bfv_tables_build(
        t: *mut Tables,
        p: *const Params,
        m: *mut c_void,
        b: usize,
    ) -> c_int;
    pub fn isopod_wide_tables_build(
        t: *mut Tables,
        p: *const Params,
        m: *mut c_void,
        b: usize,
    ) -> c_int;
    pub fn isopod_public_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u32,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_secret_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u32,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_wide_public_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u64,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_wide_secret_key_open(
        k: *mut Key,
        p: *const Params,
        blob: *const u64,
        bytes: usize,
    ) -> c_int;
    pub fn isopod_ckks_begin(
        c: *mut Encryption,
        config: *const Config,
        values: *const Values,
    ) -> c_int;
    pub fn isopod_bfv_begin(
        c: *mut Encryption,
        config: *const Config,
        values: *const Values,
    ) -> c_int;
    pub fn isopod_encryption_next(
        c: *mut Encryption,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> c_int;
    pub fn isopod_encryption_abort(c: *mut Encryption);
    pub fn isopod_frame_begin(
        f: *mut Frame,
        c: *mut Encryption,
        i: *const Identity,
        sequence: u64,
    ) -> c_int;
    pub fn isopod_frame_next(
        f: *mut Frame,
        out: *mut u8,
        capacity: usize,
        piece: *mut Piece,
    ) -> c_int;
    pub fn isopod_mask_expand(
        out: *mut u32,
        suite: *const Suite,
        seed: *const u8,
        p: *const Params,
        prime: u8,
        refill: *mut u32,
    );
    pub fn isopod_wide_mask_expand(
        out: *mut u64,
        suite: *const Suite,
        seed: *const u8,
        p: *const Params,
        prime: u8,
        refill: *mut u32,
    );
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;

    extern "C" {
        static isopod_rust_sizes: [usize; 11];
    }

    #[test]
    fn sizes_match() {
        let rust = [
            size_of::<Prime>(),
            size_of::<Params>(),
            size_of::<Tables>(),
            size_of::<Entropy>(),
            size_of::<Key>(),
            size_of::<Config>(),
            size_of::<Values>(),
            size_of::<Encryption>(),
            size_of::<Identity>(),
            size_of::<Frame>(),
            size_of::<Piece>(),
        ];
        // SAFETY: a constant array of that length.
        assert_eq!(rust, unsafe { isopod_rust_sizes });
    }
}
