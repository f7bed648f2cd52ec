//! Bytes that an answer costs, beside a memory of many devices.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use isopod_disk::{Access, Disk, DiskFile, SimulatedDisk, SystemDisk};
use isopod_wire::FrameId;

use super::{id, make, FOLDER, KEY};
use crate::fleet::Revoked;
use crate::replay::{Replay, REPLAY_FILE};

#[derive(Debug, Default)]
struct Counts {
    read: AtomicU64,
    written: AtomicU64,
}

/// A disk that counts bytes.
#[derive(Debug, Clone)]
struct CountingDisk<D> {
    disk: D,
    counts: Arc<Counts>,
}

#[derive(Debug)]
struct CountingFile {
    file: Box<dyn DiskFile>,
    counts: Arc<Counts>,
}

impl<D> CountingDisk<D> {
    fn new(disk: D) -> Self {
        let counts = Arc::default();
        Self { disk, counts }
    }

    /// Bytes read and written since the last call.
    fn take(&self) -> (u64, u64) {
        let Counts { read, written } = self.counts.as_ref();
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        (take(read), take(written))
    }
}

impl<D: Disk> Disk for CountingDisk<D> {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        let (file, counts) = (self.disk.open(path, access)?, self.counts.clone());
        Ok(Box::new(CountingFile { file, counts }))
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        self.disk.lock(path)
    }
    fn wait_for_lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        self.disk.wait_for_lock(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.link(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.make_folder(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.remove_folder(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        self.disk.list(folder)
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.disk.sync_folder(folder)
    }
    fn length(&self, path: &Path) -> io::Result<u64> {
        self.disk.length(path)
    }
}

impl DiskFile for CountingFile {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = self.file.read_at(bytes, offset)?;
        self.counts.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let length = bytes.len() as u64;
        self.counts.written.fetch_add(length, Ordering::Relaxed);
        self.file.write_at(bytes, offset)
    }
    fn set_length(&self, length: u64) -> io::Result<()> {
        self.file.set_length(length)
    }
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
}

fn frames(devices: std::ops::Range<u64>, sequence: u64) -> Vec<FrameId> {
    devices.map(|device| id(device, 1, sequence)).collect()
}

#[test]
fn an_answer_writes_pages_of_its_devices_alone() {
    let disk = CountingDisk::new(SimulatedDisk::new(0));
    let replay = make(&disk);
    replay
        .commit(&frames(0..20_000, 0), &[0; 32], false)
        .unwrap();
    let size = disk.length(&Path::new(FOLDER).join(REPLAY_FILE)).unwrap();
    assert!(size > 1 << 20, "{size}");
    disk.take();
    let one = [id(7_777, 1, 1)];
    replay.judge([0; 32], false).unwrap().check(one[0]).unwrap();
    let (read, written) = disk.take();
    assert!(read < 100_000 && written == 0, "{read} {written}");
    replay.commit(&one, &[0; 32], false).unwrap();
    let (read, written) = disk.take();
    // The database's own assertions read the whole file at every opening.
    let is_little = cfg!(debug_assertions) || read < 150_000;
    assert!(is_little && written < 150_000, "{read} {written}");
}

/// Prints what ten million devices cost:
///
///     cargo test --release -p isopod-keys --lib ten_million -- --ignored --nocapture
#[test]
#[ignore = "a minute and 2 GB of disk"]
fn ten_million_devices() {
    let place = tempfile::tempdir().unwrap();
    let disk = CountingDisk::new(SystemDisk);
    Revoked::make(&disk, place.path(), KEY).unwrap();
    let replay = Replay::on(Arc::new(disk.clone()), place.path(), KEY);
    replay.file.make().unwrap();
    let all = 10_000_000;
    for request in 0..2 {
        for begin in (0..all).step_by(500_000) {
            replay
                .commit(&frames(begin..begin + 500_000, 0), &[request; 32], false)
                .unwrap();
        }
    }
    let tell = |what: &str, since: Instant| {
        let (read, written) = disk.take();
        eprintln!(
            "{what}: {:?}, {read} bytes read, {written} written, {} kB at most",
            since.elapsed(),
            peak()
        );
    };
    eprintln!(
        "file: {} bytes",
        disk.length(&place.path().join(REPLAY_FILE)).unwrap()
    );
    tell("all", Instant::now());
    let since = Instant::now();
    let judge = replay.judge([0; 32], false).unwrap();
    judge.check(id(7_777_777, 1, 1)).unwrap();
    tell("a judge of one frame", since);
    let since = Instant::now();
    frames(0..1_000_000, 1)
        .into_iter()
        .for_each(|id| judge.check(id).unwrap());
    tell("a judge of a million frames", since);
    let since = Instant::now();
    replay
        .commit(&[id(7_777_777, 1, 1)], &[0; 32], false)
        .unwrap();
    tell("an answer of one frame", since);
    assert!(replay
        .commit(&[id(9_999_999, 1, 0)], &[1; 32], false)
        .is_err());
    let since = Instant::now();
    replay
        .commit(&frames(0..500_000, 1), &[0; 32], false)
        .unwrap();
    tell("an answer of half a million frames", since);
    assert!(peak() < 500_000, "{}", peak());
}

/// Most memory of the process so far, in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
