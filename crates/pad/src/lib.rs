#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod keys;
mod open;
mod place;
mod sum;
mod tree;

pub use error::{PadError, Result};
pub use keys::PadKey;
pub use open::{open_sum, OwnerPads};
pub use place::{PadPlace, Pads};
pub use sum::PadAccumulator;
pub use tree::{Entry, PadTree, RangeKey};
