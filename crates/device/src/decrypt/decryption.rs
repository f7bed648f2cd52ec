//! One decryption by the C library: of a sealed result, or of packed residues whose origin the C library does not check.

use isopod_sys::*;
use isopod_wire::{Layout, Scheme};
use std::ffi::c_int;

/// A type to which values are decoded.
///
/// # Safety
/// `TYPE` is the C library's name of this type.
#[allow(unsafe_code)]
pub(crate) unsafe trait Decoded: Copy + Default {
    const SCHEME: Scheme;
    const TYPE: c_int;
}

// SAFETY: a binary64 number.
#[allow(unsafe_code)]
unsafe impl Decoded for f64 {
    const SCHEME: Scheme = Scheme::Ckks;
    const TYPE: c_int = ISOPOD_VALUES_FLOAT64;
}

// SAFETY: a signed 32-bit integer.
#[allow(unsafe_code)]
unsafe impl Decoded for i32 {
    const SCHEME: Scheme = Scheme::Bfv;
    const TYPE: c_int = ISOPOD_VALUES_INT32;
}

/// A sealed result that the C library has authenticated and parsed in place.
pub(crate) struct OpenedResult<'a> {
    result: isopod_result,
    _item: &'a [u8],
}

/// A ciphertext to be decrypted.
pub(crate) enum Ciphertext<'a> {
    Sealed(OpenedResult<'a>),
    /// Packed c0 and c1, and the claims about their values.
    Packed(isopod_claim, [&'a [u8]; 2]),
}

impl Ciphertext<'_> {
    /// Where the values are: in slots, or in coefficients that travelled rounded.
    pub(crate) fn layout(&self) -> Layout {
        match self {
            Self::Sealed(opened)
                if opened.result.layout == Layout::CoefficientsRounded.number() =>
            {
                Layout::CoefficientsRounded
            }
            _ => Layout::Slots,
        }
    }

    /// Number of values.
    pub(crate) fn count(&self) -> u64 {
        let claim = match self {
            Self::Sealed(opened) => &opened.result.claim,
            Self::Packed(claim, _) => claim,
        };
        u64::from(claim.rows) * u64::from(claim.columns)
    }
}

/// Opens a sealed result (spec/wire.md, section 3).
///
/// Errors: the C library's status.
#[allow(unsafe_code)]
pub(crate) fn open_result<'a>(
    params: &isopod_params,
    link_key: &[u8; 32],
    item: &'a [u8],
) -> Result<Ciphertext<'a>, c_int> {
    let mut result = isopod_result::default();
    let (key, start, bytes) = (link_key.as_ptr(), item.as_ptr(), item.len());
    // SAFETY: a key of 32 bytes; an item of that length, which outlives the result.
    match unsafe { isopod_result_open(&mut result, params, key, start, bytes) } {
        ISOPOD_OK => Ok(Ciphertext::Sealed(OpenedResult {
            result,
            _item: item,
        })),
        status => Err(status),
    }
}

/// Decrypts into `values`; context and workspace are wiped in every case. Everything that `config` and `workspace` point
/// to is alive.
///
/// Errors: the C library's status.
#[allow(unsafe_code)]
pub(crate) fn decrypt<T: Decoded>(
    config: &isopod_decrypt_config,
    workspace: &isopod_workspace,
    ciphertext: &Ciphertext<'_>,
    values: &mut [T],
) -> Result<(), c_int> {
    let out = isopod_decoded {
        data: values.as_mut_ptr().cast(),
        capacity: values.len() as u32,
        r#type: T::TYPE,
    };
    let mut context = isopod_decrypt::default();
    let status = match ciphertext {
        // SAFETY: everything outlives the call; at most the capacity is written.
        Ciphertext::Sealed(opened) => unsafe {
            isopod_decrypt_result(&mut context, config, workspace, &opened.result, &out)
        },
        Ciphertext::Packed(claim, sides) => {
            // SAFETY: everything outlives the call.
            let status = unsafe {
                isopod_decrypt_unauthenticated_begin(&mut context, config, workspace, claim)
            };
            match status {
                ISOPOD_OK => feed(&mut context, *sides, &out),
                status => status,
            }
        }
    };
    // SAFETY: a context that has begun or is all zero; the call has no effect on one that has ended.
    unsafe { isopod_decrypt_abort(&mut context) };
    match status {
        ISOPOD_OK => Ok(()),
        status => Err(status),
    }
}

#[allow(unsafe_code)]
fn feed(context: &mut isopod_decrypt, sides: [&[u8]; 2], out: &isopod_decoded) -> c_int {
    // SAFETY: a context that has begun; each side has the length that is passed; at most the capacity is written.
    unsafe {
        let mut status = ISOPOD_OK;
        for side in sides {
            if status == ISOPOD_OK {
                status = isopod_decrypt_unauthenticated_feed(context, side.as_ptr(), side.len());
            }
        }
        match status {
            ISOPOD_OK => isopod_decrypt_unauthenticated_finish(context, out),
            status => status,
        }
    }
}
