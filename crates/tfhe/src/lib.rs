#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "engine")]
pub mod engine;
mod error;
mod extract;
mod mask;
mod owner;
mod result;
mod tfhepp;

pub use error::Error;
pub use extract::{Windows, Word};
pub use mask::{expand_mask, frame_mask};
pub use owner::{secret_coefficients, OwnerSecrets};
pub use tfhepp::{Tfhepp, TFHEPP_DEGREE};

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;
