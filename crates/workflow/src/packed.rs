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

#[cfg(feature = "tfhe")]
pub(crate) use with_tfhe_rs::Folding;
#[cfg(not(feature = "tfhe"))]
pub(crate) use without_tfhe_rs::Folding;

#[cfg(not(feature = "tfhe"))]
mod without_tfhe_rs {
    //! Refusals of a build that computes under CKKS and BFV only.

    use std::collections::BTreeMap;

    use isopod_wire::{FrameId, PackingId, TfheFrame};

    use super::Packed;
    use crate::job::Request;
    use crate::progress::Report;
    use crate::{Error, Frame, Result, Server};

    /// Nothing is folded.
    pub(crate) enum Folding {}

    impl Folding {
        pub(crate) fn of(request: &Request) -> Result<Option<Self>> {
            Packed::check(request).map(|()| None)
        }

        pub(crate) fn take(&self, _: TfheFrame) -> Result<()> {
            match *self {}
        }

        pub(crate) fn work(&self, _: &Server) -> Result<()> {
            match *self {}
        }

        pub(crate) fn frames(&self) -> (Option<PackingId>, BTreeMap<FrameId, u32>) {
            match *self {}
        }

        pub(crate) fn conclude(&self, _: &Server, _: usize, _: &mut Report<'_>) -> Result<Packed> {
            match *self {}
        }
    }

    impl Packed {
        pub(crate) fn check(request: &Request) -> Result<()> {
            let job = request.job.name().name();
            Err(Error::WithoutTfhe { job })
        }

        pub(crate) fn compute(
            request: &Request,
            _: &Server,
            (_, _): (Vec<Frame>, usize),
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

    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use isopod_eval::bits::{
        Alarm, Argument, BitsJob, Count, Extreme, Fold, Histogram, Session, Which,
    };
    use isopod_tfhe::native::{pack_result, Native, ServerKeys};
    use isopod_wire::{AnySet, FrameId, PackingId, TfheFrame, ValueType};

    use super::Packed;
    use crate::alike::check_pair;
    use crate::frames::Header;
    use crate::job::{Job, Request};
    use crate::progress::{counter, Report, Stage};
    use crate::{Error, Frame, Result, Server};

    /// Frames that wait, so that all threads have some when the last has come.
    const WAITING: usize = 64;

    /// A job that takes frames as they come, by all threads. In memory are the frames that wait, and a fold for each thread.
    pub(crate) struct Folding {
        request: Request,
        job: Box<dyn BitsJob>,
        keys: Mutex<Option<Arc<ServerKeys>>>,
        folds: Mutex<Vec<Fold>>,
        intake: Mutex<Intake>,
    }

    /// Frames as far as they have come.
    #[derive(Default)]
    struct Intake {
        first: Option<TfheFrame>,
        rows: BTreeMap<FrameId, u32>,
        values: usize,
        waiting: Vec<TfheFrame>,
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Folding {
        /// The folding of a request; None for jobs that depend on the order of frames.
        pub(crate) fn of(request: &Request) -> Result<Option<Self>> {
            let job = request.bits_job()?;
            Ok(job.folds().then(|| Self {
                request: request.clone(),
                job,
                keys: Mutex::default(),
                folds: Mutex::default(),
                intake: Mutex::default(),
            }))
        }

        /// Takes a frame; refuses one that the job does not take, or not with the first.
        pub(crate) fn take(&self, frame: TfheFrame) -> Result<()> {
            let name = self.request.job.name();
            let mut intake = lock(&self.intake);
            let first = intake.first.as_ref().unwrap_or(&frame);
            check_pair(
                name,
                Header::Tfhe(&first.header),
                Header::Tfhe(&frame.header),
            )?;
            let wanted = first.header.schema.types().next();
            let types: Vec<ValueType> = frame.header.schema.types().collect();
            self.job.check(&types)?;
            self.job.check_type(wanted, types[0])?;
            let values = intake.values + frame.header.schema.values();
            self.job.check_number(values)?;
            intake.values = values;
            let rows = Header::Tfhe(&frame.header).rows();
            intake.rows.insert(frame.header.id, rows);
            if intake.first.is_none() {
                intake.first = Some(frame.clone());
            }
            intake.waiting.push(frame);
            Ok(())
        }

        /// Works off frames beyond those that may wait.
        pub(crate) fn work(&self, server: &Server) -> Result<()> {
            while let Some(frame) = self.surplus() {
                let keys = self.keys(server)?;
                let fold = lock(&self.folds).pop();
                let mut fold = match fold {
                    Some(fold) => fold,
                    None => self.fold()?,
                };
                fold.take(&keys, &frame)?;
                lock(&self.folds).push(fold);
            }
            Ok(())
        }

        fn surplus(&self) -> Option<TfheFrame> {
            let mut intake = lock(&self.intake);
            match intake.waiting.len() > WAITING {
                true => intake.waiting.pop(),
                false => None,
            }
        }

        fn fold(&self) -> Result<Fold> {
            let intake = lock(&self.intake);
            let types = intake
                .first
                .iter()
                .flat_map(|first| first.header.schema.types());
            let fold = types.take(1).find_map(|of| self.job.fold(of));
            let job = self.job.name();
            Ok(fold.ok_or(isopod_eval::Error::NoValues { job })?)
        }

        fn keys(&self, server: &Server) -> Result<Arc<ServerKeys>> {
            let mut keys = lock(&self.keys);
            Ok(match &*keys {
                Some(keys) => keys.clone(),
                None => keys
                    .insert(Arc::new(server_keys(server, &self.request)?))
                    .clone(),
            })
        }

        /// Packing of the frames, and their rows.
        pub(crate) fn frames(&self) -> (Option<PackingId>, BTreeMap<FrameId, u32>) {
            let intake = lock(&self.intake);
            let packing = intake.first.as_ref().and_then(|first| first.header.packing);
            (packing, intake.rows.clone())
        }

        /// Works off the frames that wait, and makes the result.
        pub(crate) fn conclude(
            &self,
            server: &Server,
            threads: usize,
            report: &mut Report<'_>,
        ) -> Result<Packed> {
            let keys = self.keys(server)?;
            let mut folds = std::mem::take(&mut *lock(&self.folds));
            if folds.is_empty() {
                folds.push(self.fold()?);
            }
            let intake = std::mem::take(&mut *lock(&self.intake));
            let mut progress = counter(report, Stage::Computing, intake.waiting.len());
            let mut session = Session {
                keys: &keys,
                threads,
                progress: &mut progress,
            };
            let output = self.job.conclude(&mut session, folds, &intake.waiting)?;
            let columns = intake.first.map_or(1, |first| first.header.columns);
            Packed::new(&keys, output, (intake.values, columns))
        }
    }

    impl Packed {
        pub(crate) fn check(request: &Request) -> Result<()> {
            request.bits_job().map(drop)
        }

        /// Computes a job that depends on the order of frames.
        pub(crate) fn compute(
            request: &Request,
            server: &Server,
            (frames, threads): (Vec<Frame>, usize),
            report: &mut Report<'_>,
        ) -> Result<Self> {
            let job = request.bits_job()?;
            let frames: Vec<TfheFrame> =
                frames.into_iter().map(Frame::tfhe).collect::<Result<_>>()?;
            let types = frames.iter().flat_map(|frame| frame.header.schema.types());
            let types: Vec<ValueType> = types.collect();
            job.check(&types)?;
            // Frames that differ in it were refused.
            let columns = frames.first().map_or(1, |frame| frame.header.columns);
            let keys = server_keys(server, request)?;
            let mut progress = counter(report, Stage::Computing, types.len());
            let mut session = Session {
                keys: &keys,
                threads,
                progress: &mut progress,
            };
            let output = job.run(&mut session, &frames)?;
            Self::new(&keys, output, (types.len(), columns))
        }

        fn new(
            keys: &ServerKeys,
            output: Vec<Native>,
            (inputs, frame_columns): (usize, u32),
        ) -> Result<Self> {
            let (schema, bytes) = pack_result(keys, output)?;
            Ok(Self {
                inputs,
                schema,
                frame_columns,
                bytes,
            })
        }
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
