//! Pads that leave their owner: ranges for readers, and ciphertexts for comparisons.

pub(crate) mod ciphertexts;
pub(crate) mod grant;
