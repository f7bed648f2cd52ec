//! The log as its users see it: each name once, in order, within what the disk takes.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use isopod_store::{AppendOutcome, Log, NewFrame, Options, Quarantine, Refused, StoreError};
use isopod_wire::FrameId;
use proptest::prelude::*;

pub(crate) const KEY: [u8; 16] = [7; 16];

fn small() -> Options {
    Options {
        segment_bytes: 4096,
        waiting: 64,
        ..Options::default()
    }
}

pub(crate) fn frame(device: u64, epoch: u32, sequence: u64, received: u64) -> NewFrame {
    let id = FrameId {
        device,
        epoch,
        sequence,
    };
    let length = 100 + (device * 31 + sequence * 17) % 200;
    NewFrame {
        key_id: KEY,
        id,
        received,
        bytes: (0..length)
            .map(|at| (at * sequence + device) as u8)
            .collect(),
    }
}

pub(crate) fn open(folder: &Path) -> Log {
    Log::open(folder, small()).unwrap().0
}

pub(crate) fn names(log: &Log) -> Vec<(u64, u32, u64)> {
    let frames = log.frames(0).map(Result::unwrap);
    frames
        .map(|frame| (frame.id.device, frame.id.epoch, frame.id.sequence))
        .collect()
}

pub(crate) fn segments(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "segment"))
        .collect();
    found.sort();
    found
}

#[test]
fn frames_come_back_in_order_once_and_from_any_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut positions = Vec::new();
    {
        let log = open(folder.path());
        for sequence in 0..100 {
            match &log
                .append_all(vec![frame(1, 0, sequence, sequence)])
                .unwrap()[..]
            {
                [AppendOutcome::Stored(position)] => positions.push(*position),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(
            log.append_all(vec![frame(1, 0, 50, 0)]).unwrap(),
            [AppendOutcome::Known]
        );
        let twice = log
            .append_all(vec![frame(1, 0, 100, 0), frame(1, 0, 100, 0)])
            .unwrap();
        assert!(
            matches!(twice[..], [AppendOutcome::Stored(_), AppendOutcome::Known]),
            "{twice:?}"
        );
    }
    assert!(segments(folder.path()).len() > 3);
    let log = open(folder.path());
    assert_eq!(
        names(&log),
        (0..=100)
            .map(|sequence| (1, 0, sequence))
            .collect::<Vec<_>>()
    );
    for (sequence, position) in positions.iter().enumerate() {
        let found = log.frames(*position).next().unwrap().unwrap();
        assert_eq!(
            (found.position, found.id.sequence),
            (*position, sequence as u64)
        );
        assert_eq!(found.bytes, frame(1, 0, sequence as u64, 0).bytes);
    }
}

#[test]
fn a_reader_goes_on_where_the_writer_has_got_to() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let mut reader = log.frames(0).filter_by(|head| head.id.device == 2);
    for sequence in 0..50 {
        log.append_all(vec![frame(1, 0, sequence, 0), frame(2, 0, sequence, 0)])
            .unwrap();
        assert_eq!(reader.next().unwrap().unwrap().id.sequence, sequence);
        assert!(reader.next().is_none());
    }
    assert_eq!(log.frames(reader.position()).count(), 0);
}

#[test]
fn a_whole_day_replayed_is_known_and_what_is_older_is_stale() {
    let folder = tempfile::tempdir().unwrap();
    let day: Vec<_> = (5000..8000)
        .map(|sequence| frame(1, 3, sequence, 0))
        .collect();
    {
        let log = open(folder.path());
        log.append_all(day.clone()).unwrap();
        log.append_all(vec![frame(1, 4, 0, 0)]).unwrap();
    }
    let log = open(folder.path());
    assert!(log
        .append_all(day)
        .unwrap()
        .iter()
        .all(|outcome| *outcome == AppendOutcome::Known));
    for old in [
        frame(1, 3, 4999, 0),
        frame(1, 3, 8000, 0),
        frame(1, 2, 9999, 0),
    ] {
        assert!(matches!(
            log.append_all(vec![old]).unwrap()[..],
            [AppendOutcome::Stale(_)]
        ));
    }
    assert_eq!(log.frames(0).count(), 3001);
}

#[test]
fn a_clock_that_goes_back_leaves_times_in_order() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path())
        .append_all(vec![frame(1, 0, 0, 500)])
        .unwrap();
    let log = open(folder.path());
    log.append_all(vec![frame(1, 0, 1, 100), frame(1, 0, 2, 501)])
        .unwrap();
    let times: Vec<_> = log.frames(0).map(|frame| frame.unwrap().received).collect();
    assert_eq!(times, [500, 500, 501]);
}

#[test]
fn a_second_server_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    assert!(matches!(
        Log::open(folder.path(), small()),
        Err(StoreError::Locked(_))
    ));
    drop(first);
    open(folder.path());
}

#[test]
fn a_torn_end_is_cut_off_at_every_byte_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("acknowledged");
    let before = {
        let log = open(folder.path());
        let append = |sequence| drop(log.append_all(vec![frame(1, 0, sequence, 0)]).unwrap());
        (0..2).for_each(append);
        let before = fs::read(&mark).unwrap();
        append(2);
        before
    };
    // The crash came before the last frame was acknowledged, and the index has none of them.
    fs::remove_file(folder.path().join("devices")).unwrap();
    let path = &segments(folder.path())[0];
    let whole = fs::read(path).unwrap();
    let last = 56 + frame(1, 0, 2, 0).bytes.len();
    for torn in 1..=last {
        fs::write(path, &whole[..whole.len() - torn]).unwrap();
        fs::write(&mark, &before).unwrap();
        let (log, recovered) = Log::open(folder.path(), small()).unwrap();
        let left = last - torn;
        assert_eq!(
            recovered.torn_tail.map(|torn| torn.bytes),
            (left > 0).then_some(left as u64)
        );
        assert_eq!(names(&log), [(1, 0, 0), (1, 0, 1)]);
        let again = log.append_all(vec![frame(1, 0, 2, 0)]).unwrap();
        assert!(matches!(again[..], [AppendOutcome::Stored(_)]));
        drop(log);
        fs::remove_file(folder.path().join("devices")).unwrap();
        assert_eq!(fs::read(path).unwrap(), whole);
    }
}

#[test]
fn what_is_torn_is_kept_beside() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path())
        .append_all(vec![frame(1, 0, 0, 0)])
        .unwrap();
    let path = &segments(folder.path())[0];
    let mut bytes = fs::read(path).unwrap();
    bytes.extend(b"left by a crash");
    fs::write(path, bytes).unwrap();
    let (_log, recovered) = Log::open(folder.path(), small()).unwrap();
    let torn = recovered.torn_tail.unwrap();
    assert_eq!(
        (torn.bytes, fs::read(torn.kept).unwrap()),
        (15, b"left by a crash".to_vec())
    );
}

#[test]
fn retention_removes_segments_and_keeps_names() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    (0..100).for_each(|sequence| {
        drop(
            log.append_all(vec![frame(1, 0, sequence, sequence)])
                .unwrap(),
        )
    });
    assert_eq!(log.retain_since(0, 1000).unwrap(), 0);
    assert!(log.retain_since(50, 1000).unwrap() > 0);
    let left = names(&log);
    assert!(
        left[0].2 <= 50 && left[0].2 > 0 && left.last().unwrap().2 == 99,
        "{left:?}"
    );
    assert_eq!(
        log.append_all(vec![frame(1, 0, 0, 0)]).unwrap(),
        [AppendOutcome::Known]
    );
    drop(log);
    let log = open(folder.path());
    assert_eq!(names(&log), left);
    assert_eq!(
        log.append_all(vec![frame(1, 0, 0, 0)]).unwrap(),
        [AppendOutcome::Known]
    );
    drop(log);
    fs::remove_file(folder.path().join("devices")).unwrap();
    let refused = Log::open(folder.path(), small()).err().unwrap().to_string();
    assert!(refused.contains("it alone knows"), "{refused}");
    let options = Options {
        forget_removed: true,
        ..small()
    };
    let (log, _) = Log::open(folder.path(), options).unwrap();
    assert_eq!(names(&log), left);
}

#[test]
fn steps_lead_from_begin_to_end_and_readers_go_on_from_each() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let frames = (0..60).map(|sequence| frame(1, 0, sequence, 1));
    for frame in frames {
        log.append_all(vec![frame]).unwrap();
    }
    for bytes in [1, 5000, 9000, u64::MAX / 2] {
        let (mut at, mut read, mut steps) = (0, Vec::new(), 0);
        while at < log.end() {
            let to = log.step(at, bytes);
            assert!(to > at);
            let between = log.frames(at).map(Result::unwrap);
            let between = between.take_while(|frame| frame.position < to);
            read.extend(between.map(|frame| frame.id.sequence));
            (at, steps) = (to, steps + 1);
        }
        assert_eq!(read, (0..60).collect::<Vec<u64>>());
        assert_eq!(log.step(at, bytes), at);
        assert_eq!(steps == 1, bytes > log.end(), "{bytes}");
    }
}

#[test]
fn a_segment_that_is_old_ends_so_that_retention_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    log.divide(50).unwrap();
    log.append_all(vec![frame(1, 0, 0, 10), frame(1, 0, 1, 20)])
        .unwrap();
    log.divide(10).unwrap();
    assert_eq!(segments(folder.path()).len(), 1);
    log.divide(11).unwrap();
    log.append_all(vec![frame(1, 0, 2, 60)]).unwrap();
    assert_eq!(segments(folder.path()).len(), 2);
    assert!(log.retain_since(50, 1000).unwrap() > 0);
    assert_eq!(names(&log), [(1, 0, 2)]);
}

#[test]
fn deletion_takes_a_device_alone_and_positions_stay() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    (0..60).for_each(|sequence| {
        drop(
            log.append_all(vec![frame(sequence % 3, 0, sequence, 0)])
                .unwrap(),
        )
    });
    let others: Vec<_> = log
        .frames(0)
        .map(Result::unwrap)
        .filter(|frame| frame.id.device != 1)
        .collect();
    let secret = frame(1, 0, 31, 0).bytes;
    assert_eq!(log.delete_device(&KEY, 1).unwrap(), 20);
    assert_eq!(log.delete_device(&KEY, 1).unwrap(), 0);
    for path in segments(folder.path()) {
        let bytes = fs::read(path).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret));
    }
    drop(log);
    let log = open(folder.path());
    assert_eq!(
        log.frames(0).map(Result::unwrap).collect::<Vec<_>>(),
        others
    );
    assert_eq!(
        log.append_all(vec![frame(1, 0, 31, 0)]).unwrap(),
        [AppendOutcome::Known]
    );
    drop(log);
    fs::remove_file(folder.path().join("devices")).unwrap();
    assert_eq!(open(folder.path()).frames(0).count(), others.len());
}

#[test]
fn the_quarantine_keeps_reasons_and_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let most = 12 << 20;
    let item = |number: u64| Refused {
        received: number,
        claims: (number & 1 == 0).then(|| frame(number, 1, 2, 0).id),
        reason: format!("tag: number {number}"),
        bytes: vec![number as u8; 1 << 20],
    };
    {
        let quarantine = Quarantine::open(isopod_disk::system(), folder.path(), most).unwrap();
        (0..30).for_each(|number| quarantine.keep(&item(number)).unwrap());
    }
    let quarantine = Quarantine::open(isopod_disk::system(), folder.path(), most).unwrap();
    let mut found = Vec::new();
    quarantine.read(|item| found.push(item)).unwrap();
    assert!((8..=16).contains(&found.len()), "{}", found.len());
    let first = 30 - found.len() as u64;
    assert!(found
        .iter()
        .eq((first..30).map(item).collect::<Vec<_>>().iter()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any history of writes and restarts holds each stored name once, even if restarts tear the end or lose the checkpoint.
    #[test]
    fn any_history_keeps_each_name_once(steps in prop::collection::vec((0..4u64, 0..40u64, 0..12u8), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Some(open(folder.path()));
        let mut stored = Vec::new();
        for (device, sequence, event) in steps {
            let outcomes = log.as_ref().unwrap().append_all(vec![frame(device, 0, sequence, 0)]).unwrap();
            let name = (device, 0, sequence);
            prop_assert_eq!(matches!(outcomes[..], [AppendOutcome::Stored(_)]), !stored.contains(&name));
            if matches!(outcomes[..], [AppendOutcome::Stored(_)]) {
                stored.push(name);
            }
            if event < 3 {
                drop(log.take());
                if event == 0 {
                    fs::remove_file(folder.path().join("devices")).unwrap();
                }
                if event == 1 {
                    let last = segments(folder.path()).pop().unwrap();
                    let bytes = [fs::read(&last).unwrap(), vec![1; sequence as usize]].concat();
                    fs::write(last, bytes).unwrap();
                }
                log = Some(open(folder.path()));
            }
        }
        prop_assert_eq!(names(log.as_ref().unwrap()), stored);
    }
}
