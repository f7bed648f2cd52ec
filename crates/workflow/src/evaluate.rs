//! A request on frames: to ciphertexts of its evaluator, through the job, to results that only the owner reads.

use std::num::NonZero;

use isopod_wire::{AnySet, FrameId, Manifest, Partial, Schema};

use crate::ciphertexts::Ciphertexts;
use crate::coefficients::{check_layouts, Coefficients};
use crate::inbox::{Collected, Purpose};
use crate::job::Request;
use crate::packed::Packed;
use crate::progress::Report;
use crate::stamp::{Entered, Stamp};
use crate::{Error, Frame, Inbox, Result, Server};

/// Results of a job, not entered and not sealed yet.
pub struct Evaluated<'a> {
    server: &'a Server,
    again: bool,
    stored: bool,
    entered: Entered,
    computed: Computed,
}

enum Computed {
    Ciphertexts(Ciphertexts),
    Coefficients(Coefficients),
    Packed(Packed),
}

/// The answer to a partial state that an aggregation made, not entered yet.
pub(crate) fn of_state<'a>(
    server: &'a Server,
    request: &Request,
    state: Partial,
) -> Result<Evaluated<'a>> {
    let collected = Collected {
        frames: Vec::new(),
        of_states: state.manifest.clone(),
        sum: Some(state),
        folding: None,
        threads: NonZero::<usize>::MIN,
    };
    let entered = Entered::new(request, server, &collected)?;
    let computed = request.compute(server, collected, &mut |_| {})?;
    Ok(Evaluated {
        server,
        again: true,
        stored: true,
        entered,
        computed,
    })
}

/// Enters the frames of answers to one request into the server's memory, durably and all at once, and seals the results.
///
/// # Errors
/// Those of [`Evaluated::enter`]; then none has entered.
pub(crate) fn enter_all(server: &Server, evaluated: Vec<Evaluated<'_>>) -> Result<Vec<Answer>> {
    let Some(first) = evaluated.first() else {
        return Ok(Vec::new());
    };
    let request = first.entered.request;
    let frames = |one: &Evaluated<'_>| one.entered.frames.frames().map(|(id, _)| id).collect();
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
    /// The frames that entered.
    pub frames: Manifest,
    /// The results in order, each an item of the wire format under the key that owner and server share.
    pub items: Vec<Vec<u8>>,
}

/// Size and error of the results.
#[derive(Debug, Clone, PartialEq)]
pub enum Summary {
    /// Results of Microsoft SEAL.
    Seal {
        /// Number of results, one ciphertext each.
        results: usize,
        /// Values in all of them.
        values: usize,
        /// Primes of the largest.
        remaining_primes: usize,
        /// Distance that no value of the least precise result is off by; 0 for integers.
        error: f64,
        /// The share of it that is a worst case, and grows in step with the number of frames.
        in_step: f64,
    },
    /// The result of tfhe-rs.
    TfheRs {
        /// Number of input values.
        inputs: usize,
        /// Contents of the one result.
        schema: Schema,
    },
}

impl Request {
    /// Checks all that needs no frames: whether this build computes the job under the set, with these parameters.
    ///
    /// # Errors
    /// Those of [`JobName::check`](crate::JobName::check); [`Error::Parameter`].
    pub fn check(&self, set: AnySet) -> Result<()> {
        self.job.name().check(set)?;
        match set {
            AnySet::Rns(_) if self.job.name().takes_coefficients_alone() => {
                Coefficients::check(self)
            }
            AnySet::Rns(set) => Ciphertexts::check(self, set),
            AnySet::Tfhe(_) => Packed::check(self),
        }
    }
}

impl<'a> Inbox<'a> {
    /// Answers the request: computes, enters the frames durably, and seals.
    ///
    /// # Errors
    /// Those of [`Inbox::evaluate`] and [`Evaluated::enter`].
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
        let (purpose, collected) = self.collect()?;
        let Purpose {
            request,
            again,
            stored,
            ..
        } = purpose.ok_or(Error::NoRequest)?;
        let entered = Entered::new(&request, server, &collected)?;
        let computed = request.compute(server, collected, report)?;
        Ok(Evaluated {
            server,
            again,
            stored,
            entered,
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
        let (_, collected) = self.collect()?;
        let sum = collected.sum.ok_or(Error::NoStates)?;
        Ok(server.link().seal(sum.encode()?))
    }
}

impl Request {
    fn compute(
        &self,
        server: &Server,
        collected: Collected,
        report: &mut Report<'_>,
    ) -> Result<Computed> {
        self.check_frames(&collected.frames)?;
        check_layouts(self, &collected.frames)?;
        let rounded = match &collected.sum {
            Some(sum) => sum.alike.rounding.is_some(),
            None => matches!(collected.frames.first(), Some(Frame::Rounded(_))),
        };
        Ok(match (server.set(), &collected.sum) {
            (AnySet::Rns(set), Some(sum)) if rounded => {
                Computed::Coefficients(Coefficients::conclude(self, set, sum)?)
            }
            (AnySet::Rns(set), None) if rounded => {
                Computed::Coefficients(Coefficients::compute(self, set, collected, report)?)
            }
            (AnySet::Rns(set), Some(sum)) => {
                Computed::Ciphertexts(Ciphertexts::conclude(self, (server, set), sum, report)?)
            }
            (AnySet::Rns(set), None) => Computed::Ciphertexts(Ciphertexts::compute(
                self,
                (server, set),
                collected,
                report,
            )?),
            (AnySet::Tfhe(_), _) => {
                let threads = collected.threads.get();
                Computed::Packed(match collected.folding {
                    Some(folding) => folding.conclude(server, threads, report)?,
                    None => Packed::compute(self, server, (collected.frames, threads), report)?,
                })
            }
        })
    }
}

impl Entered {
    fn new(request: &Request, server: &Server, collected: &Collected) -> Result<Self> {
        let (packing, frames) = match (&collected.sum, &collected.folding) {
            (Some(sum), _) => (sum.alike.packing, sum.manifest.clone()),
            (None, Some(folding)) => {
                let (packing, rows) = folding.frames();
                (packing, Manifest::of(rows)?)
            }
            (None, None) => {
                let frames = &collected.frames;
                let named = frames.iter().map(|frame| (frame.id(), frame.rows()));
                (
                    frames.first().and_then(Frame::packing),
                    Manifest::of(named)?,
                )
            }
        };
        Ok(Self {
            job: request.job.name(),
            request: request.digest(server.set()),
            challenge: request.challenge,
            packing,
            frames,
            of_states: collected.of_states.clone(),
        })
    }
}

impl Evaluated<'_> {
    /// Enters the frames into the server's memory, durably, and seals the results.
    ///
    /// # Errors
    /// [`Error::Keys`] for stale and repeated frames, a memory that cannot be written, and without entropy.
    pub fn enter(self) -> Result<Answer> {
        let Entered {
            frames, of_states, ..
        } = &self.entered;
        let judged = if self.stored { frames } else { of_states };
        let old: Vec<FrameId> = judged.frames().map(|(id, _)| id).collect();
        let ids = frames.frames().map(|(id, _)| id);
        let new: Vec<FrameId> = ids.filter(|id| old.binary_search(id).is_err()).collect();
        let replay = self.server.replay();
        let sequence = replay.commit_all(&new, &old, &self.entered.request, self.again)?;
        self.numbered(sequence)
    }

    fn numbered(self, sequence: u64) -> Result<Answer> {
        Ok(Answer {
            sequence,
            summary: self.summary(),
            frames: self.entered.frames.clone(),
            items: self.sealed(&Stamp::new(sequence)?)?,
        })
    }

    fn summary(&self) -> Summary {
        match &self.computed {
            Computed::Ciphertexts(ciphertexts) => ciphertexts.summary(),
            Computed::Coefficients(coefficients) => coefficients.summary(),
            Computed::Packed(packed) => Summary::TfheRs {
                inputs: packed.inputs,
                schema: packed.schema.clone(),
            },
        }
    }

    fn sealed(self, stamp: &Stamp) -> Result<Vec<Vec<u8>>> {
        let (server, entered) = (self.server, &self.entered);
        match self.computed {
            Computed::Ciphertexts(ciphertexts) => ciphertexts.sealed(server, entered, stamp),
            Computed::Coefficients(coefficients) => coefficients.sealed(server, entered, stamp),
            Computed::Packed(packed) => Ok(vec![packed.sealed(server, entered, stamp)?]),
        }
    }
}
