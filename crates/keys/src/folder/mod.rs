//! Folders of keys: the device's, the server's, the owner's, and public keys.

pub(crate) mod device;
pub(crate) mod owner;
pub(crate) mod public;
pub(crate) mod server;
