//! A request on frames: to ciphertexts of its evaluator, through the job, to results that only the owner reads.

use isopod_wire::{AnySet, Schema};

use crate::ciphertexts::Ciphertexts;
use crate::job::{JobName, Request};
use crate::packed::Packed;
use crate::progress::Report;
use crate::{Error, Frame, Result, Server};

/// Results of a job, not sealed yet.
pub struct Evaluated<'a> {
    server: &'a Server,
    job: JobName,
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
    /// Those of [`JobName::check`]; [`Error::Parameter`].
    pub fn check(&self, set: AnySet) -> Result<()> {
        self.job.name().check(set)?;
        self.check_ranges()?;
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
    /// Those of [`Request::check`]; [`Error::OtherKey`]; [`Error::Layout`]; [`Error::Job`] for what
    /// does not fit or lacks a key; [`Error::At`] names the file of evaluation keys.
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
        let computed = match server.set() {
            AnySet::Rns(set) => {
                Computed::Ciphertexts(Ciphertexts::compute(self, (server, set), frames, report)?)
            }
            AnySet::Tfhe(_) => Computed::Packed(Packed::compute(self, server, frames, report)?),
        };
        Ok(Evaluated {
            server,
            job: self.job.name(),
            computed,
        })
    }
}

impl Evaluated<'_> {
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

    /// The results in order, each an item of the wire format under the key that owner and server share.
    ///
    /// # Errors
    /// [`Error::Keys`] without entropy.
    pub fn sealed(self) -> Result<Vec<Vec<u8>>> {
        match self.computed {
            Computed::Ciphertexts(ciphertexts) => ciphertexts.sealed(self.server, self.job),
            Computed::Packed(packed) => Ok(vec![packed.sealed(self.server, self.job)?]),
        }
    }
}
