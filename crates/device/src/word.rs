//! The C library's two instances, for 32-bit and for 64-bit words, as tables of their functions.

use isopod_sys::*;
use std::ffi::c_int;

/// C function that opens a key of type `K` for a set of type `P`, from the blob's words and its length in bytes.
pub(crate) type Open<K, P, W> = unsafe extern "C" fn(*mut K, *const P, *const W, usize) -> c_int;
/// C function that computes a key identity: output, set, kind, payload.
pub(crate) type Identify<W> =
    unsafe extern "C" fn(*mut u8, *const isopod_params, c_int, *const W) -> c_int;
/// C function that computes a blob header: output, set, kind, payload, key identity.
pub(crate) type Describe<W> =
    unsafe extern "C" fn(*mut u8, *const isopod_params, c_int, *const W, *const u8) -> c_int;

/// C function that expands a mask: residues, suite, seed, set, prime, scratch.
pub(crate) type Expand<W> = unsafe extern "C" fn(
    *mut W,
    *const isopod_suite,
    *const u8,
    *const isopod_params,
    u8,
    *mut u32,
);

/// Functions of the instance whose residues are words of type `W`.
pub(crate) struct Calls<W> {
    pub(crate) public_key_open: Open<isopod_key, isopod_params, W>,
    pub(crate) secret_key_open: Open<isopod_key, isopod_params, W>,
    #[cfg(feature = "owner")]
    pub(crate) decryption_key_open: Open<isopod_key, isopod_params, W>,
    #[cfg(feature = "owner")]
    pub(crate) ckks_decode: *const isopod_decoder,
    #[cfg(feature = "owner")]
    pub(crate) bfv_decode: *const isopod_decoder,
    pub(crate) mask_expand: Expand<W>,
    pub(crate) key_identify: Identify<W>,
    pub(crate) key_header: Describe<W>,
    pub(crate) key_pair_begin: unsafe extern "C" fn(
        *mut isopod_key_pair,
        *const isopod_key_pair_config,
        *const isopod_workspace,
        *mut isopod_entropy,
    ) -> c_int,
    pub(crate) key_pair_payload: unsafe extern "C" fn(*mut isopod_key_pair, c_int) -> c_int,
    pub(crate) key_pair_next:
        unsafe extern "C" fn(*mut isopod_key_pair, *mut u8, usize, *mut isopod_key_piece) -> c_int,
    pub(crate) key_pair_close: unsafe extern "C" fn(*mut isopod_key_pair),
}

/// A word that holds one residue.
pub(crate) trait Word: Copy + Default + Into<u64> + 'static {
    const CALLS: Calls<Self>;
}

impl Word for u32 {
    const CALLS: Calls<u32> = Calls {
        public_key_open: isopod_public_key_open,
        secret_key_open: isopod_secret_key_open,
        #[cfg(feature = "owner")]
        decryption_key_open: isopod_decryption_key_open,
        #[cfg(feature = "owner")]
        ckks_decode: &raw const isopod_ckks_decode,
        #[cfg(feature = "owner")]
        bfv_decode: &raw const isopod_bfv_decode,
        mask_expand: isopod_mask_expand,
        key_identify: isopod_key_identify,
        key_header: isopod_key_header,
        key_pair_begin: isopod_key_pair_begin,
        key_pair_payload: isopod_key_pair_payload,
        key_pair_next: isopod_key_pair_next,
        key_pair_close: isopod_key_pair_close,
    };
}

impl Word for u64 {
    const CALLS: Calls<u64> = Calls {
        public_key_open: isopod64_public_key_open,
        secret_key_open: isopod64_secret_key_open,
        #[cfg(feature = "owner")]
        decryption_key_open: isopod64_decryption_key_open,
        #[cfg(feature = "owner")]
        ckks_decode: &raw const isopod64_ckks_decode,
        #[cfg(feature = "owner")]
        bfv_decode: &raw const isopod64_bfv_decode,
        mask_expand: isopod64_mask_expand,
        key_identify: isopod64_key_identify,
        key_header: isopod64_key_header,
        key_pair_begin: isopod64_key_pair_begin,
        key_pair_payload: isopod64_key_pair_payload,
        key_pair_next: isopod64_key_pair_next,
        key_pair_close: isopod64_key_pair_close,
    };
}
