//! A log of many devices: `fill FOLDER DEVICES` makes one, and `measure FOLDER DEVICES` says in a line of JSON how fast it
//! starts, what memory it takes, and how fast it stores large frames of devices at random.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use isopod_store::{AppendOutcome, Log, NewFrame, Options};
use isopod_wire::FrameId;

const KEY: [u8; 16] = [1; 16];
const FILL_BATCH: u64 = 50_000;
const SMALL_BYTES: usize = 64;
/// A frame of ckks-4096x2-linear by public key.
const LARGE_BYTES: usize = 61_000;
/// Uploads that wait for their receipts at the same time, and frames in each.
const SENDERS: usize = 8;
const UPLOAD_FRAMES: u64 = 8;
const UPLOADS: u64 = 1000;

fn frame(device: u64, sequence: u64, bytes: usize) -> NewFrame {
    let id = FrameId {
        device,
        epoch: 1,
        sequence,
    };
    NewFrame {
        key_id: KEY,
        id,
        received: 1_700_000_000_000 + sequence,
        bytes: vec![device as u8; bytes],
    }
}

fn fill(folder: &Path, devices: u64) {
    let (log, _) = Log::open(folder, Options::default()).unwrap();
    for first in (0..devices).step_by(FILL_BATCH as usize) {
        let batch = first..devices.min(first + FILL_BATCH);
        let frames = batch.map(|device| frame(device, 0, SMALL_BYTES)).collect();
        log.append_all(frames).unwrap();
    }
}

/// Bytes of a field of this process's state.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kilobytes = line.split_whitespace().nth(1).unwrap();
    1024 * kilobytes.parse::<u64>().unwrap()
}

/// Times from each upload to its receipt, and the time of all.
fn ingest(log: &Log, devices: u64) -> (Vec<Duration>, Duration) {
    let (sender, receiver) = channel();
    // Names that no run before has.
    let first = log.totals().frames;
    let (mut random, begun, mut times) = (first, Instant::now(), Vec::new());
    let mut upload = |sequence: u64| {
        let frames = (0..UPLOAD_FRAMES).map(|at| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            frame(
                (random >> 20) % devices,
                first + sequence * UPLOAD_FRAMES + at,
                LARGE_BYTES,
            )
        });
        let (frames, sender, begun) = (frames.collect(), sender.clone(), Instant::now());
        let done = move |outcomes: isopod_store::Result<Vec<AppendOutcome>>| {
            outcomes.unwrap();
            sender.send(begun.elapsed()).unwrap();
        };
        log.append(frames, Box::new(done)).unwrap();
    };
    (0..SENDERS as u64).for_each(&mut upload);
    for sequence in SENDERS as u64..UPLOADS {
        times.push(receiver.recv().unwrap());
        upload(sequence);
    }
    times.extend((0..SENDERS).map(|_| receiver.recv().unwrap()));
    times.sort_unstable();
    (times, begun.elapsed())
}

fn measure(folder: &Path, devices: u64) {
    let begun = Instant::now();
    let (log, recovered) = Log::open(folder, Options::default()).unwrap();
    let start = begun.elapsed().as_secs_f64();
    assert!(log.totals().devices >= devices, "{:?}", log.totals());
    let (times, took) = ingest(&log, devices);
    let bytes = (UPLOADS * UPLOAD_FRAMES) as f64 * LARGE_BYTES as f64;
    let p99 = times[times.len() * 99 / 100].as_secs_f64();
    // Nothing is written at the end, as after a loss of power.
    println!(
        "{{\"devices\": {devices}, \"start_seconds\": {start:.3}, \"records\": {}, \"mb_per_second\": {:.1}, \
         \"p99_milliseconds\": {:.1}, \"memory_bytes\": {}}}",
        recovered.records,
        bytes / took.as_secs_f64() / 1e6,
        1e3 * p99,
        memory("VmHWM:"),
    );
    std::mem::forget(log);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, work, folder, devices] = &arguments[..] else {
        panic!("allowed are fill FOLDER DEVICES and measure FOLDER DEVICES");
    };
    let devices = devices.parse().unwrap();
    match work.as_str() {
        "fill" => fill(Path::new(folder), devices),
        _ => measure(Path::new(folder), devices),
    }
}
