//! A request on frames: to ciphertexts of its evaluator, through the job, to results that only the owner reads.

use std::num::NonZero;

use isopod_wire::{FrameId, Manifest};

use crate::progress::Report;
use crate::request::job::Request;
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::compute::computed::Computed;
use crate::server::compute::summary::Summary;
use crate::server::inbox::Purpose;
use crate::server::partial_state::{pad_state, State};
use crate::server::seal::provenance::{EvaluationId, EvaluationInputs};
use crate::{Error, Frame, Inbox, Result, Server};

/// Results of a job, not inputs and not sealed yet.
pub struct Evaluated<'a> {
    server: &'a Server,
    again: bool,
    stored: bool,
    inputs: EvaluationInputs,
    computed: Computed,
}

/// The answer to a partial state that an aggregation made, not inputs yet.
pub(crate) fn of_state<'a>(
    server: &'a Server,
    request: &Request,
    state: State,
) -> Result<Evaluated<'a>> {
    let of_states = state.manifest()?;
    let (sum, pads) = match state {
        State::Rns(state) => (Some(state), None),
        State::Pads(state) => (None, Some(state.sum)),
    };
    let accumulated = Accumulated {
        frames: Vec::new(),
        linear_tags: Vec::new(),
        of_states,
        sum,
        tfhe: None,
        pads,
        packets: None,
        reader: None,
        threads: NonZero::<usize>::MIN,
    };
    of_stored(server, request, accumulated)
}

/// The answer to frames that an aggregation held, not inputs yet.
pub(crate) fn of_frames<'a>(
    server: &'a Server,
    request: &Request,
    frames: Vec<Frame>,
) -> Result<Evaluated<'a>> {
    let accumulated = Accumulated {
        linear_tags: vec![None; frames.len()],
        frames,
        of_states: Manifest::default(),
        sum: None,
        tfhe: None,
        pads: None,
        packets: None,
        reader: None,
        threads: NonZero::<usize>::MIN,
    };
    of_stored(server, request, accumulated)
}

/// The answer to frames that a store judged as they came.
fn of_stored<'a>(
    server: &'a Server,
    request: &Request,
    accumulated: Accumulated,
) -> Result<Evaluated<'a>> {
    let inputs = EvaluationInputs::new(request, server, &accumulated)?;
    let computed = request.compute(server, accumulated, &mut |_| {})?;
    Ok(Evaluated {
        server,
        again: true,
        stored: true,
        inputs,
        computed,
    })
}

/// Enters the frames of answers to one request into the server's memory, durably and all at once, and seals the results.
///
/// # Errors
/// The errors of [`Evaluated::enter`]; then none has inputs.
pub(crate) fn enter_all(server: &Server, evaluated: Vec<Evaluated<'_>>) -> Result<Vec<Answer>> {
    let Some(first) = evaluated.first() else {
        return Ok(Vec::new());
    };
    let request = first.inputs.request;
    let frames = |one: &Evaluated<'_>| one.inputs.frames.frames().map(|(id, _)| id).collect();
    let groups: Vec<Vec<FrameId>> = evaluated.iter().map(frames).collect();
    let first = server.replay().commit_each(&groups, &request)?;
    let numbered = evaluated.into_iter().zip(first..);
    numbered.map(|(one, number)| one.numbered(number)).collect()
}

/// An answer that may leave: the server remembers its frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Number of the answer among those of this server and key pair.
    pub sequence: u64,
    /// Size and error of the results.
    pub summary: Summary,
    /// The frames that inputs.
    pub frames: Manifest,
    /// The results in order, each an item of the wire format under the key that owner and server share.
    pub items: Vec<Vec<u8>>,
}

impl<'a> Inbox<'a> {
    /// Answers the request: computes, enters the frames durably, and seals.
    ///
    /// # Errors
    /// The errors of [`Inbox::evaluate`] and [`Evaluated::enter`].
    pub fn answer(self, report: &mut Report<'_>) -> Result<Answer> {
        self.evaluate(report)?.enter()
    }

    /// Computes on the frames, with evaluation keys only. In memory are the sum or the frames, the job's evaluation keys and
    /// SEAL's tables (up to tens of megabytes, made by the first call under a set and kept), or tfhe-rs's server key. Every check
    /// that needs no work comes before the work.
    ///
    /// # Errors
    /// [`isopod_wire::WireError::MissingParts`] without a quarantine; [`Error::NoFrames`]; [`Error::Layout`]; [`Error::Differs`],
    /// [`Error::OtherColumns`] and [`Error::UnnamedColumns`] for frames that do not belong together or to the model;
    /// [`Error::Job`] for what does not fit or lacks a key; [`Error::At`] names the file of evaluation keys;
    /// [`Error::NoRequest`].
    pub fn evaluate(self, report: &mut Report<'_>) -> Result<Evaluated<'a>> {
        let server = self.server();
        let (purpose, accumulated) = self.collect()?;
        let Purpose {
            request,
            again,
            stored,
            ..
        } = purpose.ok_or(Error::NoRequest)?;
        let inputs = EvaluationInputs::new(&request, server, &accumulated)?;
        let computed = request.compute(server, accumulated, report)?;
        Ok(Evaluated {
            server,
            again,
            stored,
            inputs,
            computed,
        })
    }

    /// The partial state of all frames, sealed, to be an input of another inbox. Its frames enter no answer yet.
    ///
    /// # Errors
    /// [`Error::NoStates`] for jobs whose result is not made of a sum; [`Error::NoFrames`];
    /// [`isopod_wire::WireError::MissingParts`] without a quarantine; [`Error::Wire`] for more ranges of frames than a state
    /// names.
    pub fn partial(self) -> Result<Vec<u8>> {
        let server = self.server();
        let (purpose, accumulated) = self.collect()?;
        if let Some(sum) = accumulated.pads {
            let purpose = purpose.ok_or(Error::NoRequest)?;
            return pad_state(server, &purpose.request, sum);
        }
        let sum = accumulated.sum.ok_or(Error::NoStates)?;
        Ok(server.link().seal(sum.encode()?))
    }
}

impl Evaluated<'_> {
    /// Enters the frames into the server's memory, durably, and seals the results.
    ///
    /// # Errors
    /// [`Error::Keys`] for stale and repeated frames, a memory that cannot be written, and without entropy.
    pub fn enter(self) -> Result<Answer> {
        let EvaluationInputs {
            frames, of_states, ..
        } = &self.inputs;
        let judged = if self.stored { frames } else { of_states };
        let old: Vec<FrameId> = judged.frames().map(|(id, _)| id).collect();
        let ids = frames.frames().map(|(id, _)| id);
        let new: Vec<FrameId> = ids.filter(|id| old.binary_search(id).is_err()).collect();
        let replay = self.server.replay();
        let sequence = replay.commit_all(&new, &old, &self.inputs.request, self.again)?;
        self.numbered(sequence)
    }

    fn numbered(self, sequence: u64) -> Result<Answer> {
        Ok(Answer {
            sequence,
            summary: self.computed.summary(),
            frames: self.inputs.frames.clone(),
            items: self.computed.sealed(
                self.server,
                &self.inputs,
                &EvaluationId::new(sequence)?,
            )?,
        })
    }
}
