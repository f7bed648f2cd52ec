//! Names of frames, few enough that a set of them is a number.

use isopod_keys::Seen;
use isopod_wire::FrameId;

/// Devices of the model.
pub const DEVICES: u8 = 2;
/// Key pairs: the first, and the one that a rotation makes.
pub const KEYS: u8 = 2;
/// Starts of a device under one key.
pub const EPOCHS: u8 = 2;
/// Frames of a device in one epoch.
pub const SENDS: u8 = 3;
/// Sequences of the frames of an epoch. Behind the first, a thousand and more others were lost: it is stale afterwards, unless it
/// is known.
pub const SEQUENCES: [u64; SENDS as usize] = [0, 1500, 1501];

/// A set of frames: a bit for each name.
pub type Frames = u32;

/// Names of one device under one key.
const OF_DEVICE: u8 = EPOCHS * SENDS;

/// Name of a frame: the number of its bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u8);

impl Name {
    /// The frame number `send` of a device's epoch, all from 0.
    pub fn new(key: u8, device: u8, (epoch, send): (u8, u8)) -> Self {
        Self((key * DEVICES + device) * OF_DEVICE + epoch * SENDS + send)
    }

    /// The set of this frame alone.
    pub fn bit(self) -> Frames {
        1 << self.0
    }

    /// The key pair, from 0.
    pub fn key(self) -> u8 {
        self.0 / (DEVICES * OF_DEVICE)
    }

    /// The device, from 0.
    pub fn device(self) -> u8 {
        self.0 / OF_DEVICE % DEVICES
    }

    /// The name as frames carry it.
    pub fn id(self) -> FrameId {
        let place = self.0 % OF_DEVICE;
        FrameId {
            device: u64::from(self.device()) + 1,
            epoch: u32::from(place / SENDS) + 1,
            sequence: SEQUENCES[usize::from(place % SENDS)],
        }
    }

    /// The name of a frame that came from real code.
    pub fn of(key: u8, id: FrameId) -> Option<Self> {
        let all = (0..DEVICES * OF_DEVICE).map(|place| Self(key * DEVICES * OF_DEVICE + place));
        all.into_iter().find(|name| name.id() == id)
    }
}

/// The names of a set.
pub fn names(frames: Frames) -> impl Iterator<Item = Name> {
    (0..KEYS * DEVICES * OF_DEVICE)
        .map(Name)
        .filter(move |name| frames & name.bit() != 0)
}

/// All names of a key pair.
pub fn of_key(key: u8) -> Frames {
    let count = DEVICES * OF_DEVICE;
    ((1 << count) - 1) << (key * count)
}

/// All names of a device, under both keys.
pub fn of_device(device: u8) -> Frames {
    (0..KEYS).fold(0, |frames, key| {
        let first = (key * DEVICES + device) * OF_DEVICE;
        frames | ((1 << OF_DEVICE) - 1) << first
    })
}

/// How a log takes a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// It is stored.
    New,
    /// It is there: acknowledge it again.
    Known,
    /// It is refused, being too old to be judged.
    Stale,
}

/// The judgement of every frame by every set of frames of its device that is known: that of [`Seen`], which the log uses.
#[derive(Debug, Clone)]
pub struct Judge(Vec<Judgement>);

impl Judge {
    /// Asks [`Seen`] for all of them.
    pub fn new() -> Self {
        let known = 0..1u32 << OF_DEVICE;
        let all =
            known.flat_map(|known| (0..OF_DEVICE).map(move |place| judge(known, Name(place))));
        Self(all.collect())
    }

    /// The judgement of a frame by all that are known.
    pub fn of(&self, known: Frames, name: Name) -> Judgement {
        let first = (name.key() * DEVICES + name.device()) * OF_DEVICE;
        let known = known >> first & ((1 << OF_DEVICE) - 1);
        self.0[known as usize * usize::from(OF_DEVICE) + usize::from(name.0 - first)]
    }
}

impl Default for Judge {
    fn default() -> Self {
        Self::new()
    }
}

fn judge(known: Frames, name: Name) -> Judgement {
    let mut seen = Seen::default();
    for other in names(known) {
        let id = other.id();
        seen.insert(id.epoch, id.sequence);
    }
    match seen.is_new(name.id()) {
        Ok(true) => Judgement::New,
        Ok(false) => Judgement::Known,
        Err(_) => Judgement::Stale,
    }
}
