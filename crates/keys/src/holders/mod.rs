//! A holder of a key that several owners hold together (`spec/owners.md`): identity, key file, and count of contributions.

pub(crate) mod blobs;
#[cfg(feature = "folders")]
pub(crate) mod folder;
pub(crate) mod identity;
pub(crate) mod keys;
pub(crate) mod place;
#[cfg(feature = "folders")]
pub(crate) mod tags;
