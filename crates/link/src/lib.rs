#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod packet;
mod receiver;
mod serial;
mod transfers;

pub use receiver::{Event, Receiver};
pub use serial::{crc32c, serial_bytes, SerialReader};
pub use transfers::{LinkError, Transfers};

/// The longest packet that is read: a datagram.
pub const MOST_PACKET_BYTES: usize = 65_535;
/// The longest transfer that is put together, in bytes.
pub const MOST_TRANSFER_BYTES: usize = 1 << 26;
