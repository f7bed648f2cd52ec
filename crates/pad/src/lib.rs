#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod context;
mod error;
mod item;
mod keys;
mod reader;
mod sum;
mod tree;

pub use context::PadContext;
pub use error::{PadError, Result};
pub use keys::{PadKey, PadMaster};
pub use reader::PadReader;
pub use sum::{FoldedSum, Run};
pub use tree::{open_sum, Entry, PadTree, Pads, RangeKey};
