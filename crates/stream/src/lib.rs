#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod judgement;
mod partition;
mod quarantine;
mod state;
mod state_file;
mod stream;
mod table;

pub use error::{Error, Result};
pub use isopod_store::NewFrame;
pub use judgement::Judgement;
pub use partition::Partition;
pub use quarantine::RefusedRecord;
pub use stream::{Committed, Folders, Stream};
