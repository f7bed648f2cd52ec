//! Why a context or a packet is refused.

use isopod_wire::codes::limit::PACKET_RANDOM;
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
    /// A packet whose context the server does not have yet.
    #[error("context: {number} of device {device} is unknown; let the device send it, or its owner register it")]
    UnknownContext {
        /// The device.
        device: u64,
        /// The context's number.
        number: u8,
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
    /// Too many packets with random counters.
    #[error(
        "naming: context {number} of device {device} has {} packets with random counters, the most that are allowed; register \
         another one",
        PACKET_RANDOM
    )]
    Exhausted {
        /// The device.
        device: u64,
        /// The context's number.
        number: u8,
    },
    /// Too many false tags of four bytes.
    #[error("tag: device {device} sent 65536 false tags of 4 bytes; its packets are refused until its owner allows them again")]
    Guessed {
        /// The device.
        device: u64,
    },
}
