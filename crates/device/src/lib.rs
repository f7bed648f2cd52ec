//! The Isopod device library for Rust: the C code of `device/`, compiled in, behind a safe interface.
//!
//! A laptop, a gateway or a test encrypts with exactly the code of the microcontroller: [`Encryptor`] gives frames,
//! [`Decryptor`] reads results of both schemes, [`KeyPair`] makes keys, [`expand_mask`] gives the polynomials that travel as
//! a seed. Only `ffi.rs` and the calls into it are unsafe.

#[cfg(feature = "owner")]
mod decryptor;
mod encryptor;
mod error;
mod ffi;
#[cfg(feature = "owner")]
mod ffi_decrypt;
mod ffi_key_pair;
mod key_pair;
mod key_stream;
mod mask;
mod tables;
mod tfhe;
mod values;

#[cfg(feature = "owner")]
pub use decryptor::Decryptor;
pub use encryptor::{Encoding, Encryptor, Identity};
pub use error::DeviceError;
pub use key_pair::{KeyPair, SecretBlob};
pub use mask::{expand_mask, expand_mask_at_level};
pub use tfhe::{tfhe_blobs, TfheEncoding, TfheEncryptor, TfheKeyPair};
pub use values::Values;

/// What every call of this crate returns.
pub type Result<T> = std::result::Result<T, DeviceError>;
