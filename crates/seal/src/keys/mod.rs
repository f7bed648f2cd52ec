//! Evaluation keys as SEAL takes them.

pub(crate) mod evaluation_keys;
pub(crate) mod galois;
