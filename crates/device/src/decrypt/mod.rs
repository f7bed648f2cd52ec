//! Decryption of results, by the owner.

#[cfg(feature = "owner")]
pub(crate) mod decryption;
#[cfg(feature = "owner")]
pub(crate) mod decryptor;
#[cfg(feature = "owner")]
pub(crate) mod verifier;
