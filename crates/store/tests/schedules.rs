//! Threads of a log in orders that a scheduler draws. A failure prints the order, which `shuttle::replay` repeats.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use isopod_disk::{Faults, Loss, SimulatedDisk};
use isopod_store::{AppendOutcome, Log, NewFrame, Options, StoreError};
use isopod_wire::FrameId;
use shuttle::rand::Rng;
use shuttle::thread;

/// Orders that each test tries.
const ORDERS: usize = 2000;
const FRAMES: u64 = 3;
const FOLDER: &str = "/log";

/// Segments of two frames, an index that is committed with each of them, and hardly any room for batches.
fn open(disk: &SimulatedDisk) -> Result<Log, StoreError> {
    let options = Options {
        segment_bytes: 300,
        changed_devices: 1,
        waiting: 2,
        disk: Arc::new(disk.clone()),
        ..Options::default()
    };
    Log::open(Path::new(FOLDER), options).map(|(log, _)| log)
}

fn frame(device: u64, sequence: u64) -> NewFrame {
    NewFrame {
        key_id: [7; 16],
        id: FrameId {
            device,
            epoch: 0,
            sequence,
        },
        received: sequence,
        bytes: vec![sequence as u8; 100],
    }
}

/// Stores a frame, and waits for room before it.
fn store(log: &Log, frame: &NewFrame) -> Result<AppendOutcome, StoreError> {
    loop {
        match log.append_all(vec![frame.clone()]) {
            Err(StoreError::Busy { .. }) => thread::yield_now(),
            Ok(outcomes) => return Ok(outcomes.into_iter().next().unwrap()),
            Err(error) => return Err(error),
        }
    }
}

/// How often each frame is in the log, which must be whole.
fn counted(log: &Log) -> BTreeMap<(u64, u64), u64> {
    let mut counted = BTreeMap::new();
    for frame in log.frames(0) {
        let frame = frame.unwrap();
        assert!(frame
            .bytes
            .iter()
            .all(|byte| u64::from(*byte) == frame.id.sequence));
        *counted
            .entry((frame.id.device, frame.id.sequence))
            .or_default() += 1;
    }
    counted
}

fn all(devices: &[u64]) -> BTreeMap<(u64, u64), u64> {
    let frames = |device: &u64| {
        (0..FRAMES)
            .map(|sequence| ((*device, sequence), 1))
            .collect::<Vec<_>>()
    };
    devices.iter().flat_map(frames).collect()
}

#[test]
fn writers_of_the_same_frames_store_each_once_while_others_read() {
    let one_order = || {
        let disk = SimulatedDisk::new(0);
        let log = Arc::new(open(&disk).unwrap());
        let writer = |log: Arc<Log>| {
            thread::spawn(move || {
                let outcome = |sequence| store(&log, &frame(1, sequence)).unwrap();
                (0..FRAMES).map(outcome).collect::<Vec<_>>()
            })
        };
        let writers: Vec<_> = (0..2).map(|_| writer(log.clone())).collect();
        let reader = {
            let log = log.clone();
            thread::spawn(move || {
                let begun = counted(&log);
                log.back_up_index().unwrap();
                // Frames that were read once stay.
                let later = counted(&log);
                assert!(begun.keys().all(|name| later.contains_key(name)));
                assert!(later.values().all(|count| *count == 1));
            })
        };
        let told: Vec<Vec<AppendOutcome>> = writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect();
        reader.join().unwrap();
        for sequence in 0..FRAMES as usize {
            let of_frame = told.iter().map(|outcomes| &outcomes[sequence]);
            let stored = of_frame.filter(|outcome| matches!(outcome, AppendOutcome::Stored(_)));
            assert_eq!(stored.count(), 1, "{told:?}");
        }
        assert_eq!(counted(&log), all(&[1]));
        drop(log);
        let log = open(&disk).unwrap();
        assert_eq!(counted(&log), all(&[1]));
        assert_eq!(log.totals().stored, FRAMES);
    };
    shuttle::check_random(one_order, ORDERS);
}

#[test]
fn what_was_acknowledged_is_there_after_a_loss_of_power_at_any_moment() {
    let one_order = || {
        let disk = SimulatedDisk::new(0);
        let log = Arc::new(open(&disk).unwrap());
        let power_after = shuttle::rand::thread_rng().gen_range(1..60);
        disk.inject(Faults {
            power_after: Some(power_after),
            ..Faults::default()
        });
        let writer = |device: u64| {
            let log = log.clone();
            thread::spawn(move || {
                let is_stored = |sequence: &u64| store(&log, &frame(device, *sequence)).is_ok();
                (0..FRAMES).take_while(is_stored).count() as u64
            })
        };
        let writers: Vec<_> = [1, 2].map(|device| (device, writer(device))).into();
        let stored = writers
            .into_iter()
            .map(|(device, writer)| (device, writer.join().unwrap()));
        let stored: Vec<(u64, u64)> = stored.collect();
        drop(log);
        disk.restart(Loss::Power);
        let log = open(&disk).unwrap();
        let found = counted(&log);
        assert!(found.values().all(|count| *count == 1), "{found:?}");
        for (device, count) in stored {
            let is_there = |sequence| found.contains_key(&(device, sequence));
            assert!((0..count).all(is_there), "{device}: {count} of {found:?}");
        }
        // Frames without an acknowledgement may be sent again.
        for device in [1, 2] {
            for sequence in 0..FRAMES {
                store(&log, &frame(device, sequence)).unwrap();
            }
        }
        assert_eq!(counted(&log), all(&[1, 2]));
    };
    shuttle::check_random(one_order, ORDERS);
}
