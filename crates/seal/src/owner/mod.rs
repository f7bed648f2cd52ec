//! The owner's side: decryption, export, and a peer that plays SEAL for tests.

pub(crate) mod export;
pub(crate) mod integers;
#[cfg(feature = "owner")]
pub mod peer;
#[cfg(feature = "owner")]
pub(crate) mod secret_key;
