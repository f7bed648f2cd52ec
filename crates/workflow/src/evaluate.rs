//! A request on frames: to ciphertexts of its evaluator, through the job, to results that only the owner reads.

use isopod_wire::{AnySet, FrameId, Schema};

use crate::ciphertexts::Ciphertexts;
use crate::job::Request;
use crate::packed::Packed;
use crate::progress::Report;
use crate::stamp::{Entered, Stamp};
use crate::{Error, Frame, Result, Server};

/// Results of a job, not entered and not sealed yet.
pub struct Evaluated<'a> {
    server: &'a Server,
    entered: Entered,
    computed: Computed,
}

enum Computed {
    Ciphertexts(Ciphertexts),
    Packed(Packed),
}

/// An answer that may leave: the server remembers its frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Number of the answer among those of this server and key pair.
    pub sequence: u64,
    /// Size of the results.
    pub summary: Summary,
    /// The results in order, each an item of the wire format under the key that owner and server share.
    pub items: Vec<Vec<u8>>,
}

/// Size of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Summary {
    /// Results of Microsoft SEAL.
    Seal {
        /// Number of results, one ciphertext each.
        results: usize,
        /// Values in all of them.
        values: usize,
        /// Primes of the largest.
        remaining_primes: usize,
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
            AnySet::Rns(set) => Ciphertexts::check(self, set),
            AnySet::Tfhe(_) => Packed::check(self),
        }
    }

    /// Computes on frames of an [`Inbox`](crate::Inbox), with evaluation keys only. In memory are the frames' ciphertexts,
    /// the job's evaluation keys and SEAL's tables (up to tens of megabytes, made anew by each call), or tfhe-rs's server
    /// key. Every check that needs no work comes before the work.
    ///
    /// # Errors
    /// Those of [`Request::check`]; [`Error::OtherKey`]; [`Error::Layout`]; [`Error::Differs`], [`Error::OtherColumns`] and
    /// [`Error::UnnamedColumns`] for frames that do not belong together or to the model; [`Error::Job`] for what does not fit or
    /// lacks a key; [`Error::At`] names the file of evaluation keys.
    pub fn evaluate<'a>(
        &self,
        server: &'a Server,
        frames: Vec<Frame>,
        report: &mut Report<'_>,
    ) -> Result<Evaluated<'a>> {
        self.check(server.set())?;
        if let Some(found) = frames
            .iter()
            .map(Frame::key_id)
            .find(|&id| id != server.key_id())
        {
            let (item, wanted) = ("frame", server.key_id());
            return Err(Error::OtherKey {
                item,
                found,
                wanted,
            });
        }
        self.check_frames(&frames)?;
        let entered = self.entered(server, &frames);
        let computed = match server.set() {
            AnySet::Rns(set) => {
                Computed::Ciphertexts(Ciphertexts::compute(self, (server, set), frames, report)?)
            }
            AnySet::Tfhe(_) => Computed::Packed(Packed::compute(self, server, frames, report)?),
        };
        Ok(Evaluated {
            server,
            entered,
            computed,
        })
    }
}

impl Request {
    fn entered(&self, server: &Server, frames: &[Frame]) -> Entered {
        Entered {
            job: self.job.name(),
            request: self.digest(server.set()),
            challenge: self.challenge,
            packing: frames.first().and_then(Frame::packing),
            frames: frames
                .iter()
                .map(|frame| (frame.id(), frame.rows()))
                .collect(),
        }
    }
}

impl Server {
    /// Answers a request on frames of an [`Inbox`](crate::Inbox): checks, computes, enters the frames durably, and seals. A
    /// frame enters the same request once; `again` computes over frames that entered it before.
    ///
    /// # Errors
    /// Those of [`Request::evaluate`] and [`Evaluated::enter`]; stale and repeated frames are refused before the work.
    pub fn answer(
        &self,
        request: &Request,
        frames: Vec<Frame>,
        again: bool,
        report: &mut Report<'_>,
    ) -> Result<Answer> {
        let ids: Vec<FrameId> = frames.iter().map(Frame::id).collect();
        let digest = request.digest(self.set());
        self.replay().check(&ids, &digest, again)?;
        request.evaluate(self, frames, report)?.enter(again)
    }
}

impl Evaluated<'_> {
    /// Enters the frames into the server's memory, durably, and seals the results.
    ///
    /// # Errors
    /// [`Error::Keys`] for stale and repeated frames, a memory that cannot be written, and without entropy.
    pub fn enter(self, again: bool) -> Result<Answer> {
        let Entered {
            frames, request, ..
        } = &self.entered;
        let ids: Vec<FrameId> = frames.iter().map(|(id, _)| *id).collect();
        let sequence = self.server.replay().commit(&ids, request, again)?;
        Ok(Answer {
            sequence,
            summary: self.summary(),
            items: self.sealed(&Stamp::new(sequence)?)?,
        })
    }

    fn summary(&self) -> Summary {
        match &self.computed {
            Computed::Ciphertexts(ciphertexts) => ciphertexts.summary(),
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
            Computed::Packed(packed) => Ok(vec![packed.sealed(server, entered, stamp)?]),
        }
    }
}
