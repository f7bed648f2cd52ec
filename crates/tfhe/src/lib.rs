#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod extract;
mod mask;
#[cfg(feature = "native")]
pub mod native;
mod owner;
mod result;
mod tfhepp;

pub use error::{Error, Result};
pub use extract::{Windows, Word};
pub use mask::{expand_mask, frame_mask};
pub use owner::{secret_coefficients, OwnerSecrets};
pub use tfhepp::{Tfhepp, TFHEPP_DEGREE};
