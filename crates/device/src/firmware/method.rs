//! Schemes, layouts and randomness suites; a program links those that it names.

use core::ffi::c_int;
use core::ptr::null;
use isopod_sys::*;

/// C function that begins an encryption; the context is that of rounded coefficients, whose first member serves the others.
pub(super) type Begin = unsafe extern "C" fn(
    *mut isopod_rounded,
    *const isopod_encryption_config,
    *const isopod_encryptor,
    *const isopod_value_source,
) -> c_int;

/// Scheme, layout, and for rounded coefficients the kind of key.
#[derive(Clone, Copy)]
pub struct Method {
    pub(super) begin: Begin,
    pub(super) frame_begin: unsafe extern "C" fn(*mut isopod_frame, *mut isopod_rounded) -> c_int,
    pub(super) abort: unsafe extern "C" fn(*mut isopod_rounded),
    pub(super) layout: u8,
    pub(super) encoder: *const isopod_encoder,
    pub(super) rounded: *const isopod_rounded_method,
}

// SAFETY: constant objects of the C library.
#[allow(unsafe_code)]
unsafe impl Send for Method {}
// SAFETY: the same.
#[allow(unsafe_code)]
unsafe impl Sync for Method {}

impl Method {
    /// CKKS, real numbers in slots, messages of up to 30 bits.
    pub const CKKS_SLOTS: Self = ckks(ISOPOD_SLOTS, null());
    /// Slots through which the values are repeated.
    pub const CKKS_SLOTS_REPEATED: Self = ckks(ISOPOD_SLOTS_REPEATED, null());
    /// CKKS, real numbers in slots, messages of up to 57 bits.
    pub const CKKS_SLOTS64: Self = ckks(ISOPOD_SLOTS, &raw const isopod_encoder_slots64);
    /// CKKS, real numbers in coefficients, messages of up to 30 bits.
    pub const CKKS_COEFFICIENTS: Self = ckks(
        ISOPOD_COEFFICIENTS,
        &raw const isopod_encoder_coefficients32,
    );
    /// CKKS, real numbers in coefficients, messages of up to 57 bits.
    pub const CKKS_COEFFICIENTS64: Self = ckks(
        ISOPOD_COEFFICIENTS,
        &raw const isopod_encoder_coefficients64,
    );
    /// CKKS, coefficients that travel rounded, by public key.
    pub const CKKS_ROUNDED: Self =
        rounded(isopod_ckks_rounded_begin, &raw const isopod_rounded_public);
    /// CKKS, coefficients that travel rounded, by public key in less memory.
    pub const CKKS_ROUNDED_SMALL: Self = rounded(
        isopod_ckks_rounded_begin,
        &raw const isopod_rounded_public_small,
    );
    /// CKKS, coefficients that travel rounded, by secret key.
    #[cfg(feature = "secret-key")]
    pub const CKKS_ROUNDED_SECRET: Self =
        rounded(isopod_ckks_rounded_begin, &raw const isopod_rounded_secret);
    /// BFV, integers in slots.
    pub const BFV_SLOTS: Self = whole(bfv_begin, ISOPOD_SLOTS, null());
    /// Slots through which the values are repeated.
    pub const BFV_SLOTS_REPEATED: Self = whole(bfv_begin, ISOPOD_SLOTS_REPEATED, null());
    /// BFV, integers in coefficients.
    pub const BFV_COEFFICIENTS: Self = whole(bfv_begin, ISOPOD_COEFFICIENTS, null());
    /// BFV, coefficients that travel rounded, by public key.
    pub const BFV_ROUNDED: Self =
        rounded(isopod_bfv_rounded_begin, &raw const isopod_rounded_public);
    /// BFV, coefficients that travel rounded, by public key in less memory.
    pub const BFV_ROUNDED_SMALL: Self = rounded(
        isopod_bfv_rounded_begin,
        &raw const isopod_rounded_public_small,
    );
    /// BFV, coefficients that travel rounded, by secret key.
    #[cfg(feature = "secret-key")]
    pub const BFV_ROUNDED_SECRET: Self =
        rounded(isopod_bfv_rounded_begin, &raw const isopod_rounded_secret);
}

const fn ckks(layout: u8, encoder: *const isopod_encoder) -> Method {
    whole(ckks_begin, layout, encoder)
}

const fn whole(begin: Begin, layout: u8, encoder: *const isopod_encoder) -> Method {
    Method {
        begin,
        frame_begin,
        abort,
        layout,
        encoder,
        rounded: null(),
    }
}

const fn rounded(begin: Begin, method: *const isopod_rounded_method) -> Method {
    Method {
        begin,
        frame_begin: isopod_rounded_frame_begin,
        abort: isopod_rounded_abort,
        layout: ISOPOD_COEFFICIENTS_ROUNDED,
        encoder: null(),
        rounded: method,
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn ckks_begin(
    context: *mut isopod_rounded,
    config: *const isopod_encryption_config,
    encryptor: *const isopod_encryptor,
    source: *const isopod_value_source,
) -> c_int {
    // SAFETY: the caller's; the first member is a context of its own.
    unsafe { isopod_ckks_begin_from(&raw mut (*context).encryption, config, encryptor, source) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn bfv_begin(
    context: *mut isopod_rounded,
    config: *const isopod_encryption_config,
    encryptor: *const isopod_encryptor,
    source: *const isopod_value_source,
) -> c_int {
    // SAFETY: the same.
    unsafe { isopod_bfv_begin_from(&raw mut (*context).encryption, config, encryptor, source) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn frame_begin(frame: *mut isopod_frame, context: *mut isopod_rounded) -> c_int {
    // SAFETY: the same.
    unsafe { isopod_frame_begin(frame, &raw mut (*context).encryption) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn abort(context: *mut isopod_rounded) {
    // SAFETY: the same.
    unsafe { isopod_encryption_abort(&raw mut (*context).encryption) }
}

/// A randomness suite.
#[derive(Clone, Copy)]
pub struct Suite(pub(super) *const isopod_suite);

// SAFETY: a constant object of the C library.
#[allow(unsafe_code)]
unsafe impl Send for Suite {}
// SAFETY: the same.
#[allow(unsafe_code)]
unsafe impl Sync for Suite {}

impl Suite {
    /// ChaCha20, the fast one.
    pub const CHACHA20: Self = Self(&raw const isopod_suite_chacha20);
    /// SHAKE-256, the conservative one.
    pub const SHAKE256: Self = Self(&raw const isopod_suite_shake256);
}
