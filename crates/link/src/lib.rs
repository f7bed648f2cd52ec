#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod receiver;
mod serial;

pub use receiver::{Event, Receiver};
pub use serial::{crc32c, serial_bytes, SerialReader};

/// The longest packet that is read: a datagram.
pub const MOST_PACKET_BYTES: usize = 65_535;
/// The longest transfer that is put together, in bytes.
pub const MOST_TRANSFER_BYTES: usize = 1 << 26;
