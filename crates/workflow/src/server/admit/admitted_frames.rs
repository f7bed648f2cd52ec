//! Knowledge of all threads of an inbox: names of frames that entered, parts that wait for others, and the tally.

use std::collections::BTreeMap;

use isopod_wire::{FrameHeader, FrameId, Manifest, Origins, WireError};

use crate::server::admit::quarantine::{LocatedBytes, Tally};
use crate::server::read::position::SourcePosition;
use crate::Result;

/// Most frames that may lack parts at the same time: 1 GB, if all are of the set `ckks-4096x2-linear`.
const OPEN_FRAMES: usize = 1 << 14;

/// A part that waits for the others of its frame.
pub(crate) struct PendingPart {
    part: u16,
    bytes: Vec<u8>,
    place: SourcePosition,
}

impl PendingPart {
    /// A copy of a part.
    pub fn new(piece: &LocatedBytes<'_>, part: u16) -> Self {
        Self {
            part,
            bytes: piece.bytes.to_vec(),
            place: piece.place.clone(),
        }
    }

    /// The part.
    pub fn piece(&self) -> LocatedBytes<'_> {
        LocatedBytes {
            place: self.place.clone(),
            bytes: &self.bytes,
        }
    }
}

/// A frame that lacks parts.
struct Open {
    header: FrameHeader,
    parts: Vec<PendingPart>,
}

/// AdmittedFrames, waiting parts and tally.
#[derive(Default)]
pub(crate) struct AdmittedFrames {
    /// Frames that entered by themselves.
    entered: Origins,
    /// Frames of partial states.
    of_states: Origins,
    open: BTreeMap<FrameId, Open>,
    pub tally: Tally,
}

impl AdmittedFrames {
    /// Enters a frame; false if a partial state holds it.
    pub fn enter(&mut self, id: FrameId) -> Result<bool> {
        if self.of_states.contains(id) {
            self.tally.known += 1;
            return Ok(false);
        }
        if self.entered.contains(id) {
            return Err(WireError::duplicate(id, 0).into());
        }
        self.entered.insert(id, 1)?;
        self.tally.frames += 1;
        Ok(true)
    }

    /// Takes back a frame that could not be taken in; its name stays, so that nothing of it counts twice.
    pub fn leave(&mut self) {
        self.tally.frames -= 1;
    }

    /// Refuses a partial state with frames that entered by themselves.
    pub fn check_state(&self, state: &Manifest) -> Result<()> {
        match state.frames().find(|(id, _)| self.entered.contains(*id)) {
            Some((id, _)) => Err(WireError::duplicate(id, 0).into()),
            None => Ok(()),
        }
    }

    /// Enters the frames of a partial state that was checked and merged.
    pub fn add_state(&mut self, state: &Manifest) -> Result<()> {
        let known = self.of_states.manifest()?.union(state)?;
        self.of_states = Origins::from(&known);
        self.tally.frames += state.count();
        Ok(())
    }

    /// Keeps a part until the others of its frame are there, and then gives all of them.
    pub fn wait(
        &mut self,
        header: &FrameHeader,
        part: PendingPart,
    ) -> Result<Option<Vec<PendingPart>>> {
        let id = header.id;
        if self.entered.contains(id) {
            return Err(WireError::duplicate(id, part.part).into());
        }
        let room = self.open.len() < OPEN_FRAMES || self.open.contains_key(&id);
        if !room {
            return Err(crate::Error::OpenFrames { most: OPEN_FRAMES });
        }
        let open = self.open.entry(id).or_insert_with(|| Open {
            header: header.clone(),
            parts: Vec::new(),
        });
        if let Some(field) = open.header.difference(header) {
            return Err(WireError::Mismatch { field }.into());
        }
        if open.parts.iter().any(|other| other.part == part.part) {
            return Err(WireError::duplicate(id, part.part).into());
        }
        open.parts.push(part);
        if open.parts.len() < usize::from(header.parts) {
            return Ok(None);
        }
        Ok(self.open.remove(&id).map(|open| open.parts))
    }

    /// The first frame that lacks parts, and those that are there.
    pub fn incomplete(&mut self) -> Option<(WireError, Vec<PendingPart>)> {
        let (id, open) = self.open.pop_first()?;
        let is_there = |part: &u16| open.parts.iter().any(|other| other.part == *part);
        let missing = (0..open.header.parts).filter(|part| !is_there(part));
        let error = WireError::missing_parts(id, missing.collect());
        Some((error, open.parts))
    }
}
