//! Encryption of rows of readings with the device library in C.

#[cfg(feature = "std")]
pub(crate) mod encryption;
#[cfg(feature = "std")]
pub(crate) mod encryptor;
#[cfg(feature = "std")]
pub(crate) mod linear_key;
#[cfg(feature = "std")]
pub(crate) mod packet;
#[cfg(feature = "std")]
pub(crate) mod pad;
