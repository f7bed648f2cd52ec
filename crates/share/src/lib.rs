#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod circuit;
mod error;
mod flooding;
mod gaussian;
mod private;

pub use circuit::{Circuit, Encryption};
pub use error::{Result, ShareError};
pub use flooding::{Flooding, Published};
pub use gaussian::normal;
pub use private::Private;
