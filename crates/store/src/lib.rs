#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod files;
mod index;
mod log;
mod quarantine;
mod reader;
mod record;
mod retention;
mod segments;
mod shared;
mod writer;

pub use error::{Result, StoreError};
pub use index::DeviceState;
pub use log::{Log, Recovered};
pub use quarantine::{Quarantine, Refused};
pub use reader::{Frames, Stored};
pub use record::Head;
pub use shared::{Durations, Options};
#[cfg(feature = "acknowledge-early")]
pub use writer::early;
pub use writer::{AppendOutcome, Done, NewFrame};

/// Position of a record: bytes of all records and headers before it, since the log began.
pub type Position = u64;
