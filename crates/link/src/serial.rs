//! Packets on byte streams (`spec/link.md`, section 4): CRC-32C `[CASTAGNOLI93]`, consistent overhead byte stuffing `[COBS99]`.

use crate::MOST_PACKET_BYTES;

const CRC_BYTES: usize = 4;
const LONGEST_BLOCK: u8 = 255;
/// The generator polynomial, reflected.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// The CRC-32C of bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), step);
    !bytes.iter().fold(u32::MAX, byte)
}

/// A packet as bytes of a stream, with a zero at both ends.
pub fn serial_bytes(packet: &[u8]) -> Vec<u8> {
    let crc = crc32c(packet).to_le_bytes();
    let (mut out, mut code) = (vec![0, 0], 1);
    for &byte in packet.iter().chain(&crc) {
        if byte != 0 {
            out.push(byte);
        }
        let length = out.len() - code;
        if byte == 0 || length == usize::from(LONGEST_BLOCK) {
            out[code] = length as u8;
            code = out.len();
            out.push(0);
        }
    }
    out[code] = (out.len() - code) as u8;
    out.push(0);
    out
}

/// Finds packets in a stream of bytes, whatever was lost before.
#[derive(Debug, Default)]
pub struct SerialReader {
    block: Vec<u8>,
    is_too_long: bool,
    /// Packets that were dropped since their sum did not verify, or since they were too long.
    pub damaged: u64,
}

impl SerialReader {
    /// Takes one byte; the packet that it completes.
    pub fn read(&mut self, byte: u8) -> Option<Vec<u8>> {
        if byte != 0 {
            let most = MOST_PACKET_BYTES + MOST_PACKET_BYTES / 254 + 8;
            self.is_too_long |= self.block.len() == most;
            if !self.is_too_long {
                self.block.push(byte);
            }
            return None;
        }
        if self.block.is_empty() {
            return None;
        }
        let packet = if self.is_too_long {
            None
        } else {
            verified(&self.block)
        };
        self.damaged += u64::from(packet.is_none());
        self.block.clear();
        self.is_too_long = false;
        packet
    }
}

/// The packet of a stuffed block, if its sum verifies.
fn verified(block: &[u8]) -> Option<Vec<u8>> {
    let mut packet = unstuffed(block)?;
    let at = packet.len().checked_sub(CRC_BYTES).filter(|at| *at > 0)?;
    let sum = packet.split_off(at);
    (crc32c(&packet).to_le_bytes() == sum[..]).then_some(packet)
}

fn unstuffed(mut block: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(block.len());
    while let Some((&code, rest)) = block.split_first() {
        let (bytes, later) = rest.split_at_checked(usize::from(code) - 1)?;
        out.extend_from_slice(bytes);
        if code != LONGEST_BLOCK && !later.is_empty() {
            out.push(0);
        }
        block = later;
    }
    Some(out)
}
