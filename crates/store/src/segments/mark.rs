//! The mark of what is acknowledged: the position behind the last record whose flush succeeded, written and flushed before a
//! sender is told.
//!
//! With it, bytes that do not verify are damage if they lie before the mark, and a torn tail if they lie behind it. The file
//! has two slots of a sector each, written in turns, so that a write that is interrupted leaves the mark before it.

use std::io;
use std::path::{Path, PathBuf};

use isopod_disk::{Access, Disk, DiskFile};

use crate::error::{Result, StoreError};
use crate::Position;

const FILE: &str = "acknowledged";
const MAGIC: &[u8; 8] = b"ISOPODM1";
/// Bytes that a disk writes whole or not at all.
const SLOT: usize = 512;
/// Bytes of a slot that carry content: magic, number, position and CRC-32C.
const USED: usize = 28;

/// State of a mark file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MarkState {
    /// There is none: the log is new, or somebody took it away.
    #[default]
    Missing,
    /// It says how far all is acknowledged.
    Whole,
    /// A slot of it is damaged, so that a later mark may be lost.
    Damaged,
}

/// Knowledge about how far a log is acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    /// Position up to which all is acknowledged.
    pub end: Position,
    pub mark: MarkState,
}

/// The mark file of a log.
pub(crate) struct Mark {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    number: u64,
}

impl Mark {
    /// Opens the mark of a log, and makes it.
    pub fn open(disk: &dyn Disk, folder: &Path) -> Result<(Self, Acknowledged)> {
        let path = folder.join(FILE);
        let (file, is_new) = match disk.open(&path, Access::Write) {
            Ok(file) => (file, false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = disk.open(&path, Access::New);
                (file.map_err(StoreError::file(&path))?, true)
            }
            Err(error) => return Err(StoreError::file(&path)(error)),
        };
        let mut bytes = [0; 2 * SLOT];
        let read = file.read_at(&mut bytes, 0);
        read.map_err(StoreError::file(&path))?;
        let slots = [parse(&bytes[..SLOT]), parse(&bytes[SLOT..])];
        let newest = slots.iter().filter_map(|slot| slot.ok().flatten()).max();
        let mark = Self {
            file,
            number: newest.map_or(0, |(number, _)| number),
            path,
        };
        if is_new {
            disk.sync_folder(folder).map_err(StoreError::file(folder))?;
        }
        let state = match (slots.iter().any(|slot| slot.is_err()), newest) {
            (true, _) => MarkState::Damaged,
            (false, Some(_)) => MarkState::Whole,
            (false, None) => MarkState::Missing,
        };
        let acknowledged = Acknowledged {
            end: newest.map_or(0, |(_, end)| end),
            mark: state,
        };
        Ok((mark, acknowledged))
    }

    /// Marks that all before a position is acknowledged, durably.
    ///
    /// Errors: after one it is not known what the mark says.
    pub fn set(&mut self, end: Position) -> Result<()> {
        self.number += 1;
        let mut slot = [0; SLOT];
        slot[..8].copy_from_slice(MAGIC);
        slot[8..16].copy_from_slice(&self.number.to_le_bytes());
        slot[16..24].copy_from_slice(&end.to_le_bytes());
        let crc = crc32c::crc32c(&slot[..24]);
        slot[24..USED].copy_from_slice(&crc.to_le_bytes());
        let offset = (self.number % 2) * SLOT as u64;
        let written = self.file.write_at(&slot, offset);
        written
            .and_then(|()| self.file.sync())
            .map_err(StoreError::file(&self.path))
    }
}

/// Number and position of a slot; None for one that was never written; an error for damage.
fn parse(slot: &[u8]) -> std::result::Result<Option<(u64, Position)>, ()> {
    if slot.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let number = |at: usize| {
        let bytes = slot[at..at + 8].try_into().unwrap_or_default();
        u64::from_le_bytes(bytes)
    };
    let is_whole = slot[..8] == *MAGIC
        && slot[24..USED] == crc32c::crc32c(&slot[..24]).to_le_bytes()
        && slot[USED..].iter().all(|byte| *byte == 0);
    is_whole.then(|| Some((number(8), number(16)))).ok_or(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use isopod_disk::SimulatedDisk;

    use super::*;

    #[test]
    fn the_newest_mark_counts_and_a_flipped_bit_is_noticed() {
        let disk = SimulatedDisk::new(1);
        let folder = Path::new("/log");
        disk.make_folder(folder).unwrap();
        let read = || Mark::open(&disk, folder).unwrap().1;
        let (mut mark, found) = Mark::open(&disk, folder).unwrap();
        assert_eq!(found, Acknowledged::default());
        for end in [16, 100, 250] {
            mark.set(end).unwrap();
            assert_eq!((read().end, read().mark), (end, MarkState::Whole));
        }
        for bit in 0..8 * SLOT as u64 {
            let (newest, older) = (8 * SLOT as u64 + bit, bit);
            disk.flip(&folder.join(FILE), newest).unwrap();
            assert_eq!((read().end, read().mark), (100, MarkState::Damaged));
            disk.flip(&folder.join(FILE), newest).unwrap();
            disk.flip(&folder.join(FILE), older).unwrap();
            assert_eq!((read().end, read().mark), (250, MarkState::Damaged));
            disk.flip(&folder.join(FILE), older).unwrap();
        }
    }
}
