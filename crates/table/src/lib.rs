#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod delta;
mod error;
mod files;
mod frames;
mod rows;
#[cfg(feature = "sql")]
mod sql;
mod table;
mod upkeep;

pub use delta::{Step, Transaction};
#[cfg(feature = "sql")]
pub use error::exit_code;
pub use error::{Error, Result};
pub use frames::Frames;
pub use rows::{columns, Stored, FRAME_COLUMN};
#[cfg(feature = "sql")]
pub use sql::{Cell, Limits, Row, Session};
pub use table::{Appended, Snapshot, Table};
