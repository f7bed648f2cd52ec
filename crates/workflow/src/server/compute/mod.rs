//! The fifth room: the job itself.

pub(crate) mod claims;
pub(crate) mod coefficients;
pub(crate) mod computed;
pub(crate) mod merged;
pub(crate) mod packed_result;
pub(crate) mod pads;
pub(crate) mod slots;
pub(crate) mod summary;
pub(crate) mod task;
#[cfg(feature = "tfhe")]
pub(crate) mod tfhe;
#[cfg(not(feature = "tfhe"))]
#[path = "without_tfhe.rs"]
pub(crate) mod tfhe;
