//! Histories: whatever the disk does, a frame that was acknowledged is served once, or named in a refusal, and the log opens.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use isopod_disk::{Faults, Loss, SimulatedDisk};
use isopod_store::{AppendOutcome, Log, NewFrame, Options, StoreError};
use isopod_wire::FrameId;

const KEY: [u8; 16] = [7; 16];
const FOLDER: &str = "/data/log";
/// Lives of the log in a history.
const LIVES: u64 = 5;
/// Name of a frame: device, epoch and sequence.
type Name = (u64, u32, u64);

struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Counts of many histories.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: u64,
    refused: u64,
    torn: u64,
}

struct History {
    seed: u64,
    choices: Choices,
    disk: SimulatedDisk,
    acknowledged: BTreeSet<Name>,
    next: BTreeMap<u64, u64>,
    /// Whether bits were flipped.
    is_damaged: bool,
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            choices: Choices(seed),
            disk: SimulatedDisk::new(seed),
            acknowledged: BTreeSet::new(),
            next: BTreeMap::new(),
            is_damaged: false,
        }
    }

    fn options(&self) -> Options {
        Options {
            segment_bytes: 2048,
            changed_devices: 3,
            disk: Arc::new(self.disk.clone()),
            ..Options::default()
        }
    }

    /// The faults of the next life.
    fn inject(&mut self) {
        let choices = &mut self.choices;
        let used: u64 = self.disk.files().iter().map(|(_, length)| length).sum();
        let mut faults = Faults::default();
        match choices.below(5) {
            0 | 1 => faults.power_after = Some(choices.below(120)),
            2 => faults.flush_fails_after = Some(choices.below(30)),
            3 => faults.room = Some(used + choices.below(20_000)),
            _ => {}
        }
        self.disk.inject(faults);
    }

    fn frame(&mut self) -> NewFrame {
        let device = self.choices.below(4);
        let next = self.next.entry(device).or_default();
        // A sender may send again, out of order, and with gaps.
        let sequence = match self.choices.below(6) {
            0 => next.saturating_sub(self.choices.below(8)),
            _ => {
                *next += 1 + self.choices.below(6) / 5;
                *next
            }
        };
        let id = FrameId {
            device,
            epoch: 0,
            sequence,
        };
        NewFrame {
            key_id: KEY,
            id,
            received: 0,
            bytes: bytes(id),
        }
    }

    /// Appends frames until the life ends.
    fn append(&mut self, log: &Log) {
        for _ in 0..self.choices.below(40) {
            let frames: Vec<_> = (0..=self.choices.below(3)).map(|_| self.frame()).collect();
            let names: Vec<Name> = frames.iter().map(|frame| name(frame.id)).collect();
            match log.append_all(frames) {
                Ok(outcomes) => {
                    for (name, outcome) in names.into_iter().zip(outcomes) {
                        if !matches!(outcome, AppendOutcome::Stale(_)) {
                            self.acknowledged.insert(name);
                        }
                    }
                }
                Err(StoreError::Broken) => return,
                Err(_) => {}
            }
        }
    }

    /// Ends the life, by a loss or in order, and flips bits.
    fn end(&mut self, log: Option<Log>) {
        let loss = match self.choices.below(3) {
            0 => Loss::Process,
            _ => Loss::Power,
        };
        if self.choices.below(4) > 0 {
            self.disk.restart(loss);
        }
        drop(log);
        self.disk.restart(loss);
        let files = self.disk.files();
        if !files.is_empty() && self.choices.below(3) == 0 {
            let (path, length) = &files[self.choices.below(files.len() as u64) as usize];
            if *length > 0 {
                let bit = self.choices.below(8 * length);
                self.disk.flip(path, bit).unwrap();
                self.is_damaged = true;
            }
        }
    }

    /// Checks all that was acknowledged, on a disk without faults.
    fn check(&mut self, log: &Log, tally: &mut Tally) {
        let seed = self.seed;
        let mut missing = self.acknowledged.clone();
        let mut served = BTreeSet::new();
        let mut any = 0;
        for found in log.frames(0) {
            match found {
                Ok(found) => {
                    let name = name(found.id);
                    assert_eq!(found.bytes, bytes(found.id), "seed {seed}");
                    assert!(served.insert(name), "seed {seed}: {name:?} twice");
                    missing.remove(&name);
                }
                Err(StoreError::Lost(damage)) => {
                    assert!(self.is_damaged, "seed {seed}: {damage}");
                    match damage.frame() {
                        Some((_, id)) => drop(missing.remove(&name(id))),
                        None => any += 1,
                    }
                    tally.refused += 1;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
        assert!(
            missing.is_empty() || any > 0,
            "seed {seed}: {missing:?} are lost and not refused"
        );
    }

    fn run(mut self, tally: &mut Tally) {
        for _ in 0..LIVES {
            self.inject();
            let opened = Log::open(Path::new(FOLDER), self.options()).ok();
            let log = opened.map(|(log, _)| log);
            if let Some(log) = &log {
                self.append(log);
            }
            self.end(log);
            // A process without faults sees all.
            let (log, recovered) = Log::open(Path::new(FOLDER), self.options())
                .unwrap_or_else(|error| panic!("seed {}: {error}", self.seed));
            tally.torn += u64::from(recovered.torn_tail.is_some());
            self.check(&log, tally);
            drop(log);
        }
        tally.acknowledged += self.acknowledged.len() as u64;
    }
}

fn name(id: FrameId) -> Name {
    (id.device, id.epoch, id.sequence)
}

fn bytes(id: FrameId) -> Vec<u8> {
    let length = 50 + (id.device * 31 + id.sequence * 17) % 600;
    (0..length)
        .map(|at| (at * id.sequence + id.device) as u8)
        .collect()
}

fn histories(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        History::new(seed).run(&mut tally);
    }
    tally
}

/// Each seed is another history; `ISOPOD_HISTORIES=FIRST..LAST` chooses them.
#[test]
fn whatever_the_disk_does_no_acknowledged_frame_is_lost_doubled_or_silent() {
    let chosen = std::env::var("ISOPOD_HISTORIES").ok();
    let chosen = chosen.as_deref().and_then(|text| text.split_once(".."));
    let range = chosen.map_or(0..300, |(first, last)| {
        first.parse().unwrap()..last.parse().unwrap()
    });
    let tally = histories(range);
    eprintln!("{tally:?}");
    assert!(tally.acknowledged > 0 && tally.torn > 0 && tally.refused > 0);
}
