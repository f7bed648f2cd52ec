#![doc = include_str!("../README.md")]

#[cfg(feature = "owner")]
mod decryption;
#[cfg(feature = "owner")]
mod decryptor;
mod encryption;
mod encryptor;
mod entropy;
mod error;
mod key;
mod key_pair;
mod mask;
mod profile;
mod pull;
mod sender;
mod tables;
mod tfhe;
mod values;
mod word;

#[cfg(feature = "owner")]
pub use decryptor::Decryptor;
pub use encryptor::{Encoding, Encryptor, FrameClaims, RoundedRows};
pub use error::{DeviceError, Result};
pub use key::SecretBlob;
pub use key_pair::KeyPair;
pub use mask::{expand_mask, expand_mask_at_level};
pub use sender::Sender;
pub use tfhe::{tfhe_blobs, TfheEncoding, TfheEncryptor, TfheKeyPair};
pub use values::Values;
