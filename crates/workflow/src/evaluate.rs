//! A request on frames: to ciphertexts of its evaluator, through the job, to results that only the owner reads.

use isopod_wire::codes::size;
use isopod_wire::{AnySet, FrameId, Schema};

use crate::ciphertexts::Ciphertexts;
use crate::job::Request;
use crate::packed::Packed;
use crate::progress::Report;
use crate::stamp::{Entered, Stamp};
use crate::{Error, Frame, Result, Server};

/// Results of a job, not sealed yet.
pub struct Evaluated<'a> {
    server: &'a Server,
    entered: Entered,
    computed: Computed,
}

enum Computed {
    Ciphertexts(Ciphertexts),
    Packed(Packed),
}

/// Size of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Summary<'a> {
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
        schema: &'a Schema,
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
        if frames.iter().any(|frame| frame.key_id() != server.key_id()) {
            return Err(Error::OtherKey { item: "frame" });
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

impl Evaluated<'_> {
    /// The frames that entered, in order, each with its number of rows.
    pub fn frames(&self) -> &[(FrameId, u32)] {
        &self.entered.frames
    }

    /// Digest of the request.
    pub fn request(&self) -> &[u8; size::DIGEST] {
        &self.entered.request
    }

    /// Their size.
    pub fn summary(&self) -> Summary<'_> {
        match &self.computed {
            Computed::Ciphertexts(ciphertexts) => Summary::Seal {
                results: ciphertexts.outputs().len(),
                values: ciphertexts
                    .outputs()
                    .map(|output| output.shape.values())
                    .sum(),
                remaining_primes: ciphertexts
                    .outputs()
                    .map(|output| output.ciphertext.primes())
                    .max()
                    .unwrap_or(0),
            },
            Computed::Packed(packed) => Summary::TfheRs {
                inputs: packed.inputs,
                schema: &packed.schema,
            },
        }
    }

    /// The results in order, each an item of the wire format under the key that owner and server share. A stamp names one
    /// evaluation: it is used once.
    ///
    /// # Errors
    /// [`Error::Keys`] without entropy.
    pub fn sealed(self, stamp: &Stamp) -> Result<Vec<Vec<u8>>> {
        let (server, entered) = (self.server, &self.entered);
        match self.computed {
            Computed::Ciphertexts(ciphertexts) => ciphertexts.sealed(server, entered, stamp),
            Computed::Packed(packed) => Ok(vec![packed.sealed(server, entered, stamp)?]),
        }
    }
}
