//! State that the log, its writer and its readers share.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use isopod_disk::{Disk, DiskFile};

use crate::damage::Damage;
use crate::durations::Durations;
use crate::index::Index;
use crate::segments::records::Gap;
use crate::segments::Segments;
use crate::threads::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::threads::{Mutex, MutexGuard};
use crate::Position;

/// Measures of a log.
#[derive(Debug, Clone)]
pub struct Options {
    /// Bytes after which a new segment begins.
    pub segment_bytes: u64,
    /// Batches that may wait for the disk; beyond them writers are refused.
    pub waiting: usize,
    /// Devices that change before the index is committed, at the latest.
    pub changed_devices: usize,
    /// Position that the log has reached by what others know, such as a table: if it ends before, what lies between is damage.
    pub least_end: Position,
    /// Makes a new index from the log where it is missing or damaged, even if frames were removed from the log: these could
    /// then be stored again as new ones.
    pub forget_removed: bool,
    /// Where the files are.
    pub disk: Arc<dyn Disk>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment_bytes: 64 << 20,
            waiting: 1024,
            changed_devices: 1 << 16,
            least_end: 0,
            forget_removed: false,
            disk: isopod_disk::system(),
        }
    }
}

/// State that writer and readers share.
pub(crate) struct Shared {
    pub folder: PathBuf,
    pub segments: Segments,
    pub options: Options,
    pub index: Arc<Mutex<Index>>,
    pub end: AtomicU64,
    pub maintenance: Mutex<()>,
    pub flushes: Durations,
    pub is_broken: AtomicBool,
}

impl Shared {
    pub fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn end(&self) -> Position {
        self.end.load(Ordering::Acquire)
    }

    pub fn set_end(&self, end: Position) {
        self.end.store(end, Ordering::Release);
    }

    /// Flushes a segment, and counts the time that it takes.
    pub fn flush(&self, file: &dyn DiskFile) -> std::io::Result<()> {
        let begun = Instant::now();
        let flushed = file.sync();
        self.flushes.add(begun.elapsed());
        flushed
    }

    /// Whether nothing is stored any more until the log is opened anew.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// Stores nothing more from now on.
    pub fn give_up(&self) {
        self.is_broken.store(true, Ordering::Release);
    }

    /// Damage that a reader met; it is known from now on.
    pub fn known_damage(&self, gap: &Gap) -> Damage {
        let found = self.segments.damage(gap.position, gap.bytes, gap.head);
        let mut index = self.index();
        let mut known = index.damage.iter();
        let known =
            known.find(|known| known.position <= found.position && found.end() <= known.end());
        match known {
            Some(known) => {
                let state = known.state;
                Damage { state, ..found }
            }
            None => {
                index.damage.push(found.clone());
                found
            }
        }
    }
}
