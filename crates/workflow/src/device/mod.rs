//! The device's side: readings, the public key that is verified, and frames.

pub(crate) mod derivation;
pub(crate) mod encryption;
pub(crate) mod pads;
pub(crate) mod public_key;
pub(crate) mod readings;
