//! Keys, opened in place.

use super::set::Set;
use super::status::Status;
use core::ffi::c_int;
use core::marker::PhantomData;
use isopod_sys::*;

/// An opened key of a set of 32-bit primes.
pub struct Key<'a>(isopod_key, PhantomData<&'a [u8]>);

// SAFETY: nobody writes to an opened key or its blob.
#[allow(unsafe_code)]
unsafe impl Send for Key<'_> {}
// SAFETY: the same.
#[allow(unsafe_code)]
unsafe impl Sync for Key<'_> {}

type Open = unsafe extern "C" fn(*mut isopod_key, *const isopod_params, *const u32, usize) -> c_int;

impl<'a> Key<'a> {
    /// Opens a public key, plain or seeded, and checks all of it. [`include_words!`](crate::include_words) aligns a file.
    ///
    /// Errors: [`Status::KeyFormat`], also for bytes that are not aligned to words; [`Status::KeySet`], [`Status::KeyKind`].
    pub fn open_public(set: Set, blob: &'a [u8]) -> Result<Self, Status> {
        Self::open(isopod_public_key_open, set, blob)
    }

    /// Opens a sealed public key (`isopod/sealed_key.h`) by its short check.
    ///
    /// Errors: those of [`Key::open_public`]; [`Status::KeySeal`].
    pub fn open_sealed(set: Set, sealed: &'a [u8]) -> Result<Self, Status> {
        Self::open(isopod_sealed_public_key_open, set, sealed)
    }

    /// Opens a secret key, by whose choice SECURITY.md speaks.
    ///
    /// Errors: those of [`Key::open_public`].
    #[cfg(feature = "secret-key")]
    pub fn open_secret(set: Set, blob: &'a [u8]) -> Result<Self, Status> {
        Self::open(isopod_secret_key_open, set, blob)
    }

    #[allow(unsafe_code)]
    fn open(open: Open, set: Set, blob: &'a [u8]) -> Result<Self, Status> {
        let words = blob.as_ptr().cast::<u32>();
        if !words.is_aligned() {
            return Err(Status::KeyFormat);
        }
        let mut key = isopod_key::default();
        // SAFETY: a set of the C library; aligned memory of that length, borrowed as long as the key.
        let status = unsafe { open(&mut key, set.pointer(), words, blob.len()) };
        Status::checked(status).map(|_| Self(key, PhantomData))
    }

    pub(super) fn pointer(&self) -> *const isopod_key {
        &self.0
    }
}

/// The bytes of a file as [`include_bytes!`] gives them, aligned to 8 bytes as keys must be.
#[macro_export]
macro_rules! include_words {
    ($path:expr) => {{
        #[repr(C, align(8))]
        struct Aligned<B: ?Sized>(B);
        static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!($path));
        &FILE.0
    }};
}
