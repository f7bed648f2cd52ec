//! An uplink, and who sent it.

use std::fmt;

use crate::error::{shown, Result, UplinkError};

/// Ports of applications (`[LORAWAN20]`, section 4.3.2); 0 has MAC commands, those above are reserved or of tests.
const APPLICATION_PORTS: std::ops::RangeInclusive<u8> = 1..=223;

/// Digits of an EUI.
const EUI_DIGITS: usize = 16;
/// Most digits of a Sigfox device.
const SIGFOX_DIGITS: usize = 8;

/// Identifier of a radio, by which its network names the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sender {
    /// DevEUI of LoRaWAN.
    Eui(u64),
    /// Device of Sigfox.
    Sigfox(u32),
}

impl Sender {
    /// The EUI with these digits.
    pub(crate) fn eui(text: &str) -> Option<Self> {
        let number = hexadecimal(text).filter(|_| text.len() == EUI_DIGITS)?;
        Some(Self::Eui(number))
    }

    /// The Sigfox device with these digits. Sigfox leaves out leading zeros.
    pub(crate) fn sigfox(text: &str) -> Option<Self> {
        let number = hexadecimal(text).filter(|_| text.len() <= SIGFOX_DIGITS)?;
        u32::try_from(number).ok().map(Self::Sigfox)
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eui(number) => write!(out, "{number:016x}"),
            Self::Sigfox(number) => write!(out, "{number:X}"),
        }
    }
}

/// The number with these digits, without a sign.
fn hexadecimal(text: &str) -> Option<u64> {
    let all_digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(text, 16).ok().filter(|_| all_digits)
}

/// Bytes that a device sent, as its network delivers them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uplink {
    /// The radio.
    pub sender: Sender,
    /// Port of LoRaWAN; none in Sigfox.
    pub port: Option<u8>,
    /// Counter of the network, which is not that of the packet; none where a Sigfox callback leaves it out.
    pub counter: Option<u32>,
    /// Bytes that the device gave to its radio.
    pub payload: Vec<u8>,
}

impl Uplink {
    /// Whether a packet may be in it: Sigfox has no ports; in LoRaWAN it must be one of these, or of an application if none is
    /// given.
    pub fn may_hold_packet(&self, ports: &[u8]) -> bool {
        match (self.sender, self.port) {
            (Sender::Sigfox(_), _) => true,
            (Sender::Eui(_), Some(port)) if ports.is_empty() => APPLICATION_PORTS.contains(&port),
            (Sender::Eui(_), Some(port)) => ports.contains(&port),
            (Sender::Eui(_), None) => false,
        }
    }
}

/// The radio that a field names.
pub(crate) fn sender(
    field: &'static str,
    text: Option<String>,
    read: impl Fn(&str) -> Option<Sender>,
    allowed: &'static str,
) -> Result<Sender> {
    let text = text.ok_or_else(|| UplinkError::field(field, "missing", allowed))?;
    read(&text).ok_or_else(|| UplinkError::field(field, &shown(&text), allowed))
}
