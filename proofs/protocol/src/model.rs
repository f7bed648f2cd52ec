//! Everything that can happen, and the promises that hold in every state.

use stateright::{Model, Property};

use crate::fault::Fault;
use crate::names::{
    names, of_device, of_key, Frames, Judge, Judgement, Name, DEVICES, EPOCHS, KEYS, SENDS,
};
use crate::state::{Device, Job, Promise, State, JOBS, REQUESTS};

/// A step of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A device starts: it counts an epoch, durably.
    Start(u8),
    /// A device loses its power.
    Cut(u8),
    /// A device encrypts and sends its next frame.
    Send(u8),
    /// The network delivers a frame that was sent at any time.
    Deliver(Name),
    /// The log is flushed.
    Flush,
    /// Receipts leave for all frames that were flushed.
    Acknowledge,
    /// The server loses its power; the disk keeps these of the frames that were not flushed.
    Crash(Frames),
    /// A job of a request starts, on all frames that are new to it.
    Begin(u8),
    /// A job enters its frames in the memory, and its answer leaves.
    Finish(u8),
    /// The owner revokes a device.
    Revoke(u8),
    /// The owner makes a new key pair; the server's folder is a new one.
    Rotate,
    /// A device gets its folder under the server's key pair.
    Provide(u8),
}

/// How much may happen.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Frames that all devices send together, at most.
    pub sent: u32,
    /// Crashes of the server, at most.
    pub crashes: u8,
}

/// The protocol, with one fault or none.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// The fault.
    pub fault: Option<Fault>,
    bounds: Bounds,
    judge: Judge,
}

impl Protocol {
    /// The protocol with a fault, or as it is.
    pub fn new(fault: Option<Fault>, bounds: Bounds) -> Self {
        Self {
            fault,
            bounds,
            judge: Judge::new(),
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// How the log takes a frame.
    pub fn judged(&self, state: &State, name: Name) -> Judgement {
        self.judge.of(state.known, name)
    }

    fn device_actions(&self, state: &State, actions: &mut Vec<Action>) {
        for number in 0..DEVICES {
            let device = &state.devices[usize::from(number)];
            match device.sends {
                None if device.epochs < EPOCHS => actions.push(Action::Start(number)),
                None => {}
                Some(sends) => {
                    actions.push(Action::Cut(number));
                    if sends < SENDS && state.sent.count_ones() < self.bounds.sent {
                        actions.push(Action::Send(number));
                    }
                }
            }
            if device.key != state.key {
                actions.push(Action::Provide(number));
            }
            if state.revoked & 1 << number == 0 {
                actions.push(Action::Revoke(number));
            }
        }
    }

    fn server_actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(names(state.sent).map(Action::Deliver));
        if state.written != 0 {
            actions.push(Action::Flush);
        }
        if state.flushed != 0 {
            actions.push(Action::Acknowledge);
        }
        if state.crashes < self.bounds.crashes {
            actions.extend(subsets(state.written).map(Action::Crash));
        }
        let is_free = state.jobs.iter().any(Option::is_none);
        for request in (0..REQUESTS as u8).filter(|_| is_free) {
            if self.snapshot(state, request) != 0 {
                actions.push(Action::Begin(request));
            }
        }
        let running = (0..JOBS as u8).filter(|&job| state.jobs[usize::from(job)].is_some());
        actions.extend(running.map(Action::Finish));
        if state.key + 1 < KEYS {
            actions.push(Action::Rotate);
        }
    }

    /// Frames that a job of a request takes.
    fn snapshot(&self, state: &State, request: u8) -> Frames {
        let refused = match self.has(Fault::JobsTakeRevokedFrames) {
            true => 0,
            false => revoked(state),
        };
        state.log & of_key(state.key) & !state.entered[usize::from(request)] & !refused
    }

    fn start(&self, state: &mut State, number: u8) {
        let device = &mut state.devices[usize::from(number)];
        device.sends = Some(0);
        if !self.has(Fault::EpochCountedLate) {
            device.epochs += 1;
        }
    }

    fn send(&self, state: &mut State, number: u8) {
        let device = &mut state.devices[usize::from(number)];
        let Some(sends) = device.sends else { return };
        let epoch = match self.has(Fault::EpochCountedLate) {
            true => device.epochs,
            false => device.epochs - 1,
        };
        let name = Name::new(device.key, number, (epoch, sends));
        device.sends = Some(sends + 1);
        // With the fault, the epoch is counted once the device has sent all its frames.
        if self.has(Fault::EpochCountedLate) && sends + 1 == SENDS {
            device.epochs += 1;
            device.sends = None;
        }
        state.breaks(Promise::NonceOnce, state.sent & name.bit() != 0);
        state.sent |= name.bit();
    }

    fn deliver(&self, state: &mut State, name: Name) {
        let bit = name.bit();
        let is_own = name.key() == state.key || self.has(Fault::AnyKeyStored);
        if !is_own || revoked(state) & bit != 0 {
            return;
        }
        match self.judged(state, name) {
            Judgement::New => {
                let is_there = (state.log | state.written) & bit != 0;
                state.breaks(Promise::StoredOnce, is_there);
                state.breaks(Promise::OwnKey, name.key() != state.key);
                state.written |= bit;
                state.known |= bit;
                if self.has(Fault::ReceiptBeforeFlush) {
                    state.receipts |= bit;
                }
            }
            // A frame that waits for its flush waits for its receipt, too.
            Judgement::Known => state.flushed |= bit & state.log,
            Judgement::Stale => {
                state.breaks(Promise::KnownAgain, state.receipts & bit != 0);
            }
        }
    }

    fn flush(&self, state: &mut State) {
        state.log |= state.written;
        state.flushed |= state.written;
        state.written = 0;
    }

    fn crash(&self, state: &mut State, kept: Frames) {
        state.log |= kept;
        state.written = 0;
        state.flushed = 0;
        state.jobs = [None; JOBS];
        state.crashes += 1;
        state.known = match self.fault {
            Some(Fault::IndexNotRebuilt) => 0,
            Some(Fault::IndexOfNewestEpoch) => newest_epochs(state.log),
            _ => state.log,
        };
        if self.has(Fault::MemoryInCache) {
            state.entered = [0; REQUESTS];
        }
        if self.has(Fault::TailCutAtMark) {
            // The mark stands where it stood before the receipts left.
            state.log &= !state.receipts;
        }
    }

    fn begin(&self, state: &mut State, request: u8) {
        let summed = self.snapshot(state, request);
        let free = state.jobs.iter_mut().find(|job| job.is_none());
        if let Some(job) = free {
            *job = Some(Job { request, summed });
        }
        // Which of two jobs is which makes no difference, and halves the states.
        state.jobs.sort_unstable();
    }

    fn finish(&self, state: &mut State, number: u8) {
        let Some(job) = state.jobs[usize::from(number)].take() else {
            return;
        };
        state.jobs.sort_unstable();
        let request = usize::from(job.request);
        let (entered, summed) = (state.entered[request], job.summed);
        let is_repeated = entered & summed != 0 && !self.has(Fault::EnteredUnchecked);
        let is_revoked = revoked(state) & summed != 0 && !self.checks_late();
        let is_other = of_key(state.key) & summed != summed;
        if is_repeated || is_revoked || is_other {
            return;
        }
        let named = match self.has(Fault::NamesOfTheEnd) {
            true => self.snapshot(state, job.request),
            false => summed,
        };
        state.breaks(Promise::Named, named != summed);
        state.breaks(Promise::CountedOnce, state.counted[request] & summed != 0);
        state.breaks(Promise::Revoked, revoked(state) & summed != 0);
        state.entered[request] |= summed;
        state.counted[request] |= summed;
    }

    /// Whether a fault lets a revocation be overlooked when an answer leaves.
    fn checks_late(&self) -> bool {
        self.has(Fault::RevokedAtStartOnly) || self.has(Fault::JobsTakeRevokedFrames)
    }

    fn rotate(&self, state: &mut State) {
        state.key += 1;
        state.revoked = 0;
        // The new folder has a memory of its own; jobs of the old one end with it.
        state.entered = [0; REQUESTS];
        state.jobs = [None; JOBS];
    }

    fn provide(&self, state: &mut State, number: u8) {
        let device = &mut state.devices[usize::from(number)];
        let key = match self.has(Fault::FolderAnewUnderOldKey) {
            true => device.key,
            false => state.key,
        };
        *device = Device {
            key,
            ..Device::default()
        };
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.broken != 0 {
            return;
        }
        self.device_actions(state, actions);
        self.server_actions(state, actions);
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = *before;
        match action {
            Action::Start(device) => self.start(&mut state, device),
            Action::Cut(device) => state.devices[usize::from(device)].sends = None,
            Action::Send(device) => self.send(&mut state, device),
            Action::Deliver(name) => self.deliver(&mut state, name),
            Action::Flush => self.flush(&mut state),
            Action::Acknowledge => {
                state.receipts |= state.flushed;
                state.flushed = 0;
            }
            Action::Crash(kept) => self.crash(&mut state, kept),
            Action::Begin(request) => self.begin(&mut state, request),
            Action::Finish(job) => self.finish(&mut state, job),
            Action::Revoke(device) => state.revoked |= 1 << device,
            Action::Rotate => self.rotate(&mut state),
            Action::Provide(device) => self.provide(&mut state, device),
        }
        Some(state).filter(|state| state != before)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(
                "nothing that was acknowledged is lost",
                |_, state: &State| state.receipts & !state.log == 0,
            ),
            Property::always("no nonce repeats", |_, state: &State| {
                state.keeps(Promise::NonceOnce)
            }),
            Property::always("the log holds a frame once", |_, state: &State| {
                state.keeps(Promise::StoredOnce)
            }),
            Property::always(
                "what was acknowledged is known whenever it comes again",
                |_, state: &State| state.keeps(Promise::KnownAgain),
            ),
            Property::always("nothing counts twice", |_, state: &State| {
                state.keeps(Promise::CountedOnce)
            }),
            Property::always("an answer names what entered", |_, state: &State| {
                state.keeps(Promise::Named)
            }),
            Property::always(
                "no answer holds a frame of a revoked device",
                |_, state: &State| state.keeps(Promise::Revoked),
            ),
            Property::always("no frame of another key is stored", |_, state: &State| {
                state.keeps(Promise::OwnKey)
            }),
            Property::sometimes("every frame is answered", |model: &Self, state: &State| {
                let counted = state.counted.iter().fold(0, |all, one| all | one);
                state.crashes == model.bounds.crashes && counted.count_ones() == model.bounds.sent
            }),
        ]
    }
}

/// Frames of devices that are revoked under the server's key.
fn revoked(state: &State) -> Frames {
    let devices = (0..DEVICES).filter(|device| state.revoked & 1 << device != 0);
    devices.fold(0, |frames, device| frames | of_device(device)) & of_key(state.key)
}

/// Every subset of a set.
fn subsets(frames: Frames) -> impl Iterator<Item = Frames> {
    let next = move |&subset: &Frames| (subset != 0).then(|| (subset - 1) & frames);
    std::iter::successors(Some(frames), next)
}

/// Frames of a device's second epoch alone, where it has any.
fn newest_epochs(log: Frames) -> Frames {
    let is_old = |name: &Name| {
        let of = |other: &Name| other.key() == name.key() && other.device() == name.device();
        names(log).any(|other| of(&other) && other.id().epoch > name.id().epoch)
    };
    names(log)
        .filter(|name| !is_old(name))
        .fold(0, |frames, name| frames | name.bit())
}
