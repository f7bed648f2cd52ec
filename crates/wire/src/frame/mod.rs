//! Frames of CKKS and BFV: header, parts, residues, and coefficients that were rounded.

pub(crate) mod claims;
pub(crate) mod complete;
pub(crate) mod grid;
pub(crate) mod header;
pub(crate) mod kind;
pub(crate) mod packed;
pub(crate) mod part;
pub(crate) mod residues;
pub(crate) mod rounded;
pub(crate) mod rounding;
pub(crate) mod suite;
