//! The verifier of linear tags (`spec/verify.md`), opened by the C library.

use std::ffi::c_int;

use isopod_sys::*;
use zeroize::Zeroize as _;

/// The owner's keys of one group in one period, wiped when dropped; it has no `Debug`.
pub(crate) struct Verifier(Box<isopod_linear_verifier>);

impl Verifier {
    /// Derives the keys of a group and period from an open secret key.
    ///
    /// Errors: the C library's status.
    #[allow(unsafe_code)]
    pub(crate) fn open(key: *const isopod_key, group: u32, period: u32) -> Result<Self, c_int> {
        let mut verifier = Self(Box::default());
        // SAFETY: the key is open and alive; the verifier is of this call.
        match unsafe { isopod_linear_verifier_open(&raw mut *verifier.0, key, group, period) } {
            ISOPOD_OK => Ok(verifier),
            status => Err(status),
        }
    }

    /// Address for a configuration; it stays the same while self moves.
    pub(crate) fn pointer(&self) -> *const isopod_linear_verifier {
        &raw const *self.0
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        self.0.master.zeroize();
        self.0.group.zeroize();
    }
}
