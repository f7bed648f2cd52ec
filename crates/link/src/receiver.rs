//! The receiver's side of a transfer with answers (`spec/link.md`, sections 1 and 2).

use std::collections::BTreeMap;

use crate::packet::DataPacket;
use crate::MOST_TRANSFER_BYTES;

const ANSWER: u8 = 0x80;
/// Packets that a sender holds, at most.
const WINDOW: u16 = 32;

/// The outcome of one packet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The bytes of a transfer that is whole.
    pub whole: Option<Vec<u8>>,
    /// A packet for the sender.
    pub answer: Option<Vec<u8>>,
    /// An earlier transfer stays incomplete: packets of it that arrived.
    pub given_up: Option<usize>,
}

/// One transfer in progress.
#[derive(Debug, Default)]
struct Transfer {
    number: u16,
    /// The first packet that is missing.
    missing: u16,
    /// Bytes of the packets before.
    bytes: Vec<u8>,
    /// Packets behind it.
    later: BTreeMap<u16, Vec<u8>>,
    last: Option<u16>,
}

impl Transfer {
    fn is_whole(&self) -> bool {
        self.last.is_some_and(|last| self.missing > last)
    }

    /// Keeps a packet, whether or not it arrived before; false if the transfer has no room for it.
    fn keep(&mut self, packet: &DataPacket<'_>) -> bool {
        let DataPacket {
            number, payload, ..
        } = *packet;
        if self.is_whole() || number < self.missing {
            return true;
        }
        let held: usize = self.later.values().map(Vec::len).sum();
        if number - self.missing > WINDOW
            || self.bytes.len() + held + payload.len() > MOST_TRANSFER_BYTES
        {
            return false;
        }
        if packet.is_last {
            self.last = Some(number);
        }
        self.later.insert(number, payload.to_vec());
        while let Some(payload) = self.later.remove(&self.missing) {
            self.bytes.extend(payload);
            self.missing += 1;
        }
        true
    }

    fn answer(&self) -> Vec<u8> {
        let bit = |number: &u16| 1_u32 << (number - self.missing - 1);
        let known: u32 = self.later.keys().map(bit).sum();
        let [transfer, missing] = [self.number, self.missing].map(u16::to_le_bytes);
        [&[ANSWER], &transfer[..], &missing, &known.to_le_bytes()].concat()
    }
}

/// Puts transfers together, one after the other. Bytes of any origin may be given.
#[derive(Debug, Default)]
pub struct Receiver {
    transfer: Option<Transfer>,
}

impl Receiver {
    /// Takes a packet; one that is none changes nothing.
    pub fn take(&mut self, packet: &[u8]) -> Event {
        let Some(packet) = DataPacket::read(packet) else {
            return Event::default();
        };
        let given_up = self.turn_to(packet.transfer);
        let Some(current) = &mut self.transfer else {
            return Event::default();
        };
        let was_whole = current.is_whole();
        let is_kept = current.keep(&packet);
        let is_new = current.is_whole() && !was_whole;
        Event {
            whole: is_new.then(|| std::mem::take(&mut current.bytes)),
            answer: (is_kept && packet.asks).then(|| current.answer()),
            given_up,
        }
    }

    /// Packets of a transfer that is not whole, at the end of the input.
    pub fn unfinished(&self) -> Option<usize> {
        let open = self
            .transfer
            .as_ref()
            .filter(|transfer| !transfer.is_whole())?;
        Some(usize::from(open.missing) + open.later.len())
    }

    /// Begins another transfer where the packet is not of the present one.
    fn turn_to(&mut self, number: u16) -> Option<usize> {
        if self
            .transfer
            .as_ref()
            .is_some_and(|transfer| transfer.number == number)
        {
            return None;
        }
        let given_up = self.unfinished();
        self.transfer = Some(Transfer {
            number,
            ..Transfer::default()
        });
        given_up
    }
}
