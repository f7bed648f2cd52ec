//! Histories: whatever the disk does, a frame that was acknowledged is served once, or named in a refusal, and the log opens.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use isopod_disk::{Faults, Loss, Random, SimulatedDisk};
use isopod_store::{AppendOutcome, Log, NewFrame, Options, StoreError};
use isopod_wire::FrameId;

const KEY: [u8; 16] = [7; 16];
const FOLDER: &str = "/data/log";
/// Lives of the log in a history.
const LIVES: u64 = 5;
const DEVICES: u64 = 4;
/// Name of a frame: device, epoch and sequence.
type Name = (u64, u32, u64);

/// Counts over many histories. A frame is lost if it is missing although no bit was flipped, and silent if it is missing and no
/// refusal names it.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: u64,
    refused: u64,
    torn: u64,
    lost: u64,
    doubled: u64,
    silent: u64,
    /// First history that failed, and how.
    failure: Option<String>,
}

impl Tally {
    fn fail(&mut self, seed: u64, what: String) {
        self.failure.get_or_insert(format!("seed {seed}: {what}"));
    }

    fn plus(self, other: Self) -> Self {
        Self {
            acknowledged: self.acknowledged + other.acknowledged,
            refused: self.refused + other.refused,
            torn: self.torn + other.torn,
            lost: self.lost + other.lost,
            doubled: self.doubled + other.doubled,
            silent: self.silent + other.silent,
            failure: self.failure.or(other.failure),
        }
    }

    /// One line for people and for `make bench-server`.
    fn print(&self, kind: &str, count: u64) {
        let Self {
            acknowledged,
            refused,
            torn,
            lost,
            doubled,
            silent,
            ..
        } = self;
        eprintln!(
            "{{\"{kind}\": {count}, \"acknowledged\": {acknowledged}, \"refused\": {refused}, \"torn\": {torn}, \
             \"lost\": {lost}, \"doubled\": {doubled}, \"silent\": {silent}}}"
        );
    }
}

struct History {
    seed: u64,
    choices: Random,
    disk: SimulatedDisk,
    /// Frames that must be there.
    stored: BTreeMap<Name, u64>,
    /// Frames that were deleted, and must not be there.
    deleted: BTreeSet<Name>,
    /// Frames that retention or a deletion that failed may have taken.
    open: BTreeSet<Name>,
    /// Times of the first try of each frame: a refused one may be there all the same.
    tried: BTreeMap<Name, u64>,
    next: BTreeMap<u64, u64>,
    time: u64,
    /// Whether bits were flipped.
    is_damaged: bool,
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            choices: Random(seed),
            disk: SimulatedDisk::new(seed),
            stored: BTreeMap::new(),
            deleted: BTreeSet::new(),
            open: BTreeSet::new(),
            tried: BTreeMap::new(),
            next: BTreeMap::new(),
            time: 0,
            is_damaged: false,
        }
    }

    fn options(&self) -> Options {
        Options {
            segment_bytes: 2048,
            changed_devices: 3,
            disk: Arc::new(self.disk.process()),
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
        let device = self.choices.below(DEVICES);
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
        self.time += 1;
        NewFrame {
            key_id: KEY,
            id,
            received: self.time,
            bytes: bytes(id),
        }
    }

    /// Works until the life ends.
    fn work(&mut self, log: &Log) {
        for _ in 0..self.choices.below(40) {
            let done = match self.choices.below(40) {
                0 => self.delete(log),
                1 => self.retain(log),
                _ => self.append(log),
            };
            if matches!(done, Err(StoreError::Broken)) {
                return;
            }
        }
    }

    fn append(&mut self, log: &Log) -> Result<(), StoreError> {
        let frames: Vec<_> = (0..=self.choices.below(3)).map(|_| self.frame()).collect();
        let names: Vec<_> = frames
            .iter()
            .map(|frame| (name(frame.id), frame.received))
            .collect();
        for (name, received) in &names {
            self.tried.entry(*name).or_insert(*received);
        }
        let outcomes = log.append_all(frames).inspect_err(|_| {
            // A refused frame may be there all the same.
            for (name, _) in &names {
                if self.deleted.remove(name) {
                    self.open.insert(*name);
                }
            }
        });
        for ((name, received), outcome) in names.iter().copied().zip(outcomes?) {
            match outcome {
                AppendOutcome::Stored(_) => {
                    self.deleted.remove(&name);
                    self.open.remove(&name);
                    self.stored.insert(name, received);
                }
                AppendOutcome::Known => {
                    if !self.deleted.contains(&name) && !self.open.contains(&name) {
                        let first = self.tried.get(&name).copied();
                        self.stored.entry(name).or_insert(first.unwrap_or(received));
                    }
                }
                AppendOutcome::Stale(_) => {}
            }
        }
        Ok(())
    }

    fn delete(&mut self, log: &Log) -> Result<(), StoreError> {
        let device = self.choices.below(DEVICES);
        let done = log.delete_device(&KEY, device).map(drop);
        let of_device = |name: &Name| name.0 == device;
        // Frames that were refused may be there, too, and are deleted with the others.
        let gone: Vec<Name> = self.tried.keys().copied().filter(of_device).collect();
        self.stored.retain(|name, _| !of_device(name));
        match done {
            Ok(()) => {
                self.deleted.extend(gone);
                self.open.retain(|name| !of_device(name));
            }
            Err(_) => self.open.extend(gone),
        }
        done
    }

    fn retain(&mut self, log: &Log) -> Result<(), StoreError> {
        let since = self.choices.below(self.time + 1);
        let done = log.retain_since(since, self.time).map(drop);
        let old = self.tried.iter().filter(|(_, time)| **time < since);
        self.open.extend(old.map(|(name, _)| *name));
        self.stored.retain(|_, time| *time >= since);
        done
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
        if self.choices.below(3) == 0 {
            self.flip();
        }
    }

    /// Flips a bit of any file.
    fn flip(&mut self) {
        let files = self.disk.files();
        let bits = 8 * files.iter().map(|(_, length)| length).sum::<u64>();
        let mut bit = self.choices.below(bits.max(1));
        for (path, length) in files {
            if bit < 8 * length {
                self.disk.flip(&path, bit).unwrap();
                self.is_damaged = true;
                return;
            }
            bit -= 8 * length;
        }
    }

    /// Opens the log on a disk without faults; by its own advice where the names of removed frames are lost.
    fn open(&self, tally: &mut Tally) -> Option<Log> {
        let opened = match Log::open(Path::new(FOLDER), self.options()) {
            Err(StoreError::RemovedNames(_)) if self.is_damaged => {
                let options = Options {
                    forget_removed: true,
                    ..self.options()
                };
                Log::open(Path::new(FOLDER), options)
            }
            opened => opened,
        };
        match opened {
            Ok((log, recovered)) => {
                tally.torn += u64::from(recovered.torn_tail.is_some());
                Some(log)
            }
            Err(error) => {
                tally.fail(self.seed, format!("does not open: {error}"));
                None
            }
        }
    }

    /// Checks all that was acknowledged.
    fn check(&mut self, log: &Log, tally: &mut Tally) {
        let mut missing: BTreeSet<Name> = self.stored.keys().copied().collect();
        let (mut served, mut any) = (BTreeSet::new(), false);
        for found in log.frames(0) {
            match found {
                Ok(found) => {
                    let name = name(found.id);
                    let is_right = found.bytes == bytes(found.id) && !self.deleted.contains(&name);
                    if !is_right || !served.insert(name) {
                        tally.doubled += 1;
                        tally.fail(self.seed, format!("{name:?} twice, deleted or changed"));
                    }
                    missing.remove(&name);
                }
                Err(StoreError::Lost(damage)) if self.is_damaged => {
                    match damage.frame() {
                        Some((_, id)) => drop(missing.remove(&name(id))),
                        None => any = true,
                    }
                    tally.refused += 1;
                }
                Err(error) => tally.fail(self.seed, error.to_string()),
            }
        }
        if !missing.is_empty() && !any {
            match self.is_damaged {
                true => tally.silent += missing.len() as u64,
                false => tally.lost += missing.len() as u64,
            }
            tally.fail(self.seed, format!("{missing:?} are missing"));
        }
    }

    fn run(mut self, tally: &mut Tally) {
        for _ in 0..LIVES {
            self.inject();
            let opened = Log::open(Path::new(FOLDER), self.options()).ok();
            let log = opened.map(|(log, _)| log);
            if let Some(log) = &log {
                self.work(log);
            }
            self.end(log);
            let Some(log) = self.open(tally) else {
                return;
            };
            self.check(&log, tally);
        }
        tally.acknowledged += self.stored.len() as u64;
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

/// Seeds from the environment, FIRST..LAST or their number.
fn chosen(variable: &str, most: u64) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var(variable) else {
        return 0..most;
    };
    let (first, last) = text.split_once("..").unwrap_or(("0", &text));
    first.parse().unwrap()..last.parse().unwrap()
}

/// The counts of these seeds, of which two threads take every other one.
fn tally_of(range: &std::ops::Range<u64>) -> Tally {
    let half = |first: u64| {
        let mut tally = Tally::default();
        (range.start + first..range.end)
            .step_by(2)
            .for_each(|seed| History::new(seed).run(&mut tally));
        tally
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        half(0).plus(other.join().unwrap())
    })
}

/// Each seed is another history; `ISOPOD_DISK_HISTORIES=FIRST..LAST` chooses them.
#[test]
fn whatever_the_disk_does_no_acknowledged_frame_is_lost_doubled_or_silent() {
    let range = chosen("ISOPOD_DISK_HISTORIES", 2000);
    let (tally, count) = (tally_of(&range), range.end - range.start);
    tally.print("disk-histories", count);
    assert_eq!(tally.failure, None);
    assert!(tally.acknowledged > 0 && (count < 100 || tally.torn > 0 && tally.refused > 0));
}

/// Each seed is one bit of a log at rest; `ISOPOD_BIT_FLIPS=FIRST..LAST` chooses them.
#[test]
fn one_flipped_bit_anywhere_is_never_silent() {
    let mut tally = Tally::default();
    let mut history = History::new(1);
    while history.stored.len() < 100 {
        let log = history.open(&mut tally).unwrap();
        history.work(&log);
        drop(log);
        history.disk.restart(Loss::Process);
    }
    let range = chosen("ISOPOD_BIT_FLIPS", 1000);
    let (count, disk) = (range.end - range.start, history.disk.clone());
    for seed in range {
        history.disk = disk.fork();
        history.choices = Random(seed);
        history.flip();
        if let Some(log) = history.open(&mut tally) {
            history.check(&log, &mut tally);
        }
    }
    tally.print("bit-flips", count);
    assert_eq!(tally.failure, None);
    assert!(tally.refused > 0);
}
