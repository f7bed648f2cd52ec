//! Protection of key files by a passphrase.

pub(crate) mod file;
pub(crate) mod passphrase;
