//! Everything that devices, network, server and owner remember.

use crate::names::{Frames, DEVICES};

/// Requests that are answered.
pub const REQUESTS: usize = 1;
/// Jobs that run at the same time.
pub const JOBS: usize = 2;

/// A device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Device {
    /// Its key pair.
    pub key: u8,
    /// Epochs that were used under it. Durable, and counted before a frame has one.
    pub epochs: u8,
    /// Frames of the present epoch; None while it is off.
    pub sends: Option<u8>,
}

/// A job between its start and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    /// Its request.
    pub request: u8,
    /// Frames whose sum it has.
    pub summed: Frames,
}

/// A promise that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// No two frames have one nonce.
    NonceOnce = 1,
    /// The log holds a frame once.
    StoredOnce = 2,
    /// A frame that was acknowledged is acknowledged again, whenever it comes.
    KnownAgain = 4,
    /// No frame counts twice in answers to one request.
    CountedOnce = 8,
    /// An answer names the frames that entered it.
    Named = 16,
    /// No answer that left after a revocation holds a frame of the device.
    Revoked = 32,
    /// No frame under another key pair is stored.
    OwnKey = 64,
}

/// A state of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Devices.
    pub devices: [Device; DEVICES as usize],
    /// Frames that were sent: the network may deliver them at any time, in any order, ever again, or never.
    pub sent: Frames,
    /// Frames whose receipt left the server.
    pub receipts: Frames,
    /// The server's key pair.
    pub key: u8,
    /// Frames in the log, flushed.
    pub log: Frames,
    /// Frames in the log that a loss of power may take.
    pub written: Frames,
    /// Flushed frames whose receipt did not leave.
    pub flushed: Frames,
    /// Frames that the log's index knows.
    pub known: Frames,
    /// Frames that entered answers to each request, in the server's memory of frames.
    pub entered: [Frames; REQUESTS],
    /// Frames of answers that left, as nobody but this model sees.
    pub counted: [Frames; REQUESTS],
    /// Jobs that run.
    pub jobs: [Option<Job>; JOBS],
    /// Devices that are revoked under the server's key: a bit for each.
    pub revoked: u8,
    /// Crashes of the server so far.
    pub crashes: u8,
    /// Promises that were broken.
    pub broken: u8,
}

impl State {
    /// Notes a broken promise.
    pub fn breaks(&mut self, promise: Promise, is_broken: bool) {
        if is_broken {
            self.broken |= promise as u8;
        }
    }

    /// Whether a promise was kept so far.
    pub fn keeps(&self, promise: Promise) -> bool {
        self.broken & promise as u8 == 0
    }
}
