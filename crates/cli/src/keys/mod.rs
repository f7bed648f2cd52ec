//! Sets and certificates of new keys.

pub(crate) mod certificates;
pub(crate) mod label;
pub(crate) mod large_ring;
pub(crate) mod public_key;
pub(crate) mod set_choice;
