//! Data packets (`spec/link.md`, section 1).

const HEADER_BYTES: usize = 5;
const DATA: u8 = 0x10;
const LAST: u8 = 0x20;
const ASKS: u8 = 0x40;

/// A data packet.
#[derive(Debug, Clone, Copy)]
pub struct DataPacket<'a> {
    /// Number of its transfer.
    pub transfer: u16,
    /// Its own number.
    pub number: u16,
    /// Whether it ends the transfer.
    pub is_last: bool,
    /// Whether its sender asks for an answer.
    pub asks: bool,
    /// Bytes of the transfer.
    pub payload: &'a [u8],
}

impl<'a> DataPacket<'a> {
    /// The packet in these bytes; None where they are no data packet.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (head, payload) = bytes.split_at_checked(HEADER_BYTES)?;
        let number = u16::from_le_bytes([head[3], head[4]]);
        let is_data = head[0] & !(LAST | ASKS) == DATA && number != u16::MAX;
        is_data.then(|| Self {
            transfer: u16::from_le_bytes([head[1], head[2]]),
            number,
            is_last: head[0] & LAST != 0,
            asks: head[0] & ASKS != 0,
            payload,
        })
    }
}
