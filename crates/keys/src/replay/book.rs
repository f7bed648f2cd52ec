//! All that a server remembers of frames, in memory and as bytes.

use std::collections::BTreeMap;

use isopod_wire::{FrameId, KeyId};

use super::ranges::{Range, Ranges};
use super::{window, MOST_RANGES};
use crate::error::{KeysError, Result};
use crate::record::Numbers;

/// Digest of a request.
pub(super) type Request = [u8; 32];
/// Frames by device.
type Table = BTreeMap<u64, Ranges>;

/// Known frames, the frames of each request, and the number of the next answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Book {
    pub(super) key_id: KeyId,
    next: u64,
    known: Table,
    entered: BTreeMap<Request, Table>,
}

impl Book {
    /// A book without frames.
    pub(super) fn new(key_id: KeyId) -> Self {
        Self {
            key_id,
            next: 0,
            known: Table::new(),
            entered: BTreeMap::new(),
        }
    }

    /// Refuses frames that are stale, that occur twice, or that entered an answer to the request before; `again` allows the last.
    pub(super) fn check(&self, frames: &[FrameId], request: &Request, again: bool) -> Result<()> {
        let mut ordered = frames.to_vec();
        ordered.sort_unstable();
        if let Some(pair) = ordered.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(repeated(pair[0]));
        }
        ordered
            .iter()
            .try_for_each(|&id| self.judge(id, request, again))
    }

    /// Refuses one frame that is stale, or that entered an answer to the request before; `again` allows the last.
    pub(super) fn judge(&self, id: FrameId, request: &Request, again: bool) -> Result<()> {
        if let Some(known) = self.known.get(&id.device) {
            window::check(known, id)?;
        }
        self.check_entered(id, request, again)
    }

    /// Refuses a frame that entered an answer to the request before, unless `again` allows it.
    pub(super) fn check_entered(&self, id: FrameId, request: &Request, again: bool) -> Result<()> {
        let entered = self.entered.get(request);
        let before = entered.and_then(|table| table.get(&id.device));
        match before.is_some_and(|ranges| ranges.contains(id.epoch, id.sequence)) && !again {
            true => Err(repeated(id)),
            false => Ok(()),
        }
    }

    /// Enters the frames of an answer, and gives the answer its number.
    pub(super) fn enter(&mut self, frames: &[FrameId], request: &Request) -> Option<u64> {
        let number = self.next;
        self.next = number.checked_add(1)?;
        let entered = self.entered.entry(*request).or_default();
        for id in frames {
            for table in [&mut self.known, &mut *entered] {
                let ranges = table.entry(id.device).or_default();
                ranges.insert(id.epoch, id.sequence);
            }
        }
        let mut devices: Vec<u64> = frames.iter().map(|id| id.device).collect();
        devices.sort_unstable();
        devices.dedup();
        devices.into_iter().for_each(|device| self.shorten(device));
        Some(number)
    }

    /// Epoch and sequence of the newest known frame of a device.
    pub(super) fn newest(&self, device: u64) -> Option<(u32, u64)> {
        let newest = self.known.get(&device)?.newest()?;
        Some((newest.epoch, newest.last))
    }

    /// Forgets a device's oldest frames in all tables where one has too many ranges.
    fn shorten(&mut self, device: u64) {
        let tables = self.entered.values().chain([&self.known]);
        let excess = tables.filter_map(|table| {
            let ranges = table.get(&device)?.all();
            let beyond = ranges.len().checked_sub(MOST_RANGES + 1)?;
            Some((ranges[beyond].epoch, ranges[beyond].last))
        });
        if let Some((epoch, last)) = excess.max() {
            for table in self.entered.values_mut().chain([&mut self.known]) {
                if let Some(ranges) = table.get_mut(&device) {
                    ranges.forget(epoch, last);
                }
            }
        }
    }

    /// The bytes that [`Book::parse`] reads.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = [&self.key_id[..], &self.next.to_le_bytes()].concat();
        write_table(&mut bytes, &self.known);
        for (request, table) in &self.entered {
            bytes.extend(request);
            write_table(&mut bytes, table);
        }
        bytes
    }

    /// A book from its bytes; None for others.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        let mut book = Self::new(numbers.bytes()?);
        book.next = numbers.u64()?;
        book.known = read_table(&mut numbers)?;
        while !numbers.0.is_empty() {
            let request = numbers.bytes()?;
            ascending(&book.entered, &request)?;
            book.entered.insert(request, read_table(&mut numbers)?);
        }
        Some(book)
    }
}

fn repeated(id: FrameId) -> KeysError {
    KeysError::Repeated {
        device: id.device,
        epoch: id.epoch,
        sequence: id.sequence,
    }
}

fn write_table(bytes: &mut Vec<u8>, table: &Table) {
    bytes.extend((table.len() as u64).to_le_bytes());
    for (device, ranges) in table {
        bytes.extend(device.to_le_bytes());
        bytes.extend((ranges.all().len() as u64).to_le_bytes());
        for range in ranges.all() {
            bytes.extend(range.epoch.to_le_bytes());
            bytes.extend(range.first.to_le_bytes());
            bytes.extend(range.last.to_le_bytes());
        }
    }
}

fn read_table(numbers: &mut Numbers<'_>) -> Option<Table> {
    let mut table = Table::new();
    for _ in 0..numbers.u64()? {
        let device = numbers.u64()?;
        ascending(&table, &device)?;
        table.insert(device, read_ranges(numbers)?);
    }
    Some(table)
}

fn read_ranges(numbers: &mut Numbers<'_>) -> Option<Ranges> {
    let mut ranges = Vec::new();
    for _ in 0..numbers.u64()? {
        ranges.push(Range {
            epoch: numbers.u32()?,
            first: numbers.u64()?,
            last: numbers.u64()?,
        });
    }
    Ranges::ordered(ranges)
}

/// None unless the key comes behind all others.
fn ascending<K: Ord, V>(map: &BTreeMap<K, V>, key: &K) -> Option<()> {
    let last = map.last_key_value();
    last.is_none_or(|(last, _)| last < key).then_some(())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
