//! State that the log, its writer and its readers share.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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

/// Upper bounds of the classes of [`Durations`], in microseconds.
const BOUNDS: [u64; 16] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 60_000_000,
];

/// Durations counted by class, for a histogram.
#[derive(Debug, Default)]
pub struct Durations {
    classes: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl Durations {
    /// Counts one.
    pub fn add(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let class = BOUNDS.partition_point(|bound| *bound < microseconds);
        self.classes[class].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// Upper bounds in seconds, each with the number of durations up to it; the last bound is infinite.
    pub fn cumulated(&self) -> Vec<(f64, u64)> {
        let bounds = BOUNDS.iter().map(|bound| *bound as f64 / 1e6);
        let classes = bounds.chain([f64::INFINITY]).zip(&self.classes);
        let mut sum = 0;
        classes
            .map(|(bound, count)| {
                sum += count.load(Ordering::Relaxed);
                (bound, sum)
            })
            .collect()
    }

    /// Sum of all, in seconds.
    pub fn seconds(&self) -> f64 {
        self.microseconds.load(Ordering::Relaxed) as f64 / 1e6
    }
}

/// Frames that are in the log no more.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone {
    /// Position before which all frames are counted.
    pub begin: Position,
    pub frames: u64,
}

/// State that writer and readers share.
pub(crate) struct Shared {
    pub folder: PathBuf,
    pub segments: Segments,
    pub options: Options,
    pub index: Mutex<Index>,
    pub end: AtomicU64,
    pub maintenance: Mutex<()>,
    pub gone: Mutex<Gone>,
    pub flushes: Durations,
    pub is_broken: AtomicBool,
}

impl Shared {
    pub fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn gone(&self) -> MutexGuard<'_, Gone> {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Flushes a segment, and counts the time that it takes.
    pub fn flush(&self, file: &File) -> std::io::Result<()> {
        let begun = Instant::now();
        let flushed = file.sync_data();
        self.flushes.add(begun.elapsed());
        flushed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_up_to_each_bound() {
        let durations = Durations::default();
        for microseconds in [0, 250, 251, 60_000_000, 60_000_001, u64::MAX / 2] {
            durations.add(Duration::from_micros(microseconds));
        }
        let counts: Vec<u64> = durations
            .cumulated()
            .iter()
            .map(|(_, count)| *count)
            .collect();
        assert_eq!((counts[0], counts[1], counts[15], counts[16]), (2, 3, 4, 6));
        assert_eq!(counts.len(), 17);
        assert!(durations.seconds() > 9e12);
    }
}
