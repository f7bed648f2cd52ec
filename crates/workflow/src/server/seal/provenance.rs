//! Stamps of evaluations: what all results of one evaluation say about it.

use isopod_linear::Proof;
use isopod_wire::codes::limit::MANIFEST_BYTES;
use isopod_wire::codes::size;
use isopod_wire::{LinearTag, Manifest, PackingId, Provenance};

use crate::hash::sha3;
use crate::request::descriptor::JobName;
use crate::request::job::Request;
use crate::server::accumulate::accumulator::Accumulated;
use crate::{Frame, Result, Server};

/// Name and number of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EvaluationId {
    /// Name of the evaluation, in all of its results and in no others.
    pub run: [u8; size::RUN],
    /// Number of the server's evaluation.
    pub sequence: u64,
}

impl EvaluationId {
    /// A id with a fresh name.
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
pub(crate) struct EvaluationInputs {
    pub job: JobName,
    pub request: [u8; size::DIGEST],
    pub challenge: Option<[u8; size::CHALLENGE]>,
    pub packing: Option<PackingId>,
    /// Items of each frame, where frames have items of their own.
    pub outputs: usize,
    /// All frames.
    pub frames: Manifest,
    /// Frames among them that partial states hold.
    pub of_states: Manifest,
    /// The linear tag of their sum, if that is what the job answers with.
    pub linear_tag: Option<LinearTag>,
}

impl EvaluationInputs {
    /// The inputs of a request that was accumulated.
    pub fn new(request: &Request, server: &Server, accumulated: &Accumulated) -> Result<Self> {
        let Accumulated {
            sum, tfhe, pads, ..
        } = accumulated;
        let (packing, frames) = match (sum, tfhe, pads) {
            (Some(sum), ..) => (sum.header.packing, sum.manifest.clone()),
            (_, _, Some(pads)) => (pads.packing(), pads.manifest()?),
            (_, Some(tfhe), _) => {
                let (packing, rows) = tfhe.frames();
                (packing, Manifest::of(rows)?)
            }
            (None, None, None) => {
                let frames = &accumulated.frames;
                let named = frames.iter().map(|frame| (frame.id(), frame.rows()));
                (
                    frames.first().and_then(Frame::packing),
                    Manifest::of(named)?,
                )
            }
        };
        let job = request.job.name();
        let linear_tag = match (sum, request.proof(server.set())) {
            (_, Proof::Nothing) => None,
            (Some(sum), _) => sum.linear_tag,
            (None, _) => weighted_tag(request, &accumulated.linear_tags),
        };
        Ok(Self {
            job,
            linear_tag,
            request: request.digest(server.set()),
            challenge: request.challenge,
            packing,
            outputs: request.outputs(server.set()),
            frames,
            of_states: accumulated.of_states.clone(),
        })
    }

    /// Provenance of each of the job's `total` items: those of a frame follow each other, in the order of the outputs.
    pub fn provenances(&self, id: &EvaluationId, total: usize) -> Result<Vec<Provenance>> {
        let each = self.frames.frames().map(|frame| Manifest::of([frame]));
        let (manifests, outputs): (Vec<Manifest>, usize) = match self.job.is_per_frame() {
            true => (each.collect::<std::result::Result<_, _>>()?, self.outputs),
            false => (vec![self.frames.clone()], total),
        };
        let each = manifests.into_iter();
        let items = each.flat_map(|manifest| std::iter::repeat_n(manifest, outputs));
        let items = items.take(total).enumerate();
        Ok(items
            .map(|(index, manifest)| self.provenance(id, index, total, manifest))
            .collect())
    }

    /// Provenance of each of the pieces of values: those of a merged ciphertext follow each other, as many as frames fit into it,
    /// and name the frames that it holds.
    pub fn of_merged(
        &self,
        id: &EvaluationId,
        frames_each: usize,
        total: usize,
    ) -> Result<Vec<Provenance>> {
        let frames: Vec<_> = self.frames.frames().collect();
        let manifests = frames
            .chunks(frames_each)
            .map(|few| Manifest::of(few.iter().copied()));
        let manifests: Vec<Manifest> = manifests.collect::<std::result::Result<_, _>>()?;
        let each = manifests.into_iter();
        let pieces = each.flat_map(|manifest| std::iter::repeat_n(manifest, frames_each));
        let provenances = pieces.enumerate();
        Ok(provenances
            .map(|(index, manifest)| self.provenance(id, index, total, manifest))
            .collect())
    }

    fn provenance(
        &self,
        id: &EvaluationId,
        index: usize,
        total: usize,
        manifest: Manifest,
    ) -> Provenance {
        let bytes = manifest.encode();
        Provenance {
            run: id.run,
            sequence: id.sequence,
            // 2^32 items are more than a memory holds.
            index: index as u32,
            total: total as u32,
            challenge: self.challenge,
            request: self.request,
            job: self.job.name().to_owned(),
            frames: manifest.count(),
            origin: sha3(&[], &bytes),
            manifest: (bytes.len() <= MANIFEST_BYTES).then_some(manifest),
            packing: self.packing,
        }
    }
}

/// The tag of a weighted sum of frames that were held, if each has one and all are of one period.
fn weighted_tag(request: &Request, tags: &[Option<LinearTag>]) -> Option<LinearTag> {
    let weights = request.integer_weights()?;
    let first = (*tags.first()?)?;
    let mut tags = tags.iter().zip(weights);
    tags.try_fold(LinearTag::new(first.period(), 0), |sum, (tag, weight)| {
        sum.plus((*tag)?, weight)
    })
}
