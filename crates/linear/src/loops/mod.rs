//! Portable loops over residues, which `arch` compiles once more for each instruction set.

pub(crate) mod butterflies;
pub(crate) mod pairs;
pub(crate) mod pointwise;
