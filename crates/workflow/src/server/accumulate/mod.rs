//! The fourth room: admitted frames are held, or folded into their sum.

pub(crate) mod accumulator;
pub(crate) mod compatibility;
pub(crate) mod frame;
pub(crate) mod pads;
pub(crate) mod residues;
#[cfg(feature = "tfhe")]
pub(crate) mod tfhe;
#[cfg(not(feature = "tfhe"))]
#[path = "without_tfhe.rs"]
pub(crate) mod tfhe;
