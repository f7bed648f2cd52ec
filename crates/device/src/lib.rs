#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]

mod decrypt;
mod encrypt;
pub mod firmware;
mod keys;

#[cfg(feature = "std")]
mod entropy;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod key;
#[cfg(feature = "std")]
mod profile;
#[cfg(feature = "std")]
mod pull;
#[cfg(feature = "std")]
mod sender;
#[cfg(feature = "std")]
mod tables;
#[cfg(feature = "std")]
mod tfhe;
#[cfg(feature = "std")]
mod values;
#[cfg(feature = "std")]
mod word;

#[cfg(feature = "owner")]
pub use decrypt::decryptor::Decryptor;
#[cfg(feature = "std")]
pub use encrypt::encryptor::{Encoding, Encryptor, FrameClaims, RoundedRows};
#[cfg(feature = "std")]
pub use encrypt::linear_key::LinearSecrets;
#[cfg(feature = "std")]
pub use encrypt::packet::PacketContext;
#[cfg(feature = "std")]
pub use encrypt::pad::PadEncryptor;
#[cfg(feature = "std")]
pub use error::{DeviceError, Result};
#[cfg(feature = "std")]
pub use key::SecretBlob;
#[cfg(feature = "std")]
pub use keys::key_pair::KeyPair;
#[cfg(feature = "std")]
pub use keys::mask::{expand_mask, expand_mask_at_level};
#[cfg(feature = "std")]
pub use sender::Sender;
#[cfg(feature = "std")]
pub use tfhe::{tfhe_blobs, TfheEncoding, TfheEncryptor, TfheKeyPair};
#[cfg(feature = "std")]
pub use values::Values;
