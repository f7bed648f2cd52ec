//! State that the log, its writer and its readers share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::index::{Devices, Index};
use crate::segments::Segments;
use crate::Position;

/// Measures of a log.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Bytes after which a new segment begins.
    pub segment_bytes: u64,
    /// Batches that may wait for the disk; beyond them writers are refused.
    pub waiting: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment_bytes: 64 << 20,
            waiting: 1024,
        }
    }
}

/// State that writer and readers share.
pub(crate) struct Shared {
    pub folder: PathBuf,
    pub segments: Segments,
    pub options: Options,
    pub index: Mutex<Index>,
    pub end: AtomicU64,
    pub maintenance: Mutex<()>,
}

impl Shared {
    pub fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets readers see all that is on disk.
    pub fn publish(&self, end: Position, entered: Devices, received: u64) {
        let mut index = self.index();
        index.devices.extend(entered);
        index.position = end;
        index.received = index.received.max(received);
        self.end.store(end, Ordering::Release);
    }

    pub fn end(&self) -> Position {
        self.end.load(Ordering::Acquire)
    }
}
