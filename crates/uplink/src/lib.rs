#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chirpstack;
mod error;
mod fields;
mod format;
mod limits;
mod lorawan;
mod payload;
mod senders;
mod sigfox;
mod things_stack;
mod uplink;

pub use error::{Result, TableError, UplinkError};
pub use format::Format;
pub use limits::{MOST_BODY_BYTES, MOST_PAYLOAD_BYTES, MOST_TABLE_BYTES};
pub use senders::Senders;
pub use uplink::{Sender, Uplink};
