//! Random walks through the model, step by step beside the real code: counters of devices, log, memory of frames, revocations.
//! A crash of the log is a loss of power of a simulated disk, at any of its operations.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use isopod_disk::{Faults, Loss, Random, SimulatedDisk};
use isopod_keys::{
    reserve, revoke, NewFolder, NumberChoice, OwnerKeys, Replay, Revoked, ServerKeys,
};
use isopod_protocol::{
    names, Action, Bounds, Fault, Frames, Job, Judgement, Name, Protocol, State, DEVICES, SEQUENCES,
};
use isopod_store::{AppendOutcome, Log, NewFrame, Options};
use isopod_wire::{by_name, BlobKind, FrameId, KeyBlob, KeyId};
use sha3::{Digest as _, Sha3_256};
use stateright::Model as _;
use tempfile::TempDir;

const FOLDER: &str = "/data/log";
const REQUEST: [u8; 32] = [9; 32];

/// A server's folder under a key pair of its own, without a device's folder.
fn server(place: &Path, key: u8) -> (PathBuf, KeyId) {
    let set = by_name("ckks-1024x1-sum").unwrap();
    let head = KeyBlob::head(BlobKind::SecretTernary, set, &[key + 1; 16]);
    let payload = [0; 256];
    let digest = Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize();
    let owner = OwnerKeys::new([&head[..], &digest, &payload].concat().into()).unwrap();
    let folder = place.join(format!("keys-{key}"));
    let new = NewFolder::new(&folder).unwrap();
    new.folder("server").unwrap();
    owner.server_keys().save(&new, "server").unwrap();
    new.publish().unwrap();
    let folder = folder.join("server");
    let key_id = ServerKeys::open(&folder).unwrap().key_id();
    (folder, key_id)
}

/// The real parts.
struct Real {
    place: TempDir,
    disk: SimulatedDisk,
    log: Log,
    servers: Vec<(PathBuf, KeyId)>,
    devices: [PathBuf; DEVICES as usize],
    folders: usize,
    /// Frames that wait for the next flush, and how the model takes each.
    waiting: Vec<(Name, Judgement)>,
    jobs: Vec<Job>,
    time: u64,
}

impl Real {
    fn new(seed: u64) -> Self {
        let place = tempfile::tempdir().unwrap();
        let disk = SimulatedDisk::new(seed);
        let mut real = Self {
            log: opened(&disk),
            servers: vec![server(place.path(), 0)],
            devices: Default::default(),
            folders: 0,
            place,
            disk,
            waiting: Vec::new(),
            jobs: Vec::new(),
            time: 0,
        };
        for device in 0..DEVICES {
            real.provide(device);
        }
        real
    }

    fn provide(&mut self, device: u8) {
        self.folders += 1;
        let folder = self.place.path().join(format!("device-{}", self.folders));
        std::fs::create_dir(&folder).unwrap();
        self.devices[usize::from(device)] = folder;
    }

    fn server(&self) -> (&Path, KeyId) {
        let (folder, key_id) = self.servers.last().unwrap();
        (folder, *key_id)
    }

    fn replay(&self) -> Replay {
        let (folder, key_id) = self.server();
        Replay::new(folder, key_id)
    }

    fn number(&self, device: u8, wanted: NumberChoice, frames: u64) -> (u32, u64) {
        let folder = &self.devices[usize::from(device)];
        let found = reserve(folder, u64::from(device) + 1, wanted, frames).unwrap();
        (found.epoch, found.first)
    }

    /// Appends all that waits; what became of each.
    fn append(&mut self) -> isopod_store::Result<Vec<AppendOutcome>> {
        let frames = self.waiting.iter().map(|&(name, _)| {
            self.time += 1;
            NewFrame {
                key_id: self.servers[usize::from(name.key())].1,
                id: name.id(),
                received: self.time,
                bytes: format!("{name:?}").into_bytes(),
            }
        });
        let frames = frames.collect();
        self.log.append_all(frames)
    }

    fn flush(&mut self) {
        let outcomes = self.append().unwrap();
        for ((name, judgement), outcome) in self.waiting.drain(..).zip(outcomes) {
            let found = match outcome {
                AppendOutcome::Stored(_) => Judgement::New,
                AppendOutcome::Known => Judgement::Known,
                AppendOutcome::Stale(_) => Judgement::Stale,
            };
            assert_eq!(found, judgement, "{name:?}");
        }
    }

    /// Loses the power while the log takes what waits.
    fn crash(&mut self, random: &mut Random) {
        if !self.waiting.is_empty() {
            let power_after = Some(random.below(25));
            self.disk.inject(Faults {
                power_after,
                ..Faults::default()
            });
            drop(self.append());
        }
        self.disk.restart(Loss::Power);
        self.waiting.clear();
        self.jobs.clear();
        // The log that is dropped is dead; the one that is opened sees what the disk kept.
        self.log = opened(&self.disk);
    }

    fn stored(&self) -> Frames {
        let mut found: Frames = 0;
        for frame in self.log.frames(0) {
            let frame = frame.unwrap();
            let key = self
                .servers
                .iter()
                .position(|(_, id)| *id == frame.key_id)
                .unwrap();
            let name = Name::of(key as u8, frame.id).unwrap();
            assert_eq!(found & name.bit(), 0, "{name:?} twice");
            assert_eq!(frame.bytes, format!("{name:?}").into_bytes());
            found |= name.bit();
        }
        found
    }

    /// Frames that a job takes: those of the key pair that the judge does not set aside.
    fn begin(&mut self) -> Frames {
        let judge = self.replay().judge(REQUEST, false).unwrap().of_stored();
        let key = self.servers.len() as u8 - 1;
        let own = names(self.stored()).filter(|name| name.key() == key);
        let taken = own.filter(|name| judge.check(name.id()).is_ok());
        let summed = taken.fold(0, |frames, name| frames | name.bit());
        self.jobs.push(Job { request: 0, summed });
        summed
    }

    fn finish(&mut self, job: Job) -> bool {
        let at = self.jobs.iter().position(|one| *one == job).unwrap();
        let job = self.jobs.remove(at);
        let ids: Vec<FrameId> = names(job.summed).map(Name::id).collect();
        self.replay().commit_all(&[], &ids, &REQUEST, false).is_ok()
    }

    fn rotate(&mut self) {
        let next = server(self.place.path(), self.servers.len() as u8);
        self.servers.push(next);
        self.jobs.clear();
    }

    fn is_revoked(&self, name: Name) -> bool {
        let (folder, key_id) = self.server();
        Revoked::read(folder, key_id)
            .unwrap()
            .check(name.id())
            .is_err()
    }
}

fn opened(disk: &SimulatedDisk) -> Log {
    let options = Options {
        segment_bytes: 2048,
        changed_devices: 3,
        disk: Arc::new(disk.process()),
        ..Options::default()
    };
    Log::open(Path::new(FOLDER), options).unwrap().0
}

/// A model, the real parts beside it, and chance.
struct Pair {
    protocol: Protocol,
    state: State,
    real: Real,
    random: Random,
}

impl Pair {
    /// Takes a step in both.
    fn step(&mut self, action: Action) {
        let action = match action {
            Action::Start(_) | Action::Send(_) | Action::Provide(_) | Action::Cut(_) => {
                self.step_of_device(action);
                action
            }
            Action::Crash(_) => self.crash(),
            _ => {
                self.step_of_server(action);
                action
            }
        };
        self.state = self.after(action);
    }

    /// The model's state after an action; one that changes nothing leaves it.
    fn after(&self, action: Action) -> State {
        let after = self.protocol.next_state(&self.state, action);
        after.unwrap_or(self.state)
    }

    fn step_of_device(&mut self, action: Action) {
        match action {
            Action::Start(number) => {
                let epochs = self.state.devices[usize::from(number)].epochs;
                let epoch = Some(u32::from(epochs) + 1);
                let wanted = NumberChoice {
                    epoch,
                    sequence: None,
                };
                let (_, first) = self.real.number(number, wanted, 0);
                assert_eq!(first, 0, "an epoch begins with 0");
            }
            Action::Send(number) => {
                let device = self.state.devices[usize::from(number)];
                let sends = device.sends.unwrap();
                let wanted = NumberChoice {
                    epoch: None,
                    sequence: Some(SEQUENCES[usize::from(sends)]),
                };
                let found = self.real.number(number, wanted, 1);
                let id = Name::new(device.key, number, (device.epochs - 1, sends)).id();
                assert_eq!(found, (id.epoch, id.sequence));
            }
            Action::Provide(number) => self.real.provide(number),
            _ => {}
        }
    }

    fn step_of_server(&mut self, action: Action) {
        match action {
            Action::Deliver(name) if name.key() == self.state.key => {
                let is_revoked = self.real.is_revoked(name);
                assert_eq!(is_revoked, self.state.revoked & 1 << name.device() != 0);
                if !is_revoked {
                    let judgement = self.protocol.judged(&self.state, name);
                    self.real.waiting.push((name, judgement));
                }
            }
            Action::Flush => self.real.flush(),
            Action::Begin(request) => {
                let summed = self.real.begin();
                let job = Some(Job { request, summed });
                assert!(self.after(action).jobs.contains(&job), "{job:?}");
            }
            Action::Finish(number) => {
                let job = self.state.jobs[usize::from(number)].unwrap();
                let has_left = self.after(action).counted != self.state.counted;
                assert_eq!(self.real.finish(job), has_left, "{job:?}");
            }
            Action::Revoke(device) => {
                let (folder, key_id) = self.real.server();
                revoke(folder, key_id, &[u64::from(device) + 1], false).unwrap();
            }
            Action::Rotate => self.real.rotate(),
            _ => {}
        }
    }

    /// A crash; the disk chooses what it kept.
    fn crash(&mut self) -> Action {
        self.real.crash(&mut self.random);
        let kept = self.real.stored() & !self.state.log;
        assert_eq!(kept & !self.state.written, 0, "frames that nobody wrote");
        Action::Crash(kept)
    }
}

/// An action of those that are possible; one that ends much comes seldom, so that walks get far.
fn chosen(actions: &[Action], random: &mut Random) -> Action {
    loop {
        let action = actions[random.below(actions.len() as u64) as usize];
        let is_end = matches!(
            action,
            Action::Cut(_)
                | Action::Crash(_)
                | Action::Revoke(_)
                | Action::Rotate
                | Action::Provide(_)
        );
        let seldom = if matches!(action, Action::Provide(_)) {
            3
        } else {
            20
        };
        if !is_end || actions.len() == 1 || random.below(seldom) == 0 {
            return action;
        }
    }
}

/// A walk through the protocol with this fault in the model; the state at its end, and how many frames crashes took and left.
fn walk(seed: u64, fault: Option<Fault>) -> (State, [u32; 2]) {
    let bounds = Bounds {
        sent: 12,
        crashes: 3,
    };
    let mut pair = Pair {
        protocol: Protocol::new(fault, bounds),
        state: State::default(),
        real: Real::new(seed),
        random: Random(seed),
    };
    let mut unflushed = [0, 0];
    for _ in 0..120 {
        let mut actions = Vec::new();
        pair.protocol.actions(&pair.state, &mut actions);
        let action = chosen(&actions, &mut pair.random);
        let before = pair.state;
        pair.step(action);
        let state = pair.state;
        if state.crashes > before.crashes {
            let kept = state.log & before.written;
            unflushed[0] += (before.written & !kept).count_ones();
            unflushed[1] += kept.count_ones();
        }
        let stored = pair.real.stored();
        assert_eq!(stored, state.log, "seed {seed}, after {action:?}");
        assert_eq!(
            state.receipts & !stored,
            0,
            "seed {seed}: a receipt of a frame that is lost"
        );
        assert_eq!(state.broken, 0, "seed {seed}");
    }
    (pair.state, unflushed)
}

#[test]
fn real_parts_do_what_the_model_does() {
    let [mut crashes, mut answered, mut rotated, mut lost, mut kept] = [0; 5];
    for seed in 0..300 {
        let (end, unflushed) = walk(seed, None);
        crashes += u32::from(end.crashes);
        answered += end
            .counted
            .iter()
            .map(|frames| frames.count_ones())
            .sum::<u32>();
        rotated += u32::from(end.key);
        lost += unflushed[0];
        kept += unflushed[1];
    }
    // Walks that never get anywhere would show nothing.
    let found = [crashes, answered, rotated, lost, kept];
    let least = [200, 800, 100, 20, 20];
    assert!(
        found
            .iter()
            .zip(least)
            .all(|(found, least)| *found >= least),
        "{found:?}"
    );
}

/// A walk that notices no difference would show nothing: the real parts differ from a model with a fault.
#[test]
fn walks_notice_a_model_with_a_fault() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let faults = [
        Fault::TailCutAtMark,
        Fault::IndexNotRebuilt,
        Fault::IndexOfNewestEpoch,
        Fault::MemoryInCache,
        Fault::EnteredUnchecked,
        Fault::RevokedAtStartOnly,
        Fault::JobsTakeRevokedFrames,
    ];
    let is_noticed =
        |fault| (0..300).any(|seed| std::panic::catch_unwind(|| walk(seed, Some(fault))).is_err());
    let missed: Vec<Fault> = faults
        .into_iter()
        .filter(|&fault| !is_noticed(fault))
        .collect();
    std::panic::set_hook(hook);
    assert!(missed.is_empty(), "{missed:?}");
}
