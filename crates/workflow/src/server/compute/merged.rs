//! Requests on merged frames: as many as fit become one ciphertext of a large ring, and a program behind a pipe computes on it.

use isopod_lattigo::Answer;
use isopod_linear::{LargeRing, Merge, Merged, Reduction};
use isopod_wire::{ParameterSet, RoundedFrame};

use crate::progress::{Progress, Stage};
use crate::request::job::Request;
use crate::server::accumulate::frame::named;
use crate::server::accumulate::residues::mask;
use crate::server::compute::summary::Summary;
use crate::server::compute::task::Task;
use crate::{Error, Frame, Result, Server};

/// An answer under the key of the frames, and what it is an answer to.
pub(crate) struct MergedResult {
    pub set: &'static ParameterSet,
    pub answer: Answer,
    /// Frames that fit into a ciphertext.
    pub frames_each: usize,
    ciphertexts: usize,
    label: String,
}

impl MergedResult {
    /// Refuses what [`MergedResult::of`] refuses before anything is computed.
    pub(crate) fn check(request: &Request, server: &Server, frames: Vec<Frame>) -> Result<()> {
        request.check_frames(&frames)?;
        let question = request.job.question()?;
        let ring = server.bootstrapping(request)?.size().ring;
        let merged = request.merged(server, frames, (ring, question.reduction()))?;
        question.plan(&merged)?;
        Ok(())
    }

    /// Merges all frames, which refuses those that are out of range before anything is computed, and asks.
    pub(crate) fn of(
        task: Task<'_, '_>,
        set: &'static ParameterSet,
        frames: Vec<Frame>,
    ) -> Result<Self> {
        let Task {
            request,
            server,
            report,
        } = task;
        let mut backend = server.bootstrapping(request)?;
        let question = request.job.question()?;
        backend.size().check(question.reduction())?;
        let range = (backend.size().ring, question.reduction());
        let merged = request.merged(server, frames, range)?;
        let mut progress = |stage: isopod_lattigo::Stage| {
            report(Progress {
                stage: Stage::Computing,
                done: stage.done as usize,
                total: stage.total as usize,
            });
        };
        let answer = backend.ask(&merged, question.as_ref(), &mut progress)?;
        Ok(Self {
            set,
            answer,
            frames_each: backend.size().ring.degree / set.ring_degree,
            ciphertexts: merged.len(),
            label: backend.start()?.label.clone(),
        })
    }

    pub(crate) fn summary(&self) -> Summary {
        let plan = &self.answer.plan;
        Summary::Lattigo {
            readings: plan.readings,
            ciphertexts: self.ciphertexts,
            results: self.answer.pieces.len(),
            gap: plan.gap,
            error: plan.error(),
            each: plan.each.is_some(),
            label: self.label.clone(),
        }
    }
}

impl Request {
    /// Ciphertexts of the frames, in their order.
    fn merged(
        &self,
        server: &Server,
        frames: Vec<Frame>,
        (large, reduction): (LargeRing, Reduction),
    ) -> Result<Vec<Merged>> {
        let (job, request) = (self.job.name().name(), self.digest(server.set()));
        let mut merged = Vec::new();
        let mut frames = frames.into_iter().map(Frame::rounded);
        while let Some(next) = frames.next() {
            let next = next?;
            let mut merge = Merge::new(&next.header, job, request, large, reduction)?;
            add(&mut merge, &next)?;
            while !merge.is_full() {
                let Some(next) = frames.next() else { break };
                add(&mut merge, &next?)?;
            }
            merged.push(merge.finish()?);
        }
        Ok(merged)
    }
}

/// Merges a frame; a refusal names it.
fn add(merge: &mut Merge, frame: &RoundedFrame) -> Result<()> {
    let mask = mask(&frame.header)?;
    let added = merge.add(frame, mask.as_deref());
    added.map_err(|error| Error::from(error).at(named(frame.header.id)))
}
