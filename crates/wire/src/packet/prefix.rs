//! The first bytes of a packet, which say whose it is: all that can be read of one whose context is not known.

use crate::codes::limit::{CONTEXTS, PACKET_BYTES};
use crate::{Result, WireError};

/// Context and sender of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PacketPrefix {
    /// Number of the context.
    pub context: u8,
    /// Number of the sender; None if the transport names it.
    pub device: Option<u64>,
    /// Bytes of the device's number.
    pub device_bytes: u8,
}

impl PacketPrefix {
    /// Reads what every packet begins with.
    ///
    /// Errors: [`WireError::Truncated`]; [`WireError::Length`] for more bytes than a packet has; [`WireError::OutOfRange`].
    pub fn read(packet: &[u8]) -> Result<Self> {
        let (&first, rest) = packet
            .split_first()
            .ok_or(WireError::Truncated { field: "packet" })?;
        if packet.len() > PACKET_BYTES {
            let allowed = format!("at most {PACKET_BYTES}");
            return Err(WireError::length("packet", packet.len(), allowed));
        }
        let (context, code) = (first % CONTEXTS as u8, first / CONTEXTS as u8);
        let device_bytes = match code {
            0..=2 => 2 * code,
            _ => return Err(WireError::out_of_range("device_bytes", code, "0, 1 or 2")),
        };
        let number = rest
            .get(..device_bytes.into())
            .ok_or(WireError::Truncated { field: "device" })?;
        let device = (!number.is_empty()).then(|| little_endian(number));
        Ok(Self {
            context,
            device,
            device_bytes,
        })
    }
}

/// The number that some bytes stand for, at most eight.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
