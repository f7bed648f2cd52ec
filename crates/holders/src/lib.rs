#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answers;
mod ceremony;
mod error;
mod received;

pub use answers::{numbers, on_board, Answer};
pub use ceremony::{announce, go_on, Step};
pub use error::{HoldersError, Result};
