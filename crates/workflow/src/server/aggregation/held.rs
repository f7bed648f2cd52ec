//! Groups whose frames are held as they came, for jobs on merged frames: each frame under its device's tag, once.

use std::collections::btree_map::Entry;
use std::collections::BTreeMap;

use isopod_wire::codes::size::DIGEST;
use isopod_wire::{FrameId, Manifest, WireError};

use crate::server::accumulate::frame::named;
use crate::{Error, Result};

/// Beginning of a state: no item of the wire format begins like this.
const MAGIC: &[u8; 8] = b"heldset1";
/// The refusal of a state that ends early.
const TORN: WireError = WireError::Truncated { field: "state" };
/// Bytes of a frame beside its own, about: name, rows and place.
const OVERHEAD: usize = 96;

/// Whole frames by name, with their rows.
#[derive(Clone, Default)]
pub(super) struct HeldFrames {
    frames: BTreeMap<FrameId, (u32, Vec<u8>)>,
    bytes: usize,
}

impl HeldFrames {
    /// Adds a frame that was authenticated.
    ///
    /// # Errors
    /// [`Error::Wire`] for one that is there already.
    pub fn add(&mut self, id: FrameId, rows: u32, bytes: Vec<u8>) -> Result<()> {
        match self.frames.entry(id) {
            Entry::Occupied(_) => Err(WireError::duplicate(id, 0).into()),
            Entry::Vacant(place) => {
                self.bytes += bytes.len() + OVERHEAD;
                place.insert((rows, bytes));
                Ok(())
            }
        }
    }

    /// Adds the frames of another group.
    ///
    /// # Errors
    /// Those of [`HeldFrames::add`], and then none is added.
    pub fn join(&mut self, other: Self) -> Result<()> {
        if let Some(id) = other.frames.keys().find(|id| self.frames.contains_key(id)) {
            return Err(Error::from(WireError::duplicate(*id, 0)).at(named(*id)));
        }
        self.bytes += other.bytes;
        self.frames.extend(other.frames);
        Ok(())
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The names of the frames.
    pub fn manifest(&self) -> Result<Manifest> {
        let frames = self.frames.iter().map(|(id, (rows, _))| (*id, *rows));
        Ok(Manifest::of(frames)?)
    }

    /// The frames as a state of a request. It has no tag of its own: each frame is authenticated again when the state is read.
    pub fn state(&self, request: &[u8; DIGEST]) -> Vec<u8> {
        let frames = self.frames.values().map(|(_, bytes)| bytes);
        let mut state = [&MAGIC[..], request].concat();
        for bytes in frames {
            state.extend((bytes.len() as u64).to_le_bytes());
            state.extend(bytes);
        }
        state
    }
}

/// A state of held frames.
pub(super) struct HeldState<'s> {
    /// Digest of the request that it is for.
    pub request: [u8; DIGEST],
    /// The bytes of each frame.
    pub frames: Vec<&'s [u8]>,
}

impl<'s> HeldState<'s> {
    /// Whether bytes begin as a state of held frames does.
    pub fn is_begun(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// A state, parsed. Its frames are not authenticated.
    ///
    /// # Errors
    /// [`Error::Wire`] for other bytes.
    pub fn read(bytes: &'s [u8]) -> Result<Self> {
        let (request, mut rest) = bytes
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.split_first_chunk::<DIGEST>())
            .ok_or(TORN)?;
        let mut frames = Vec::new();
        while !rest.is_empty() {
            let (length, behind) = rest.split_first_chunk().ok_or(TORN)?;
            let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let (frame, behind) = behind.split_at_checked(length).ok_or(TORN)?;
            frames.push(frame);
            rest = behind;
        }
        Ok(Self {
            request: *request,
            frames,
        })
    }
}
