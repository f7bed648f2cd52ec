//! The disk under the data folder: its room, whether writes found some, and files that are replaced as a whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use isopod_store::StoreError;
use rustix::fs::{fallocate, statvfs, FallocateFlags};

/// Bytes that must fit after a write found no room, before the disk counts as having some.
const PROBE_BYTES: u64 = 1 << 20;

/// Room on a disk.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes that the server may still take.
    pub free: u64,
    /// Bytes of the whole disk.
    pub size: u64,
}

/// The disk under a folder.
pub struct Disk {
    folder: PathBuf,
    least: u64,
    is_full: AtomicBool,
}

impl Disk {
    /// The disk under a folder, which should have at least so many bytes of room.
    pub fn new(folder: PathBuf, least: u64) -> Self {
        Self {
            folder,
            least,
            is_full: AtomicBool::new(false),
        }
    }

    /// Room on the disk; None if it cannot be told.
    pub fn room(&self) -> Option<Room> {
        let found = statvfs(&self.folder).ok()?;
        Some(Room {
            free: found.f_bavail.saturating_mul(found.f_frsize),
            size: found.f_blocks.saturating_mul(found.f_frsize),
        })
    }

    /// Learns from a write whether there was room for it.
    pub fn wrote<T>(&self, written: &Result<T, StoreError>) {
        match written {
            Ok(_) => self.is_full.store(false, Ordering::Release),
            Err(StoreError::Full { .. }) => self.is_full.store(true, Ordering::Release),
            Err(_) => {}
        }
    }

    /// Looks again for room after a write found none: senders that are kept away by it would never write again.
    pub fn probe(&self) {
        if self.is_full.load(Ordering::Acquire) && self.takes(PROBE_BYTES).is_ok() {
            self.is_full.store(false, Ordering::Release);
        }
    }

    /// Why there is too little room; None if there is enough.
    pub fn problem(&self) -> Option<String> {
        if self.is_full.load(Ordering::Acquire) {
            return Some("the disk is full: the last write found no room".to_owned());
        }
        let (free, least) = (self.room()?.free, self.least);
        (free < least).then(|| {
            let (free, least) = (free >> 20, least >> 20);
            format!("the disk has {free} MB of room; wanted are {least} (--least-room-mb)")
        })
    }

    fn takes(&self, bytes: u64) -> io::Result<()> {
        let path = self.folder.join("room.partial");
        let file = File::create(&path)?;
        let taken = fallocate(&file, FallocateFlags::empty(), 0, bytes);
        fs::remove_file(&path)?;
        Ok(taken?)
    }
}

/// Replaces a file as a whole, durably: at every moment the old content or the new is there.
///
/// # Errors
/// The disk's.
pub fn replace(disk: &dyn isopod_disk::Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    isopod_disk::replace(disk, path, &mut |file| file.write_at(bytes, 0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;

    fn full() -> Result<(), StoreError> {
        Err(StoreError::Full {
            path: PathBuf::new(),
            source: Arc::new(io::ErrorKind::StorageFull.into()),
        })
    }

    #[test]
    fn a_write_without_room_counts_until_one_finds_some() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path().to_owned(), 1);
        assert_eq!(disk.problem(), None);
        disk.wrote(&full());
        assert!(disk.problem().unwrap().contains("full"));
        disk.wrote::<()>(&Err(StoreError::Broken));
        assert!(disk.problem().is_some());
        disk.wrote(&Ok(()));
        assert_eq!(disk.problem(), None);
    }

    #[test]
    fn a_probe_finds_room_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path().to_owned(), 1);
        disk.wrote(&full());
        disk.probe();
        assert_eq!(disk.problem(), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let nowhere = Disk::new(folder.path().join("none"), 1);
        nowhere.wrote(&full());
        nowhere.probe();
        assert!(nowhere.problem().is_some());
    }

    #[test]
    fn little_room_is_a_problem_that_names_the_bound() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path().to_owned(), u64::MAX);
        assert!(disk.problem().unwrap().contains("--least-room-mb"));
    }
}
