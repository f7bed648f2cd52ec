//! The receiver's side of a transfer (`spec/link.md`, sections 1 and 2).

use std::collections::BTreeMap;

use crate::MOST_TRANSFER_BYTES;

const HEADER_BYTES: usize = 5;
const DATA: u8 = 0x10;
const LAST: u8 = 0x20;
const ASKS: u8 = 0x40;
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
    fn keep(&mut self, number: u16, payload: &[u8], is_last: bool) -> bool {
        if self.is_whole() || number < self.missing {
            return true;
        }
        let held: usize = self.later.values().map(Vec::len).sum();
        if number - self.missing > WINDOW
            || self.bytes.len() + held + payload.len() > MOST_TRANSFER_BYTES
        {
            return false;
        }
        if is_last {
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
        let Some((kind, transfer, number, payload)) = parsed(packet) else {
            return Event::default();
        };
        let given_up = self.turn_to(transfer);
        let Some(current) = &mut self.transfer else {
            return Event::default();
        };
        let was_whole = current.is_whole();
        let is_kept = current.keep(number, payload, kind & LAST != 0);
        let is_new = current.is_whole() && !was_whole;
        Event {
            whole: is_new.then(|| std::mem::take(&mut current.bytes)),
            answer: (is_kept && kind & ASKS != 0).then(|| current.answer()),
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

/// Kind, transfer, number and payload of a data packet.
fn parsed(packet: &[u8]) -> Option<(u8, u16, u16, &[u8])> {
    let (head, payload) = packet.split_at_checked(HEADER_BYTES)?;
    let number = u16::from_le_bytes([head[3], head[4]]);
    let is_data = head[0] & !(LAST | ASKS) == DATA && number != u16::MAX;
    is_data.then(|| {
        (
            head[0],
            u16::from_le_bytes([head[1], head[2]]),
            number,
            payload,
        )
    })
}
