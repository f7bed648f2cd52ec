//! Stamps of evaluations: what all results of one evaluation say about it.

use isopod_wire::codes::limit::MANIFEST_BYTES;
use isopod_wire::codes::size;
use isopod_wire::{FrameId, Manifest, PackingId, Provenance};

use crate::hash::sha3;
use crate::job::JobName;
use crate::Result;

/// Name and number of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Name of the evaluation, in all of its results and in no others.
    pub run: [u8; size::RUN],
    /// Number of the server's evaluation.
    pub sequence: u64,
}

impl Stamp {
    /// A stamp with a fresh name.
    ///
    /// # Errors
    /// [`crate::Error::Keys`] without entropy.
    pub fn new(sequence: u64) -> Result<Self> {
        let run = isopod_keys::random()?;
        Ok(Self { run, sequence })
    }
}

/// Request of an evaluation, and the frames that entered, each with its number of rows.
#[derive(Debug, Clone)]
pub(crate) struct Entered {
    pub job: JobName,
    pub request: [u8; size::DIGEST],
    pub challenge: Option<[u8; size::CHALLENGE]>,
    pub packing: Option<PackingId>,
    pub frames: Vec<(FrameId, u32)>,
}

impl Entered {
    /// The frames of one of the job's items.
    fn of_item(&self, index: usize) -> &[(FrameId, u32)] {
        match self.job.is_per_frame() {
            true => &self.frames[index..=index],
            false => &self.frames,
        }
    }

    /// Provenance of item `index` of `total`.
    pub fn provenance(&self, stamp: &Stamp, index: usize, total: usize) -> Result<Provenance> {
        let manifest = Manifest::of(self.of_item(index).iter().copied())?;
        let bytes = manifest.encode();
        Ok(Provenance {
            run: stamp.run,
            sequence: stamp.sequence,
            // At most as many items as frames, of which 2^32 are more than a memory holds.
            index: index as u32,
            total: total as u32,
            challenge: self.challenge,
            request: self.request,
            job: self.job.name().to_owned(),
            frames: manifest.count(),
            origin: sha3(&[], &bytes),
            manifest: (bytes.len() <= MANIFEST_BYTES).then_some(manifest),
            packing: self.packing,
        })
    }
}
