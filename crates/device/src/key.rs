//! Key blobs in aligned memory, opened by the C library.

use crate::word::Open;
use isopod_sys::ISOPOD_OK;
use std::ffi::c_int;
use zeroize::Zeroizing;

/// A blob that contains a secret, wiped when dropped; it has no `Debug`.
pub type SecretBlob = Zeroizing<Vec<u8>>;

/// A copy of bytes, 8-byte aligned and filled with zeros to whole words; wiped when dropped.
pub(crate) fn aligned(bytes: &[u8]) -> Zeroizing<Vec<u64>> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    Zeroizing::new(bytes.chunks(8).map(word).collect())
}

/// An opened key of the C type `K`, and the blob that it points to.
pub(crate) struct OpenedKey<K> {
    key: K,
    _blob: Zeroizing<Vec<u64>>,
}

impl<K: Default> OpenedKey<K> {
    /// Copies and opens a blob under a set.
    ///
    /// Errors: the status of `open`.
    #[allow(unsafe_code)]
    pub(crate) fn open<P, W>(
        open: Open<K, P, W>,
        params: *const P,
        blob: &[u8],
    ) -> Result<Self, c_int> {
        let words = aligned(blob);
        let mut key = K::default();
        // SAFETY: a set of the C library; the words lie on the heap, live as long as the key, and never change.
        match unsafe { open(&mut key, params, words.as_ptr().cast(), blob.len()) } {
            ISOPOD_OK => Ok(Self { key, _blob: words }),
            status => Err(status),
        }
    }

    /// Address for a configuration that is used before self moves.
    pub(crate) fn pointer(&self) -> *const K {
        &raw const self.key
    }
}
