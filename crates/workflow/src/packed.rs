//! Requests on TFHE frames, with tfhe-rs where this build has it.

use isopod_wire::{Schema, TfheResult};

use crate::job::JobName;
use crate::stamp::{Entered, Stamp};
use crate::{Result, Server};

/// Results of a job, packed under the owner's key of results.
pub(crate) struct Packed {
    /// Number of input values.
    pub(crate) inputs: usize,
    /// Contents of the blocks.
    pub(crate) schema: Schema,
    /// Values of a row of the frames.
    frame_columns: u32,
    bytes: Vec<u8>,
}

impl Packed {
    pub(crate) fn sealed(
        self,
        server: &Server,
        entered: &Entered,
        stamp: &Stamp,
    ) -> Result<Vec<u8>> {
        let columns = match entered.job {
            JobName::Tree => 1,
            // At most 8 runs of 65535 values.
            _ => self.schema.values() as u32,
        };
        let provenance = entered.provenances(stamp, 1)?.remove(0);
        let result = TfheResult {
            params: server.set().tfhe()?,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            provenance,
            schema: self.schema,
            columns,
            frame_columns: self.frame_columns,
            packed: self.bytes,
        };
        Ok(server.link().seal(result.encode()?))
    }
}

#[cfg(not(feature = "tfhe"))]
mod without_tfhe_rs {
    //! Refusals of a build that computes under CKKS and BFV only.

    use super::Packed;
    use crate::job::Request;
    use crate::progress::Report;
    use crate::{Error, Frame, Result, Server};

    impl Packed {
        pub(crate) fn check(request: &Request) -> Result<()> {
            let job = request.job.name().name();
            Err(Error::WithoutTfhe { job })
        }

        pub(crate) fn compute(
            request: &Request,
            _: &Server,
            _: Vec<Frame>,
            _: &mut Report<'_>,
        ) -> Result<Self> {
            let job = request.job.name().name();
            Err(Error::WithoutTfhe { job })
        }
    }
}

#[cfg(feature = "tfhe")]
mod with_tfhe_rs {
    //! Evaluation with tfhe-rs.

    use isopod_eval::bits::{Alarm, Argument, BitsJob, Count, Extreme, Histogram, Session, Which};
    use isopod_tfhe::native::{pack_result, Native, RingCiphertext, ServerKeys};
    use isopod_wire::{AnySet, TfheFrame};

    use super::Packed;
    use crate::job::{Job, Request};
    use crate::progress::{counter, Report, Stage, Steps};
    use crate::{Error, Frame, Result, Server};

    impl Packed {
        pub(crate) fn check(request: &Request) -> Result<()> {
            request.bits_job().map(drop)
        }

        pub(crate) fn compute(
            request: &Request,
            server: &Server,
            frames: Vec<Frame>,
            report: &mut Report<'_>,
        ) -> Result<Self> {
            let job = request.bits_job()?;
            let frames: Vec<TfheFrame> =
                frames.into_iter().map(Frame::tfhe).collect::<Result<_>>()?;
            let types = frames.iter().flat_map(|frame| frame.header.schema.types());
            job.check(&types.collect::<Vec<_>>())?;
            // Frames that differ in it were refused.
            let frame_columns = frames.first().map_or(1, |frame| frame.header.columns);
            let keys = server_keys(server, request)?;
            let values = load(&frames, report)?;
            let inputs = values.len();
            let mut progress = counter(report, Stage::Computing, inputs);
            let output = job.run(&mut Session::new(&keys, &mut progress), values)?;
            let (schema, bytes) = pack_result(&keys, output)?;
            Ok(Self {
                inputs,
                schema,
                frame_columns,
                bytes,
            })
        }
    }

    fn load(frames: &[TfheFrame], report: &mut Report<'_>) -> Result<Vec<Native>> {
        let mut steps = Steps::new(report, Stage::Loading, frames.len());
        let mut values = Vec::new();
        for frame in frames {
            values.extend(RingCiphertext::new(frame)?.values()?);
            steps.step();
        }
        Ok(values)
    }

    /// The server's keys for tfhe-rs.
    fn server_keys(server: &Server, request: &Request) -> Result<ServerKeys> {
        let path = server.evaluation_file();
        if !path.exists() {
            let job = request.job.name().name();
            return Err(Error::ServerKeyMissing { path, job });
        }
        server.evaluation_keys(|item| {
            let stored = item.tfhe_server_keys()?;
            server.check_pair(stored.key_id, AnySet::Tfhe(stored.params))?;
            Ok(ServerKeys::load(stored.server, stored.packing)?)
        })
    }

    impl Request {
        /// The job in tfhe-rs's terms.
        fn bits_job(&self) -> Result<Box<dyn BitsJob>> {
            let (least, most) = (Which::Minimum, Which::Maximum);
            Ok(match self.job.clone() {
                Job::Alarm(threshold, each) => Box::new(Alarm { threshold, each }),
                Job::Count(threshold) => Box::new(Count { threshold }),
                Job::Minimum => Box::new(Extreme { which: least }),
                Job::Maximum => Box::new(Extreme { which: most }),
                Job::Argmin => Box::new(Argument { which: least }),
                Job::Argmax => Box::new(Argument { which: most }),
                Job::Histogram(edges) => Box::new(Histogram { edges }),
                Job::Tree(tree) => Box::new(tree),
                other => {
                    let name = other.name().name();
                    let problem = format!("{name} with these parameters is a job of SEAL");
                    return Err(Error::parameter("job", problem));
                }
            })
        }
    }
}
