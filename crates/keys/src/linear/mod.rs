//! Keys of linear tags (`spec/verify.md`, section 2): the owner's master, the secrets of a device in a period, and the owner's
//! account of periods and refusals.

pub(crate) mod account;
pub(crate) mod file;
pub(crate) mod secrets;
