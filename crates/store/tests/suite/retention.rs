//! Segments that retention removed: put back, deleted for good, and counted.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use isopod_store::Log;

use crate::log::{frame, names, open, segments, KEY};

/// A log of a hundred frames, one a millisecond, of three devices.
fn filled(folder: &Path) -> Log {
    let log = open(folder);
    for sequence in 0..100 {
        let frames = vec![frame(sequence % 3, 0, sequence, sequence)];
        log.append_all(frames).unwrap();
    }
    log
}

/// Frames in the log by the count of those that are gone, which must be those that can be read.
fn stored(log: &Log) -> u64 {
    let stored = log.totals().stored;
    assert_eq!(log.frames(0).count() as u64, stored);
    stored
}

/// Moves removed segments back, as an operator does while no server runs.
fn put_back(folder: &Path) {
    for removal in fs::read_dir(folder.join("removed")).unwrap() {
        for path in segments(&removal.unwrap().path()) {
            fs::rename(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
    }
}

#[test]
fn removed_segments_can_be_put_back_until_they_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(folder.path());
    let all = names(&log);
    assert_eq!(log.frames_before(50).unwrap(), 50);
    let bytes = log.retain_since(50, 1000).unwrap();
    assert_eq!(log.removed_bytes().unwrap(), bytes);
    assert!(stored(&log) < 70);
    assert_eq!(log.forget_removed(999).unwrap(), 0);
    drop(log);
    put_back(folder.path());
    let log = open(folder.path());
    assert_eq!((names(&log), stored(&log)), (all, 100));
    assert_eq!(log.retain_since(50, 2000).unwrap(), bytes);
    assert_eq!(log.forget_removed(2000).unwrap(), bytes);
    assert_eq!(log.removed_bytes().unwrap(), 0);
    assert!(fs::read_dir(folder.path().join("removed"))
        .unwrap()
        .next()
        .is_none());
    assert_eq!(log.newest(), Some(99));
}

#[test]
fn frames_are_counted_over_removals_deletions_and_starts() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(folder.path());
    assert_eq!(stored(&log), 100);
    assert_eq!(log.delete_device(&KEY, 1).unwrap(), 33);
    assert_eq!(stored(&log), 67);
    log.retain_since(30, 1000).unwrap();
    let left = stored(&log);
    log.retain_since(30, 1001).unwrap();
    assert_eq!(stored(&log), left);
    drop(log);
    assert_eq!(stored(&open(folder.path())), left);
    put_back(folder.path());
    assert_eq!(stored(&open(folder.path())), 67);
}

#[test]
fn a_removal_that_breaks_off_is_repeated_and_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(folder.path());
    // The folder of the removal cannot be made.
    fs::write(folder.path().join("removed"), b"").unwrap();
    assert!(log.retain_since(50, 1000).is_err());
    fs::remove_file(folder.path().join("removed")).unwrap();
    assert_eq!(stored(&open_again(log, folder.path())), 100);
    let log = open(folder.path());
    log.retain_since(50, 1000).unwrap();
    let left = stored(&log);
    // A crash came between two moves.
    let removal = folder.path().join("removed/1000");
    let last = segments(&removal).pop().unwrap();
    drop(log);
    fs::rename(&last, folder.path().join(last.file_name().unwrap())).unwrap();
    let log = open(folder.path());
    assert!(stored(&log) > left);
    log.retain_since(50, 2000).unwrap();
    assert_eq!(stored(&log), left);
}

fn open_again(log: Log, folder: &Path) -> Log {
    drop(log);
    open(folder)
}

#[test]
fn a_deleted_device_does_not_come_back_with_removed_segments() {
    let folder = tempfile::tempdir().unwrap();
    let log = filled(folder.path());
    log.retain_since(50, 1000).unwrap();
    log.delete_device(&KEY, 1).unwrap();
    drop(log);
    put_back(folder.path());
    let log = open(folder.path());
    assert!(names(&log).iter().all(|(device, ..)| *device != 1));
    assert_eq!(stored(&log), 67);
}

#[test]
fn a_log_without_frames_has_no_newest_and_nothing_to_remove() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    assert_eq!((log.newest(), stored(&log)), (None, 0));
    assert_eq!(log.frames_before(u64::MAX).unwrap(), 0);
    assert_eq!(log.retain_since(u64::MAX, 1).unwrap(), 0);
    assert_eq!(log.forget_removed(u64::MAX).unwrap(), 0);
}
