//! Transfers of many senders that get no answers (`spec/link.md`, section 3). They are bounded, as nobody knows yet whether their
//! bytes are authentic.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use thiserror::Error;

use crate::packet::DataPacket;

/// Packets of a transfer: as many as the memory of its sender holds.
const MOST_PACKETS: u16 = 32;
/// Transfers of one sender that wait for packets. A network delivers late, so that packets of several may alternate.
const OF_SENDER: usize = 4;
/// Bytes of the packets of all senders, and the part of them that each packet takes beside its payload.
const BYTES_IN_ALL: usize = 64 << 20;
const BYTES_OF_PACKET: usize = 128;
/// Milliseconds that a transfer waits for its next packet.
const PATIENCE: u64 = 24 * 3600 * 1000;

/// Why a packet is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    /// Bytes that are no data packet.
    #[error(
        "fragment: {0} bytes that are no data packet; allowed are those of spec/link.md, section 1"
    )]
    Packet(usize),
    /// A number that no transfer without answers has.
    #[error("fragment: number {0}; allowed are 0 to 31, as nothing asks for a packet again")]
    Number(u16),
}

/// A transfer in progress.
#[derive(Default)]
struct Open {
    /// Place in the order of the last packets of all transfers.
    touched: u64,
    time: u64,
    packets: BTreeMap<u16, Vec<u8>>,
    last: Option<u16>,
}

impl Open {
    /// Whether the packet cannot be of this transfer: another one had the number before.
    fn differs(&self, packet: &DataPacket<'_>) -> bool {
        let same = self.packets.get(&packet.number);
        let newest = self
            .packets
            .last_key_value()
            .map_or(0, |(number, _)| *number);
        let ends_elsewhere = self
            .last
            .is_some_and(|last| packet.number > last || packet.is_last != (packet.number == last));
        let ends_too_early = packet.is_last && packet.number < newest;
        same.is_some_and(|same| same != packet.payload) || ends_elsewhere || ends_too_early
    }

    fn is_whole(&self) -> bool {
        self.last
            .is_some_and(|last| self.packets.len() == usize::from(last) + 1)
    }

    fn bytes(&self) -> usize {
        self.packets
            .values()
            .map(|payload| payload.len() + BYTES_OF_PACKET)
            .sum()
    }
}

/// Puts transfers of many senders together. Packets come in any order and any number of times.
pub struct Transfers<Sender> {
    open: HashMap<(Sender, u16), Open>,
    /// Numbers of the transfers of each sender.
    senders: HashMap<Sender, Vec<u16>>,
    /// Transfers by their last packets, the oldest first.
    order: BTreeMap<u64, (Sender, u16)>,
    touches: u64,
    bytes: usize,
}

impl<Sender> Default for Transfers<Sender> {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            senders: HashMap::new(),
            order: BTreeMap::new(),
            touches: 0,
            bytes: 0,
        }
    }
}

impl<Sender: Copy + Eq + Hash> Transfers<Sender> {
    /// Takes a packet that came at a time, in milliseconds; gives the bytes of the transfer that is whole by it. Where there are
    /// too many transfers, those whose last packets came first are given up: of the same sender, then of all.
    ///
    /// # Errors
    /// Bytes that are no packet; a number beyond the bound. What came before stays.
    pub fn take(
        &mut self,
        sender: Sender,
        packet: &[u8],
        time: u64,
    ) -> Result<Option<Vec<u8>>, LinkError> {
        let read = DataPacket::read(packet).ok_or(LinkError::Packet(packet.len()))?;
        if read.number >= MOST_PACKETS {
            return Err(LinkError::Number(read.number));
        }
        self.forget_before(time.saturating_sub(PATIENCE));
        let name = (sender, read.transfer);
        let mut open = self.remove(name).unwrap_or_default();
        if open.differs(&read) {
            open = Open::default();
        }
        if read.is_last {
            open.last = Some(read.number);
        }
        open.packets
            .entry(read.number)
            .or_insert_with(|| read.payload.to_vec());
        if open.is_whole() {
            return Ok(Some(open.packets.into_values().flatten().collect()));
        }
        open.time = time;
        self.insert(name, open);
        Ok(None)
    }

    /// How many transfers wait for packets.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn insert(&mut self, name: (Sender, u16), mut open: Open) {
        let bytes = open.bytes();
        while self.senders.get(&name.0).map_or(0, Vec::len) >= OF_SENDER {
            self.forget_oldest_of(name.0);
        }
        while !self.is_empty() && self.bytes + bytes > BYTES_IN_ALL {
            self.forget_oldest();
        }
        self.touches += 1;
        open.touched = self.touches;
        self.bytes += bytes;
        self.order.insert(open.touched, name);
        self.senders.entry(name.0).or_default().push(name.1);
        self.open.insert(name, open);
    }

    fn remove(&mut self, name: (Sender, u16)) -> Option<Open> {
        let open = self.open.remove(&name)?;
        self.order.remove(&open.touched);
        self.bytes -= open.bytes();
        if let Some(numbers) = self.senders.get_mut(&name.0) {
            numbers.retain(|number| *number != name.1);
            if numbers.is_empty() {
                self.senders.remove(&name.0);
            }
        }
        Some(open)
    }

    /// Its numbers stand in the order of their last packets.
    fn forget_oldest_of(&mut self, sender: Sender) {
        let oldest = self
            .senders
            .get(&sender)
            .and_then(|numbers| numbers.first());
        if let Some(number) = oldest.copied() {
            self.remove((sender, number));
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(name) = self.order.first_key_value().map(|(_, name)| *name) {
            self.remove(name);
        }
    }

    fn forget_before(&mut self, time: u64) {
        while let Some(name) = self.order.first_key_value().map(|(_, name)| *name) {
            if self.open.get(&name).is_none_or(|open| open.time >= time) {
                return;
            }
            self.remove(name);
        }
    }
}
