//! The form of the file before version 1 of the tables: all frames one after the other, read once and converted.

use std::collections::BTreeMap;

use isopod_wire::KeyId;

use super::ranges::{Range, Ranges};
use crate::record::{Magic, Numbers};

/// First bytes of the former file.
pub(super) const MAGIC: &Magic = b"ISOPODR2";

/// Frames by device.
pub(super) type Table = BTreeMap<u64, Ranges>;

/// Known frames, the frames of each request, and the number of the next answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Former {
    pub(super) key_id: KeyId,
    pub(super) next: u64,
    pub(super) known: Table,
    pub(super) entered: BTreeMap<[u8; 32], Table>,
}

impl Former {
    /// The memory in the bytes of a file; None for others.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        let mut former = Self {
            key_id: numbers.bytes()?,
            next: numbers.u64()?,
            known: read_table(&mut numbers)?,
            entered: BTreeMap::new(),
        };
        while !numbers.0.is_empty() {
            let request = numbers.bytes()?;
            ascending(&former.entered, &request)?;
            former.entered.insert(request, read_table(&mut numbers)?);
        }
        Some(former)
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
