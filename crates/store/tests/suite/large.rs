//! Start-up beside ten million frames: only the index and what is behind it are read. Processor time, so
//! that a busy machine fails no test.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use isopod_store::{AppendOutcome, Log, NewFrame, Options};
use isopod_wire::FrameId;

const FRAMES: u64 = 10_000_000;
const DEVICES: u64 = 2000;
const BATCH: u64 = 50_000;

/// Every device loses a frame of a hundred. Half a minute, and 1.3 GB on disk for as long.
#[test]
#[ignore = "ten million frames"]
fn ten_million_frames_start_in_two_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = Log::open(folder.path(), Options::default()).unwrap();
    for batch in 0..FRAMES / BATCH {
        let numbers = batch * BATCH..(batch + 1) * BATCH;
        let frames = numbers.map(|number| {
            let sequence = number / DEVICES;
            NewFrame {
                key_id: [1; 16],
                id: FrameId {
                    device: number % DEVICES,
                    epoch: 1,
                    sequence: sequence + sequence / 100,
                },
                received: number,
                bytes: vec![number as u8; 64],
            }
        });
        let outcomes = log.append_all(frames.collect()).unwrap();
        assert!(outcomes
            .iter()
            .all(|outcome| matches!(outcome, AppendOutcome::Stored(_))));
    }
    drop(log);
    let (begun, begun_clock) = (ProcessTime::now(), Instant::now());
    let (log, recovered) = Log::open(folder.path(), Options::default()).unwrap();
    let took = begun.elapsed();
    eprintln!(
        "start-up: {took:?} of processor time, {:?} in all, {} records behind the index",
        begun_clock.elapsed(),
        recovered.records
    );
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(log.totals().frames, FRAMES);
}
