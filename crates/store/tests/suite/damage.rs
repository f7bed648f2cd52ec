//! Damage: what verifies is served, what does not is refused by name, mended, replaced or given up, and never silent.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use isopod_disk::{Disk, Faults, Loss, SimulatedDisk};
use isopod_store::{AppendOutcome, Log, NewFrame, Options, Quarantine, StoreError};
use isopod_wire::FrameId;

const KEY: [u8; 16] = [7; 16];
const FOLDER: &str = "/data/log";

fn options(disk: &SimulatedDisk) -> Options {
    Options {
        segment_bytes: 4096,
        disk: Arc::new(disk.clone()),
        ..Options::default()
    }
}

fn open(disk: &SimulatedDisk) -> Log {
    Log::open(Path::new(FOLDER), options(disk)).unwrap().0
}

fn frame(sequence: u64) -> NewFrame {
    let id = FrameId {
        device: 1,
        epoch: 0,
        sequence,
    };
    NewFrame {
        key_id: KEY,
        id,
        received: sequence,
        bytes: vec![sequence as u8; 100 + sequence as usize % 7],
    }
}

/// A log of 60 frames after `kill -9`.
fn filled() -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    let log = open(&disk);
    for sequence in 0..60 {
        log.append_all(vec![frame(sequence)]).unwrap();
    }
    disk.restart(Loss::Process);
    drop(log);
    disk
}

fn segments(disk: &SimulatedDisk) -> Vec<(PathBuf, u64)> {
    let mut files = disk.files();
    files.retain(|(path, _)| path.extension().is_some_and(|ending| ending == "segment"));
    files
}

/// Sequences that are served, and the refusals in their places.
fn read(log: &Log) -> (Vec<u64>, Vec<StoreError>) {
    let (mut served, mut refused) = (Vec::new(), Vec::new());
    for found in log.frames(0) {
        match found {
            Ok(found) => {
                assert_eq!(found.bytes, frame(found.id.sequence).bytes);
                served.push(found.id.sequence);
            }
            Err(error) => refused.push(error),
        }
    }
    (served, refused)
}

#[test]
fn every_flipped_bit_of_the_log_is_mended_or_refused_by_name() {
    let disk = filled();
    let (mut mended, mut named) = (0, 0);
    for (path, length) in segments(&disk) {
        let whole = isopod_disk::read(&disk, &path, length).unwrap();
        for bit in (0..8 * length).step_by(41) {
            disk.flip(&path, bit).unwrap();
            let log = open(&disk);
            let (served, refused) = read(&log);
            match &refused[..] {
                [] => {
                    assert_eq!(served, (0..60).collect::<Vec<_>>(), "{path:?} {bit}");
                    mended += 1;
                }
                [StoreError::Lost(damage)] => {
                    let (_, id) = damage.frame().unwrap();
                    let others: Vec<_> = (0..60).filter(|one| *one != id.sequence).collect();
                    assert_eq!((served, &damage.path), (others, &path));
                    named += 1;
                }
                other => panic!("{other:?}"),
            }
            drop(log);
            // The flip is gone, so that the damage that the index remembers refuses nothing.
            let file = disk.open(&path, isopod_disk::Access::Write).unwrap();
            file.write_at(&whole[bit as usize / 8..][..1], bit / 8)
                .unwrap();
        }
    }
    assert!(mended > 100 && named > 100, "{mended} {named}");
}

#[test]
fn a_stretch_that_is_lost_hides_nothing_behind_it() {
    let disk = filled();
    let (path, _) = segments(&disk)[1].clone();
    let file = disk.open(&path, isopod_disk::Access::Write).unwrap();
    file.write_at(&[0; 700], 300).unwrap();
    let log = open(&disk);
    let (served, refused) = read(&log);
    assert!((1..=2).contains(&refused.len()), "{refused:?}");
    assert!((50..60).contains(&served.len()), "{served:?}");
    assert!(served.contains(&59) && served.contains(&0));
    assert!(refused[0].to_string().contains("from byte "), "{refused:?}");
    let given_up = log.give_up_damage().unwrap();
    assert_eq!(given_up.len(), refused.len());
    let (left, refused) = read(&log);
    assert!(refused.is_empty() && left == served, "{refused:?}");
    drop(log);
    assert_eq!(read(&open(&disk)).0, served);
}

#[test]
fn a_log_that_lost_its_end_refuses_and_goes_on_behind_it() {
    let disk = filled();
    let (path, length) = segments(&disk).pop().unwrap();
    let file = disk.open(&path, isopod_disk::Access::Write).unwrap();
    file.set_length(length / 2).unwrap();
    let log = open(&disk);
    let end = log.end();
    let stored = log.append_all(vec![frame(60)]).unwrap();
    assert!(matches!(stored[..], [AppendOutcome::Stored(position)] if position >= end));
    let (served, refused) = read(&log);
    assert!(!refused.is_empty() && served.contains(&60), "{served:?}");
    drop(log);
    assert_eq!(read(&open(&disk)).0, served);
}

/// A segment that cannot be begun leaves a file. A loss of power may undo its removal while records go on in the segment before.
#[test]
fn a_segment_that_could_not_be_begun_hides_nothing() {
    for seed in 0..200 {
        let disk = SimulatedDisk::new(seed);
        let log = open(&disk);
        let append = |sequence| drop(log.append_all(vec![frame(sequence)]).unwrap());
        (0..10).for_each(append);
        // A deletion begins a segment.
        disk.inject(Faults {
            flush_fails_after: Some(0),
            ..Faults::default()
        });
        log.delete_device(&KEY, 9).unwrap_err();
        (10..20).for_each(append);
        disk.restart(Loss::Power);
        drop(log);
        assert_eq!(
            all_served(&open(&disk)),
            Vec::from_iter(0..20),
            "seed {seed}"
        );
    }
}

/// A start that loses its power in the middle has entered some damage. The next one finds it again.
#[test]
fn damage_that_two_starts_find_stays_damage() {
    let disk = filled();
    let (path, length) = segments(&disk).swap_remove(0);
    disk.flip(&path, 4 * length + 3).unwrap();
    disk.remove(&PathBuf::from(FOLDER).join("devices")).unwrap();
    for operations in 0..400 {
        for loss in [Loss::Process, Loss::Power] {
            let disk = disk.fork();
            disk.inject(Faults {
                power_after: Some(operations),
                ..Faults::default()
            });
            let options = Options {
                changed_devices: 1,
                ..options(&disk)
            };
            drop(Log::open(Path::new(FOLDER), options));
            disk.restart(loss);
            let (served, refused) = read(&open(&disk));
            assert_eq!(
                (served.len(), refused.len()),
                (59, 1),
                "{operations} {loss:?}"
            );
        }
    }
}

fn all_served(log: &Log) -> Vec<u64> {
    let (served, refused) = read(log);
    assert!(refused.is_empty(), "{refused:?}");
    served
}

#[test]
fn a_file_that_was_restored_is_damaged_no_more() {
    let disk = filled();
    let (path, _) = segments(&disk)[1].clone();
    let bit = 8 * (16 + 56 + 10);
    disk.flip(&path, bit).unwrap();
    let log = open(&disk);
    log.verify(|_| true).unwrap();
    assert_eq!(log.damage().len(), 1);
    drop(log);
    disk.flip(&path, bit).unwrap();
    let log = open(&disk);
    assert_eq!(log.damage().len(), 1);
    log.verify(|_| false).unwrap();
    assert_eq!(
        log.damage().len(),
        1,
        "a pass that ends early proves nothing"
    );
    log.verify(|_| true).unwrap();
    assert_eq!(log.damage(), []);
}

#[test]
fn a_damaged_frame_is_mended_exactly_or_comes_once_more() {
    for resends in [false, true] {
        let disk = filled();
        let (path, _) = segments(&disk)[0].clone();
        disk.flip(&path, 8 * (16 + 56 + 10)).unwrap();
        let log = open(&disk);
        log.verify(|_| true).unwrap();
        let damage = log.damage().pop().unwrap();
        assert_eq!(damage.frame(), Some((KEY, frame(0).id)));
        if resends {
            let again = log.append_all(vec![frame(0), frame(0), frame(1)]).unwrap();
            assert!(matches!(
                again[..],
                [
                    AppendOutcome::Stored(_),
                    AppendOutcome::Known,
                    AppendOutcome::Known
                ]
            ));
            assert!(!log.mend(&damage, &[frame(0)]).unwrap());
        } else {
            let other = NewFrame {
                bytes: frame(7).bytes,
                ..frame(0)
            };
            assert!(!log.mend(&damage, &[other]).unwrap());
            assert!(!log.mend(&damage, &[frame(1)]).unwrap());
            assert!(log.mend(&damage, &[frame(0)]).unwrap());
        }
        let (mut served, refused) = read(&log);
        assert!(refused.is_empty(), "{refused:?}");
        served.sort_unstable();
        assert_eq!(served, (0..60).collect::<Vec<_>>());
        assert_eq!(log.totals().frames, 60);
        drop(log);
        // Even if the index is made anew.
        disk.remove(&Path::new(FOLDER).join("devices")).unwrap();
        let log = open(&disk);
        let (mut served, refused) = read(&log);
        served.sort_unstable();
        assert!(refused.is_empty(), "{refused:?}");
        assert_eq!((served.len(), log.totals().frames), (60, 60));
    }
}

#[test]
fn an_index_that_is_damaged_is_made_anew() {
    let disk = filled();
    drop(open(&disk));
    let index = Path::new(FOLDER).join("devices");
    let length = disk.length(&index).unwrap();
    let (mut refused, mut anew) = (0, 0);
    for bit in (0..8 * length).step_by(30_011) {
        disk.flip(&index, bit).unwrap();
        // Wherever the damage is seen, the next start heals it.
        for _ in 0..2 {
            let (log, recovered) = Log::open(Path::new(FOLDER), options(&disk)).unwrap();
            anew += usize::from(recovered.records >= 60);
            match log.append_all(vec![frame(0)]) {
                Ok(known) => assert_eq!(known, [AppendOutcome::Known]),
                Err(StoreError::Index { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        let log = open(&disk);
        assert_eq!(
            log.append_all(vec![frame(0)]).unwrap(),
            [AppendOutcome::Known]
        );
        assert_eq!(log.totals().frames, 60);
    }
    assert!(anew > 2, "{refused} refused, {anew} made anew");
}

#[test]
fn a_damaged_quarantine_opens() {
    let disk = SimulatedDisk::new(1);
    let folder = Path::new("/data/quarantine");
    let open = || Quarantine::open(Arc::new(disk.clone()), folder, 1 << 20).unwrap();
    drop(open());
    let (path, length) = disk.files().pop().unwrap();
    let file = disk.open(&path, isopod_disk::Access::Write).unwrap();
    file.write_at(&vec![0; length as usize], 0).unwrap();
    assert_eq!(open().items(), 0);
}
