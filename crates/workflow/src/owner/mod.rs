//! The owner's side: key pairs, the register of devices, and results that are read and checked for completeness.

pub(crate) mod completeness;
pub(crate) mod decryption;
pub(crate) mod estimate;
pub(crate) mod holders;
pub(crate) mod joining;
pub(crate) mod large_ring;
pub(crate) mod new_keys;
pub(crate) mod opening;
pub(crate) mod pad_sums;
pub(crate) mod pads;
pub(crate) mod publishing;
pub(crate) mod summary;
pub(crate) mod verification;
