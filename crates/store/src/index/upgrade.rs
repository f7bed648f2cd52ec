//! The index of version 0.2, a file of all devices, becomes the database of today.

use std::path::Path;

use isopod_disk::Disk;
use isopod_keys::Seen;

use super::{Changes, Database, DeviceState, Name};
use crate::error::{Result, StoreError};

const FILE: &str = "index";
const MAGIC: &[u8; 8] = b"ISOPODX1";
/// Most bytes that version 0.2 read.
const MOST_BYTES: u64 = 1 << 30;
/// Devices of a commit.
const BATCH: usize = 1 << 18;

/// Fills a new database from the index of version 0.2 in a log's folder, if there is one, and removes it. One that is damaged is
/// left where it is, as if it were missing.
pub(super) fn upgrade(disk: &dyn Disk, folder: &Path, database: &Database) -> Result<()> {
    let path = folder.join(FILE);
    let Ok(bytes) = isopod_disk::read(disk, &path, MOST_BYTES) else {
        return Ok(());
    };
    let Some(mut numbers) = checked(&bytes).map(Numbers) else {
        return Ok(());
    };
    if fill(&mut numbers, database)?.is_some() {
        disk.remove(&path)
            .and_then(|()| disk.sync_folder(folder))
            .map_err(StoreError::file(&path))?;
    }
    Ok(())
}

/// None for bytes that are no index. The position comes with the last commit, so that one that breaks off is done again.
fn fill(numbers: &mut Numbers<'_>, database: &Database) -> Result<Option<()>> {
    let (Some(position), Some(received), Some(_)) = (numbers.u64(), numbers.u64(), numbers.u64())
    else {
        return Ok(None);
    };
    let mut changes = Changes::default();
    while !numbers.0.is_empty() {
        let Some((name, state)) = device(numbers) else {
            return Ok(None);
        };
        changes.totals.enter(&state);
        changes.devices.insert(name, state);
        if changes.devices.len() >= BATCH {
            database.commit(&changes)?;
            changes.devices.clear();
        }
    }
    // The frames in the log are counted from its begin up to this position at the opening.
    (changes.position, changes.begin, changes.received) = (position, position, received);
    database.commit(&changes)?;
    Ok(Some(()))
}

fn device(numbers: &mut Numbers<'_>) -> Option<(Name, DeviceState)> {
    let name = (numbers.take()?, numbers.u64()?);
    let (frames, bytes, received) = (numbers.u64()?, numbers.u64()?, numbers.u64()?);
    let mut ranges = Vec::new();
    for _ in 0..numbers.u64()? {
        let epoch = u32::from_le_bytes(numbers.take()?);
        ranges.push((epoch, numbers.u64()?, numbers.u64()?));
    }
    let state = DeviceState {
        seen: Seen::of(ranges)?,
        frames,
        bytes,
        received,
    };
    Some((name, state))
}

/// The content behind the magic and before the checksum.
fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (content, crc) = bytes.split_last_chunk()?;
    let is_whole = crc32c::crc32c(content) == u32::from_le_bytes(*crc);
    content.strip_prefix(MAGIC).filter(|_| is_whole)
}

/// Numbers, one after the other.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}
