//! Random histories of devices, a lossy and hostile network, two servers that take themselves for one, and an owner. Whatever
//! happens, the owner gets the right answer, a refusal by name, or a report of missing frames.
//!
//! `ISOPOD_HISTORIES` sets the number of histories; `ISOPOD_HISTORIES_OUT` names the file of records that one of a run that ended
//! well is put into.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::support::{quiet, Place, CHOICES};
use isopod_wire::{FrameId, Manifest};
use isopod_workflow::{
    Contents, Device, Error, Inbox, Job, Message, Owner, Request, Result, Results, Server, Values,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{json, Value};
use tempfile::TempDir;

const CASE: &str = "hostile-network";
/// Sets of frames of one part and of two.
const SETS: [&str; 2] = ["bfv-1024x1-count", "bfv-4096x2-linear"];
const DEVICES: usize = 2;
const HISTORIES: u32 = 500;
const STEPS: usize = 24;
/// Values of a row; the two of one reading differ by one.
const COLUMNS: u32 = 2;
/// The largest reading: thirty of them stay below half of the smallest plaintext modulus.
const LARGEST: i32 = 15;

/// One event.
#[derive(Debug, Clone)]
enum Step {
    /// A device sends a reading.
    Send {
        device: usize,
        value: i32,
    },
    /// A device starts again. If its flash lost the new epoch, it repeats names.
    Restart {
        device: usize,
        lost: bool,
    },
    /// The network.
    Drop(Index),
    Repeat(Index),
    Swap(Index, Index),
    Damage(Index, Index),
    Splice(Index, Index),
    Replay(Index),
    /// Somebody else's device of the same number sends.
    Foreign {
        device: usize,
        value: i32,
    },
    /// The operator of the server throws away incomplete and repeated items.
    Clear,
    /// A server answers a request on everything that lies before it.
    Evaluate {
        server: usize,
        total: bool,
        again: bool,
        end: End,
    },
    /// The owner reads an answer, after somebody had it.
    Read {
        answer: Index,
        tamper: Tamper,
    },
}

/// Where an evaluation ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// The server crashes before it has entered the frames.
    Computed,
    /// It crashes before the answer has left.
    Entered,
    /// The answer leaves; the frames are put away, or stay.
    Sent { taken: bool },
}

/// A change of an answer between server and owner.
#[derive(Debug, Clone)]
enum Tamper {
    Nothing,
    Drop(Index),
    Swap(Index, Index),
    Repeat(Index),
    Join(Index),
    Splice(Index, Index),
    Damage(Index, Index),
    /// Another owner reads it.
    Owner,
}

fn step(parts: bool) -> impl Strategy<Value = Step> {
    let device = 0..DEVICES;
    let index = any::<Index>;
    let end = prop_oneof![
        1 => Just(End::Computed),
        1 => Just(End::Entered),
        6 => any::<bool>().prop_map(|taken| End::Sent { taken }),
    ];
    let tamper = prop_oneof![
        4 => Just(Tamper::Nothing),
        1 => index().prop_map(Tamper::Drop),
        1 => (index(), index()).prop_map(|(one, two)| Tamper::Swap(one, two)),
        1 => index().prop_map(Tamper::Repeat),
        1 => index().prop_map(Tamper::Join),
        1 => (index(), index()).prop_map(|(one, two)| Tamper::Splice(one, two)),
        1 => (index(), index()).prop_map(|(one, two)| Tamper::Damage(one, two)),
        1 => Just(Tamper::Owner),
    ];
    prop_oneof![
        8 => (device.clone(), -LARGEST..LARGEST).prop_map(|(device, value)| Step::Send { device, value }),
        1 => (device.clone(), any::<bool>()).prop_map(|(device, lost)| Step::Restart { device, lost }),
        1 => index().prop_map(Step::Drop),
        1 => index().prop_map(Step::Repeat),
        1 => (index(), index()).prop_map(|(one, two)| Step::Swap(one, two)),
        1 => (index(), index()).prop_map(|(one, two)| Step::Damage(one, two)),
        1 => (index(), index()).prop_map(|(one, two)| Step::Splice(one, two)),
        1 => index().prop_map(Step::Replay),
        1 => (device, -LARGEST..LARGEST).prop_map(|(device, value)| Step::Foreign { device, value }),
        4 => Just(Step::Clear),
        6 => (0..2usize, prop::bool::weighted(if parts { 0.5 } else { 0.0 }), prop::bool::weighted(0.2), end)
            .prop_map(|(server, total, again, end)| Step::Evaluate { server, total, again, end }),
        4 => (index(), tamper).prop_map(|(answer, tamper)| Step::Read { answer, tamper }),
    ]
}

/// Keys of two owners for one set, made once.
struct Keys {
    ours: Place,
    theirs: Place,
}

impl Keys {
    fn of(parts: bool) -> &'static Self {
        static KEYS: [OnceLock<Keys>; 2] = [const { OnceLock::new() }; 2];
        let set = SETS[usize::from(parts)];
        let rotations: &[i32] = if parts { &[1] } else { &[] };
        KEYS[usize::from(parts)].get_or_init(|| Self {
            ours: Place::new(set, rotations),
            theirs: Place::new(set, rotations),
        })
    }
}

/// One device: its epoch in RAM and in flash, and its next sequence.
#[derive(Clone, Copy)]
struct Counters {
    epoch: u32,
    flash: u32,
    sequence: u64,
}

/// An item on its way, and the frame that it is an unaltered part of.
#[derive(Clone)]
struct Packet {
    bytes: Vec<u8>,
    /// None once it was altered, and of foreign devices.
    part: Option<(FrameId, i32, usize)>,
}

/// An answer that left a server.
struct Answer {
    items: Vec<Vec<u8>>,
}

/// Frames that entered a server's answers, by kind of job, and all frames that it knows.
#[derive(Default)]
struct Memory {
    entered: BTreeMap<bool, BTreeSet<FrameId>>,
    known: BTreeSet<FrameId>,
}

struct World {
    keys: &'static Keys,
    folders: [TempDir; 2],
    parts: usize,
    devices: [Counters; DEVICES],
    /// Every value that a device ever sent under a name; two where its flash forgot.
    truth: BTreeMap<FrameId, BTreeSet<i32>>,
    network: Vec<Packet>,
    past: Vec<Packet>,
    servers: [Memory; 2],
    answers: Vec<Answer>,
}

impl World {
    fn new(parts: bool) -> Self {
        let keys = Keys::of(parts);
        Self {
            keys,
            folders: [copy_of_server(&keys.ours), copy_of_server(&keys.ours)],
            parts: if parts { 2 } else { 1 },
            devices: [Counters {
                epoch: 1,
                flash: 1,
                sequence: 0,
            }; DEVICES],
            truth: BTreeMap::new(),
            network: Vec::new(),
            past: Vec::new(),
            servers: Default::default(),
            answers: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step) -> std::result::Result<(), TestCaseError> {
        match step {
            Step::Send { device, value } => self.send(*device, *value),
            Step::Restart { device, lost } => self.restart(*device, *lost),
            Step::Foreign { device, value } => self.foreign(*device, *value),
            Step::Clear => self.clear(),
            Step::Evaluate {
                server,
                total,
                again,
                end,
            } => return self.evaluate(*server, *total, *again, *end),
            Step::Read { answer, tamper } if !self.answers.is_empty() => {
                return self.read(answer.index(self.answers.len()), tamper)
            }
            other => self.disturb(other),
        }
        Ok(())
    }

    /// Encrypts as a device does, and gives the items and their name.
    fn frame(
        place: &Place,
        device: usize,
        counters: Counters,
        value: i32,
    ) -> (FrameId, Vec<Vec<u8>>) {
        let number = device as u64 + 1;
        let device = Device::open(&place.path(&format!("keys/device-{number}")), false).unwrap();
        let contents = Contents {
            stride: COLUMNS,
            ..Contents::default()
        };
        let sender = device.sender(&CHOICES, &contents, counters.epoch, counters.sequence);
        let items = sender
            .unwrap()
            .frame(&Message::Integers(vec![value, value + 1]));
        let (epoch, sequence) = (counters.epoch, counters.sequence);
        (
            FrameId {
                device: number,
                epoch,
                sequence,
            },
            items.unwrap(),
        )
    }

    /// Puts an empty memory of frames into the servers' folders.
    fn forget(&self) {
        let empty = self.keys.ours.path("keys/server/replay");
        for folder in &self.folders {
            std::fs::copy(&empty, folder.path().join("replay")).unwrap();
        }
    }

    fn send(&mut self, device: usize, value: i32) {
        let (id, items) = Self::frame(&self.keys.ours, device, self.devices[device], value);
        self.devices[device].sequence += 1;
        self.truth.entry(id).or_default().insert(value);
        for (part, bytes) in items.into_iter().enumerate() {
            let packet = Packet {
                bytes,
                part: Some((id, value, part)),
            };
            self.past.push(packet.clone());
            self.network.push(packet);
        }
    }

    fn restart(&mut self, device: usize, lost: bool) {
        let counters = &mut self.devices[device];
        counters.epoch = counters.flash + 1;
        counters.sequence = 0;
        if !lost {
            counters.flash = counters.epoch;
        }
    }

    fn foreign(&mut self, device: usize, value: i32) {
        let (_, items) = Self::frame(&self.keys.theirs, device, self.devices[device], value);
        let packets = items.into_iter().map(|bytes| Packet { bytes, part: None });
        self.network.extend(packets);
    }

    fn disturb(&mut self, step: &Step) {
        let many = self.network.len();
        if many == 0 {
            return;
        }
        match step {
            Step::Drop(at) => drop(self.network.remove(at.index(many))),
            Step::Repeat(at) => self.network.push(self.network[at.index(many)].clone()),
            Step::Swap(one, two) => self.network.swap(one.index(many), two.index(many)),
            Step::Damage(at, bit) => damage(&mut self.network[at.index(many)], *bit),
            Step::Splice(one, two) => {
                let (one, two) = (one.index(many), two.index(many));
                let tail = self.network[two].bytes.clone();
                splice(&mut self.network[one], &tail, one == two);
            }
            Step::Replay(at) if !self.past.is_empty() => self
                .network
                .push(self.past[at.index(self.past.len())].clone()),
            _ => {}
        }
    }

    /// Leaves one copy of each genuine part of whole frames, one frame per name.
    fn clear(&mut self) {
        let mut seen = BTreeSet::new();
        self.network
            .retain(|packet| packet.part.is_some_and(|part| seen.insert(part)));
        let whole =
            |id: FrameId, value: i32| (0..self.parts).all(|part| seen.contains(&(id, value, part)));
        let mut first = BTreeMap::new();
        self.network.retain(|packet| {
            let (id, value, _) = packet.part.unwrap();
            whole(id, value) && *first.entry(id).or_insert(value) == value
        });
    }

    fn server(&self, number: usize) -> Server {
        Server::open(self.folders[number].path()).unwrap()
    }

    fn evaluate(
        &mut self,
        number: usize,
        total: bool,
        again: bool,
        end: End,
    ) -> std::result::Result<(), TestCaseError> {
        let server = self.server(number);
        let outcome = self.answer(&server, total, again, end);
        let must = self.must_answer(number, total, again);
        match outcome {
            Ok(answered) => {
                let (ids, items) = answered;
                self.check_entered(number, total, again, &ids)?;
                if end != End::Computed {
                    self.servers[number].known.extend(&ids);
                    self.servers[number]
                        .entered
                        .entry(total)
                        .or_default()
                        .extend(&ids);
                }
                if let End::Sent { taken } = end {
                    self.answers.push(Answer { items });
                    if taken {
                        self.network.clear();
                    }
                }
            }
            Err(error) => prop_assert!(
                !must || self.is_too_many(&error),
                "refused without a reason: {error:?}"
            ),
        }
        Ok(())
    }

    /// Reads, computes, enters and seals, up to the crash.
    fn answer(
        &self,
        server: &Server,
        total: bool,
        again: bool,
        end: End,
    ) -> Result<(Vec<FrameId>, Vec<Vec<u8>>)> {
        let request = Request::new(if total { Job::Total } else { Job::Sum });
        let mut inbox = Inbox::for_request(server, &request, again)?;
        for packet in &self.network {
            inbox.read(&packet.bytes[..])?;
        }
        let evaluated = inbox.evaluate(&mut quiet)?;
        if end == End::Computed {
            return Ok((Vec::new(), Vec::new()));
        }
        let answer = evaluated.enter()?;
        let ids = answer.frames.frames().map(|(id, _)| id);
        Ok((ids.collect(), answer.items))
    }

    /// Whether a refusal would be a fault: everything there is genuine, whole, once, new, and not too much.
    fn must_answer(&self, number: usize, total: bool, again: bool) -> bool {
        let memory = &self.servers[number];
        let mut parts = BTreeSet::new();
        let mut values = BTreeMap::new();
        for packet in &self.network {
            let Some((id, value, part)) = packet.part else {
                return false;
            };
            if !parts.insert((id, part)) || *values.entry(id).or_insert(value) != value {
                return false;
            }
        }
        let entered = memory.entered.get(&total);
        let newest = |device: u64| memory.known.iter().filter(|id| id.device == device).max();
        values.keys().all(|id| {
            let is_whole = (0..self.parts).all(|part| parts.contains(&(*id, part)));
            let is_new = again || !entered.is_some_and(|entered| entered.contains(id));
            let is_stale = newest(id.device).is_some_and(|newest| id.epoch < newest.epoch);
            is_whole && is_new && (!is_stale || memory.known.contains(id))
        }) && !values.is_empty()
    }

    /// True for a refusal of more frames than the noise of the set allows, when so many lie there.
    fn is_too_many(&self, error: &Error) -> bool {
        let frames: BTreeSet<_> = self
            .network
            .iter()
            .filter_map(|packet| packet.part)
            .collect();
        let Error::Job(isopod_eval::Error::Noise { advice, .. }) = error else {
            return false;
        };
        advice
            .frames
            .is_some_and(|most| frames.len() as u64 / self.parts as u64 > most)
    }

    /// Nothing but what devices sent enters, and nothing twice.
    fn check_entered(
        &self,
        number: usize,
        total: bool,
        again: bool,
        ids: &[FrameId],
    ) -> std::result::Result<(), TestCaseError> {
        let once: BTreeSet<_> = ids.iter().collect();
        prop_assert_eq!(once.len(), ids.len());
        let entered = self.servers[number].entered.get(&total);
        for id in ids {
            prop_assert!(self.truth.contains_key(id), "nobody sent {id:?}");
            let before = entered.is_some_and(|entered| entered.contains(id));
            prop_assert!(again || !before, "{id:?} entered twice");
        }
        Ok(())
    }

    fn read(&self, at: usize, tamper: &Tamper) -> std::result::Result<(), TestCaseError> {
        let items = self.tampered(at, tamper);
        let place = match tamper {
            Tamper::Owner => &self.keys.theirs,
            _ => &self.keys.ours,
        };
        let owner = place.owner();
        match owner.read(&items.concat()[..]) {
            Ok(results) => self.check_answer(&owner, &results),
            Err(error) => {
                prop_assert!(!matches!(tamper, Tamper::Nothing), "refused: {error:?}");
                prop_assert!(!matches!(error, Error::Contradiction { .. }), "{error:?}");
                Ok(())
            }
        }
    }

    fn tampered(&self, at: usize, tamper: &Tamper) -> Vec<Vec<u8>> {
        let mut items = self.answers[at].items.clone();
        let many = items.len();
        let other = |index: &Index| &self.answers[index.index(self.answers.len())].items;
        match tamper {
            Tamper::Nothing | Tamper::Owner => {}
            Tamper::Drop(index) => drop(items.remove(index.index(many))),
            Tamper::Swap(one, two) => items.swap(one.index(many), two.index(many)),
            Tamper::Repeat(index) => items.push(items[index.index(many)].clone()),
            Tamper::Join(index) => items.extend(other(index).iter().cloned()),
            Tamper::Splice(index, from) => {
                let theirs = other(from);
                items[index.index(many)] = theirs[index.index(theirs.len())].clone();
            }
            Tamper::Damage(index, bit) => {
                let bytes = &mut items[index.index(many)];
                let bit = bit.index(8 * bytes.len());
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
        items
    }

    /// Every value is the one that the named frames give, and every gap among them is reported.
    fn check_answer(
        &self,
        owner: &Owner,
        results: &Results,
    ) -> std::result::Result<(), TestCaseError> {
        let opened = owner.open_results(results, &mut quiet).unwrap();
        let manifests: Vec<&Manifest> = results
            .provenances()
            .map(|from| from.manifest.as_ref().unwrap())
            .collect();
        for (opened, manifest) in opened.into_iter().zip(manifests) {
            let Values::Integers(found) = opened.values.into_owner_only() else {
                panic!("integers")
            };
            prop_assert_eq!(opened.error, 0.0);
            let ids: Vec<FrameId> = manifest.frames().map(|(id, _)| id).collect();
            let sums = self.sums(&ids);
            let wanted = |sum: &i32| match results.job() {
                "total" => vec![2 * sum + 1],
                _ => vec![*sum, sum + ids.len() as i32],
            };
            prop_assert!(
                sums.iter().map(wanted).any(|wanted| wanted == found),
                "{found:?} of {ids:?}, of {sums:?}"
            );
        }
        self.check_missing(results)
    }

    /// Sums of these frames; several where a name has several values.
    fn sums(&self, ids: &[FrameId]) -> BTreeSet<i32> {
        ids.iter().fold(BTreeSet::from([0]), |sums, id| {
            let values = &self.truth[id];
            sums.iter()
                .flat_map(|sum| values.iter().map(move |value| sum + value))
                .collect()
        })
    }

    fn check_missing(&self, results: &Results) -> std::result::Result<(), TestCaseError> {
        let missing = results.missing();
        prop_assert!(missing.duplicates.is_empty());
        let ids: Vec<FrameId> = missing
            .manifest
            .unwrap()
            .frames()
            .map(|(id, _)| id)
            .collect();
        let gaps = missing
            .gaps
            .iter()
            .map(|gap| gap.last - gap.first + 1)
            .sum::<u64>();
        let wanted = ids
            .windows(2)
            .filter(|pair| (pair[0].device, pair[0].epoch) == (pair[1].device, pair[1].epoch));
        let wanted = wanted
            .map(|pair| pair[1].sequence - pair[0].sequence - 1)
            .sum::<u64>();
        prop_assert_eq!(gaps, wanted);
        Ok(())
    }
}

fn damage(packet: &mut Packet, bit: Index) {
    let bit = bit.index(8 * packet.bytes.len());
    packet.bytes[bit / 8] ^= 1 << (bit % 8);
    packet.part = None;
}

/// The head of one item and the tail of another.
fn splice(packet: &mut Packet, other: &[u8], same: bool) {
    let middle = packet.bytes.len().min(other.len()) / 2;
    packet.bytes.truncate(middle);
    packet.bytes.extend(&other[middle..]);
    if !same {
        packet.part = None;
    }
}

/// A server's folder of its own, with an empty memory of frames.
fn copy_of_server(place: &Place) -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    for entry in std::fs::read_dir(place.path("keys/server")).unwrap() {
        let from: PathBuf = entry.unwrap().path();
        let to = folder.path().join(from.file_name().unwrap());
        std::fs::copy(&from, to).unwrap();
    }
    folder
}

fn histories(parts: impl Strategy<Value = bool>) -> impl Strategy<Value = (bool, Vec<Step>)> {
    parts.prop_flat_map(|parts| (Just(parts), prop::collection::vec(step(parts), 1..=STEPS)))
}

fn config(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}

/// The histories notice a server that lost its memory of frames.
#[test]
fn a_server_that_forgets_is_found() {
    let config = Config {
        max_shrink_iters: 0,
        ..config(HISTORIES)
    };
    let outcome = TestRunner::new(config).run(&histories(Just(false)), |(parts, steps)| {
        let mut world = World::new(parts);
        steps.iter().try_for_each(|step| {
            world.forget();
            world.take(step)
        })
    });
    assert!(
        format!("{outcome:?}").contains("entered twice"),
        "{outcome:?}"
    );
}

#[test]
fn every_history_ends_in_the_right_answer_a_refusal_or_a_report() {
    let histories =
        std::env::var("ISOPOD_HISTORIES").map_or(HISTORIES, |text| text.parse().unwrap());
    // Frames of two parts take ten times as long: one history in eight.
    let history = self::histories(prop::bool::weighted(0.125));
    let outcome = TestRunner::new(config(histories)).run(&history, |(parts, steps)| {
        let mut world = World::new(parts);
        steps.iter().try_for_each(|step| world.take(step))
    });
    outcome.unwrap();
    if let Ok(out) = std::env::var("ISOPOD_HISTORIES_OUT") {
        record(&PathBuf::from(out), histories);
    }
}

/// Puts the record of a run that ended well among the others of the file.
fn record(file: &Path, runs: u32) {
    let mut records: Vec<Value> = match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap(),
        Err(_) => Vec::new(),
    };
    records.retain(|record| record["case"] != CASE);
    records.push(json!({
        "case": CASE, "set": SETS.join(", "), "runs": runs, "wrong": 0,
        "method": "random histories of two devices, a hostile network, two copies of a server, and an owner",
    }));
    std::fs::write(file, serde_json::to_vec_pretty(&records).unwrap()).unwrap();
}
