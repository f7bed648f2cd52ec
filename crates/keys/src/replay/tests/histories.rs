//! Histories of commits and revocations, whatever the disk does: numbers rise, frames of answers are known, revocations hold.

use std::collections::BTreeSet;
use std::path::Path;

use isopod_disk::{Disk, Faults, Loss, Random, SimulatedDisk};
use isopod_wire::FrameId;

use super::{empty, id, replay, FOLDER, KEY};
use crate::error::KeysError;
use crate::fleet::Revoked;
use crate::replay::REPLAY_FILE;

/// Lives of the server in a history.
const LIVES: u64 = 6;
const REQUESTS: u64 = 3;

/// Counts of many histories.
#[derive(Debug, Default)]
struct Tally {
    given: u64,
    failed: u64,
    revoked: u64,
}

struct History {
    choices: Random,
    disk: SimulatedDisk,
    /// Frames of answers that were given, by request.
    entered: BTreeSet<(u8, FrameId)>,
    newest: Option<u64>,
    revoked: BTreeSet<u64>,
    /// Numbers of frames so far, so that none is used twice.
    frames: u64,
}

impl History {
    fn inject(&mut self) {
        let choices = &mut self.choices;
        let used: u64 = self.disk.files().iter().map(|(_, length)| length).sum();
        let mut faults = Faults::default();
        match choices.below(5) {
            0 | 1 => faults.power_after = Some(choices.below(150)),
            2 => faults.flush_fails_after = Some(choices.below(25)),
            3 => faults.room = Some(used + choices.below(60_000)),
            _ => {}
        }
        self.disk.inject(faults);
    }

    fn commit(&mut self, tally: &mut Tally) {
        let request = self.choices.below(REQUESTS) as u8;
        let device = self.choices.below(40);
        let count = 1 + self.choices.below(30);
        let frames: Vec<FrameId> = (0..count)
            .map(|at| id(device + 40 * at, 1, self.frames + at % 3))
            .collect();
        self.frames += 3;
        match replay(&self.disk).commit(&frames, &[request; 32], false) {
            Ok(number) => {
                assert!(self.newest < Some(number), "{number} was given before");
                self.newest = Some(number);
                self.entered.extend(frames.iter().map(|&id| (request, id)));
                assert!(frames.iter().all(|id| !self.revoked.contains(&id.device)));
                tally.given += 1;
            }
            Err(KeysError::Revoked { device, .. }) => assert!(self.may_be_revoked(device)),
            Err(KeysError::File { .. } | KeysError::Record { .. }) => tally.failed += 1,
            Err(error) => panic!("{error}"),
        }
    }

    /// Whether a refused device was revoked, by a call that told so or by one that failed.
    fn may_be_revoked(&self, device: u64) -> bool {
        self.revoked.contains(&device) || device >= 1000
    }

    fn revoke(&mut self, tally: &mut Tally) {
        let device = 1000 + self.choices.below(200);
        let keep = self.choices.below(2) == 0;
        if replay(&self.disk).revoke(&[device], keep).is_ok() {
            self.revoked.insert(device);
            tally.revoked += 1;
        }
    }

    /// Checks all that was promised, on a disk without faults.
    fn check(&mut self) {
        for request in 0..REQUESTS as u8 {
            let judge = replay(&self.disk).judge([request; 32], false).unwrap();
            for (_, frame) in self.entered.iter().filter(|(of, _)| *of == request) {
                let judged = judge.check(*frame);
                let is_refused = matches!(
                    judged,
                    Err(KeysError::Repeated { .. } | KeysError::Revoked { .. })
                );
                assert!(is_refused, "{frame:?}: {judged:?}");
            }
        }
        let list = Revoked::read_on(&self.disk, Path::new(FOLDER), KEY).unwrap();
        let missing = self.revoked.iter().find(|&&of| list.get(of).is_none());
        assert_eq!(missing, None);
        let frame = [id(5, 1, self.frames)];
        self.frames += 1;
        let number = replay(&self.disk).commit(&frame, &[0; 32], false).unwrap();
        assert!(self.newest < Some(number), "{number} was given before");
        self.newest = Some(number);
    }

    fn run(&mut self, tally: &mut Tally) {
        for _ in 0..LIVES {
            self.inject();
            for _ in 0..1 + self.choices.below(6) {
                match self.choices.below(4) {
                    0 => self.revoke(tally),
                    _ => self.commit(tally),
                }
            }
            let loss = match self.choices.below(3) {
                0 => Loss::Process,
                _ => Loss::Power,
            };
            self.disk.restart(loss);
            self.check();
        }
    }
}

#[test]
fn whatever_the_disk_does_nothing_that_was_told_is_forgotten() {
    let mut tally = Tally::default();
    for seed in 0..150 {
        let mut history = History {
            choices: Random(seed),
            disk: empty(seed).0,
            entered: BTreeSet::new(),
            newest: None,
            revoked: BTreeSet::new(),
            frames: 0,
        };
        history.run(&mut tally);
    }
    eprintln!("{tally:?}");
    assert!(
        tally.given > 500 && tally.failed > 100 && tally.revoked > 50,
        "{tally:?}"
    );
}

#[test]
fn damage_is_told_or_changes_nothing() {
    let path = Path::new(FOLDER).join(REPLAY_FILE);
    let mut told = 0;
    let mut choices = Random(1);
    for seed in 0..300 {
        let (disk, memory) = empty(seed);
        let frames: Vec<FrameId> = (0..500).map(|device| id(device, 1, 7)).collect();
        memory.commit(&frames, &[0; 32], false).unwrap();
        let bits = 8 * disk.length(&path).unwrap();
        for _ in 0..4 {
            disk.flip(&path, choices.below(bits)).unwrap();
        }
        told += u64::from(is_told(&disk, &frames));
    }
    eprintln!("{told} of 300 told");
    assert!(told > 30, "{told}");
}

/// Whether damage was told; false if every frame is known still.
fn is_told(disk: &SimulatedDisk, frames: &[FrameId]) -> bool {
    let judge = match replay(disk).judge([0; 32], false) {
        Ok(judge) => judge,
        Err(KeysError::Record { .. }) => return true,
        Err(error) => panic!("{error}"),
    };
    let mut told = false;
    for &frame in frames {
        match judge.check(frame) {
            Err(KeysError::Repeated { .. }) => {}
            Err(KeysError::Record { .. }) => told = true,
            other => panic!("{frame:?}: {other:?}"),
        }
    }
    match replay(disk).commit(&[id(5, 1, 8)], &[0; 32], false) {
        Ok(number) => assert_eq!(number, 1),
        Err(KeysError::Record { .. }) => told = true,
        Err(error) => panic!("{error}"),
    }
    told
}

#[test]
fn a_file_that_was_cut_is_told_or_changes_nothing() {
    let path = Path::new(FOLDER).join(REPLAY_FILE);
    let (disk, memory) = empty(0);
    let frames: Vec<FrameId> = (0..500).map(|device| id(device, 1, 7)).collect();
    memory.commit(&frames, &[0; 32], false).unwrap();
    let whole = isopod_disk::read(&disk, &path, u64::MAX).unwrap();
    for length in (0..whole.len()).step_by(1111).chain(0..20) {
        let write = &mut |file: &dyn isopod_disk::DiskFile| file.write_at(&whole[..length], 0);
        isopod_disk::replace(&disk, &path, write).unwrap();
        let told = is_told(&disk, &frames);
        assert!(told || length > whole.len() / 4, "{length}");
    }
    disk.remove(&path).unwrap();
    let missing = replay(&disk).commit(&[id(5, 1, 8)], &[0; 32], false);
    assert!(missing.unwrap_err().to_string().contains("missing"));
}
