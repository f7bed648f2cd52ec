//! Why a context or a packet is refused.

use std::path::PathBuf;

use isopod_wire::WireError;
use thiserror::Error;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, PacketError>;

/// Reason of a refusal. Whatever is refused changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PacketError {
    /// The bytes of a context or packet.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A context of another key pair.
    #[error(
        "key: the context is of another key pair; allowed are contexts of devices of this server"
    )]
    OtherKey,
    /// A packet that does not say whose it is.
    #[error("device: the packet has no number, and its transport names no sender; allowed is one of both")]
    NoSender,
    /// A packet that says another sender than its transport.
    #[error("device: {found}, but the transport says {transport}; allowed is the same in both")]
    OtherSender {
        /// Number in the packet.
        found: u64,
        /// Number that belongs to the transport's name of the sender.
        transport: u64,
    },
    /// Another context has the number.
    #[error("number: {number} of device {device} has another context since epoch {epoch}; allowed is a newer epoch")]
    Occupied {
        /// The device.
        device: u64,
        /// The context's number.
        number: u8,
        /// The epoch since which it has its context.
        epoch: u32,
    },
    /// Too many contexts of one device.
    #[error("number: device {device} has {most} contexts, the most that are allowed; packets of all of them may be stored")]
    Crowded {
        /// The device.
        device: u64,
        /// How many there may be.
        most: usize,
    },
    /// The file of contexts cannot be read or written.
    #[error("{}: {problem}; allowed is a file that the server may read and write", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        problem: String,
    },
    /// Too many false tags of four bytes.
    #[error("tag: device {device} sent 65536 false tags of 4 bytes; allowed are none until it announces a newer epoch or sequence")]
    Guessed {
        /// The device.
        device: u64,
    },
}
