//! Commands about parameter sets.

pub mod advise;
pub mod boards;
pub mod pads;
pub mod sets;
pub mod tfhe_sets;
