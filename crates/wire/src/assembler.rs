//! Assembly of frames from authenticated parts in any order (`spec/wire.md`, section 1), within limits of memory.

use std::collections::{BTreeMap, HashSet};

use crate::{FrameHeader, FrameId, Kind, Part, Result, Suite, TfheFrame, WireError};

/// Limits on what an [`Assembler`] keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of frames that may lack parts at the same time.
    pub open_frames: usize,
    /// Number of complete frames whose names are kept, so that a repetition is refused.
    pub remembered_frames: usize,
}

impl Default for Limits {
    /// 64 open frames (at most about 500 MB, if all are of the largest set) and 2^20 names.
    fn default() -> Self {
        Self {
            open_frames: 64,
            remembered_frames: 1 << 20,
        }
    }
}

/// The second polynomial of a ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mask {
    /// c1 of each prime, n residues each.
    Polynomials(Vec<Vec<u64>>),
    /// The public seed from which c1 is expanded.
    Seed {
        /// Suite that expands it.
        suite: Suite,
        /// 32 bytes, or 64 for [`Suite::SealShake256`].
        seed: Vec<u8>,
    },
}

/// One complete ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Header that all its parts share.
    pub header: FrameHeader,
    /// c0 of each prime, n residues each in NTT order.
    pub c0: Vec<Vec<u64>>,
    /// c1, in full or as its seed.
    pub mask: Mask,
}

struct Open {
    header: FrameHeader,
    parts: Vec<Option<Part>>,
}

impl Open {
    fn new(header: FrameHeader) -> Self {
        let parts = header.primes().iter().map(|_| None).collect();
        Self { header, parts }
    }

    fn missing(&self) -> Vec<u16> {
        let empty = self
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.is_none());
        empty.map(|(number, _)| number as u16).collect()
    }
}

/// Collects authenticated parts. A refused part changes nothing.
pub struct Assembler {
    limits: Limits,
    open: BTreeMap<FrameId, Open>,
    done: HashSet<FrameId>,
}

impl Assembler {
    /// Creates an empty assembler.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            open: BTreeMap::new(),
            done: HashSet::new(),
        }
    }

    /// Accepts a part and says whether its frame is complete.
    ///
    /// Errors: [`WireError::Duplicate`]; [`WireError::Mismatch`] with the parts before; [`WireError::OutOfRange`] of
    /// `open_frames` or `remembered_frames` at a limit.
    pub fn accept(&mut self, part: Part) -> Result<bool> {
        let id = part.header.id;
        self.check(&part)?;
        let open = self
            .open
            .entry(id)
            .or_insert_with(|| Open::new(part.header.clone()));
        let slot = usize::from(part.part);
        open.parts[slot] = Some(part);
        Ok(open.missing().is_empty())
    }

    fn check(&self, part: &Part) -> Result<()> {
        let duplicate = duplicate(part.header.id, part.part);
        if self.done.contains(&part.header.id) {
            return Err(duplicate);
        }
        let Some(open) = self.open.get(&part.header.id) else {
            return self.check_room();
        };
        if let Some(field) = open.header.difference(&part.header) {
            return Err(WireError::Mismatch { field });
        }
        match &open.parts[usize::from(part.part)] {
            Some(_) => Err(duplicate),
            None => Ok(()),
        }
    }

    /// Records a TFHE frame, which is complete by itself, so that its repetition is refused.
    ///
    /// Errors: [`WireError::Duplicate`] if a frame of that name was accepted, of whatever kind; [`WireError::OutOfRange`] of
    /// `remembered_frames`.
    pub fn accept_tfhe(&mut self, frame: &TfheFrame) -> Result<()> {
        let id = frame.header.id;
        if self.done.contains(&id) || self.open.contains_key(&id) {
            return Err(duplicate(id, 0));
        }
        self.check_room()?;
        self.done.insert(id);
        Ok(())
    }

    fn check_room(&self) -> Result<()> {
        at_most("open_frames", self.open.len() + 1, self.limits.open_frames)?;
        at_most(
            "remembered_frames",
            self.done.len() + self.open.len() + 1,
            self.limits.remembered_frames,
        )
    }

    /// Removes and returns a complete frame; its parts are refused from then on.
    ///
    /// Errors: [`WireError::MissingParts`]; the frame then stays.
    pub fn complete(&mut self, id: FrameId) -> Result<Frame> {
        let missing = match self.open.get(&id) {
            Some(open) => open.missing(),
            None => return Err(missing_parts(id, Vec::new())),
        };
        if !missing.is_empty() {
            return Err(missing_parts(id, missing));
        }
        let open = self
            .open
            .remove(&id)
            .ok_or_else(|| missing_parts(id, Vec::new()))?;
        self.done.insert(id);
        Ok(join(open))
    }

    /// Frames that lack parts, each with the numbers of the missing ones.
    pub fn incomplete(&self) -> impl Iterator<Item = (FrameId, Vec<u16>)> + '_ {
        let open = self.open.iter().map(|(id, open)| (*id, open.missing()));
        open.filter(|(_, missing)| !missing.is_empty())
    }
}

fn at_most(field: &'static str, value: usize, most: usize) -> Result<()> {
    if value <= most {
        return Ok(());
    }
    Err(WireError::out_of_range(
        field,
        value,
        format!("0 to {most}; finish or drop frames first"),
    ))
}

pub(crate) fn duplicate(id: FrameId, part: u16) -> WireError {
    WireError::Duplicate {
        device: id.device,
        epoch: id.epoch,
        sequence: id.sequence,
        part,
    }
}

pub(crate) fn missing_parts(
    FrameId {
        device,
        epoch,
        sequence,
    }: FrameId,
    missing: Vec<u16>,
) -> WireError {
    WireError::MissingParts {
        device,
        epoch,
        sequence,
        missing,
    }
}

fn join(open: Open) -> Frame {
    let (mut c0, mut c1) = (Vec::new(), Vec::new());
    for part in open.parts.into_iter().flatten() {
        c0.push(part.c0);
        c1.extend(part.c1);
    }
    let mask = match open.header.kind {
        Kind::PublicKey => Mask::Polynomials(c1),
        Kind::SecretKey => Mask::Seed {
            suite: open.header.suite,
            seed: open.header.seed.clone(),
        },
    };
    Frame {
        header: open.header,
        c0,
        mask,
    }
}
