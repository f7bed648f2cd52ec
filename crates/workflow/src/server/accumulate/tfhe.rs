//! Frames of TFHE in jobs that take them as they come, with tfhe-rs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use isopod_eval::bits::{
    Alarm, Argument, BitsInput, BitsJob, Count, Extreme, Extremum, Fold, Histogram, Session,
};
use isopod_tfhe::native::{Native, ServerKeys};
use isopod_wire::{AnySet, FrameId, PackingId, TfheFrame, ValueType};

use crate::progress::{counter, Report, Stage};
use crate::request::job::{Job, Request};
use crate::server::accumulate::compatibility::check_pair;
use crate::server::accumulate::frame::Header;
use crate::server::accumulate::pads::PadPackets;
use crate::{Error, Result, Server};

/// Frames that wait, so that all threads have some when the last has come.
const WAITING: usize = 64;

/// A job that takes frames as they come, by all threads. In memory are the frames that wait, and a fold for each thread.
pub(crate) struct TfheAccumulator {
    request: Request,
    job: Box<dyn BitsJob>,
    keys: Mutex<Option<Arc<ServerKeys>>>,
    folds: Mutex<Vec<Fold>>,
    received: Mutex<Received>,
    /// Packets of pads that the frames are the pads of.
    packets: OnceLock<Arc<PadPackets>>,
}

/// Output of a job, not packed yet.
pub(crate) struct TfheOutput {
    pub keys: Arc<ServerKeys>,
    pub values: Vec<Native>,
    /// Number of input values.
    pub inputs: usize,
    /// Values of a row of the frames.
    pub frame_columns: u32,
}

/// Frames as far as they have come.
#[derive(Default)]
struct Received {
    first: Option<TfheFrame>,
    rows: BTreeMap<FrameId, u32>,
    values: usize,
    waiting: Vec<BitsInput>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TfheAccumulator {
    /// The accumulator of a request; None for jobs that depend on the order of frames.
    pub(crate) fn of(request: &Request) -> Result<Option<Self>> {
        let job = request.bits_job()?;
        Ok(job.folds().then(|| Self {
            request: request.clone(),
            job,
            keys: Mutex::default(),
            folds: Mutex::default(),
            received: Mutex::default(),
            packets: OnceLock::new(),
        }))
    }

    /// Adds packets of pads to the frames that are to come.
    pub(crate) fn add_to(&self, packets: &Arc<PadPackets>) {
        self.packets.get_or_init(|| packets.clone());
    }

    /// Takes a frame; refuses one that the job does not take, or not with the first, or whose packet is missing.
    pub(crate) fn take(&self, frame: TfheFrame) -> Result<()> {
        let name = self.request.job.name();
        let added = match self.packets.get() {
            Some(packets) => packets.integers(&frame.header)?,
            None => Vec::new(),
        };
        let mut received = lock(&self.received);
        let first = received.first.as_ref().unwrap_or(&frame);
        check_pair(
            name,
            Header::Tfhe(&first.header),
            Header::Tfhe(&frame.header),
        )?;
        let wanted = first.header.schema.types().next();
        let types: Vec<ValueType> = frame.header.schema.types().collect();
        self.job.check(&types)?;
        self.job.check_type(wanted, types[0])?;
        let values = received.values + frame.header.schema.values();
        self.job.check_number(values)?;
        received.values = values;
        let rows = Header::Tfhe(&frame.header).rows();
        received.rows.insert(frame.header.id, rows);
        if received.first.is_none() {
            received.first = Some(frame.clone());
        }
        received.waiting.push(BitsInput { frame, added });
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

    fn surplus(&self) -> Option<BitsInput> {
        let mut received = lock(&self.received);
        match received.waiting.len() > WAITING {
            true => received.waiting.pop(),
            false => None,
        }
    }

    fn fold(&self) -> Result<Fold> {
        let received = lock(&self.received);
        let types = received
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
        let received = lock(&self.received);
        let packing = received
            .first
            .as_ref()
            .and_then(|first| first.header.packing);
        (packing, received.rows.clone())
    }

    /// Works off the frames that wait, and ends the job.
    pub(crate) fn conclude(
        &self,
        server: &Server,
        threads: usize,
        report: &mut Report<'_>,
    ) -> Result<TfheOutput> {
        let keys = self.keys(server)?;
        let mut folds = std::mem::take(&mut *lock(&self.folds));
        if folds.is_empty() {
            folds.push(self.fold()?);
        }
        let received = std::mem::take(&mut *lock(&self.received));
        let mut progress = counter(report, Stage::Computing, received.waiting.len());
        let mut session = Session {
            keys: &keys,
            threads,
            progress: &mut progress,
        };
        let output = self.job.conclude(&mut session, folds, &received.waiting)?;
        let columns = received.first.map_or(1, |first| first.header.columns);
        Ok(TfheOutput {
            values: output,
            inputs: received.values,
            frame_columns: columns,
            keys,
        })
    }
}

/// The server's keys for tfhe-rs.
pub(crate) fn server_keys(server: &Server, request: &Request) -> Result<ServerKeys> {
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
    /// Refuses a job that tfhe-rs does not compute.
    pub(crate) fn check_tfhe(&self) -> Result<()> {
        self.bits_job().map(drop)
    }

    /// The job in tfhe-rs's terms.
    pub(crate) fn bits_job(&self) -> Result<Box<dyn BitsJob>> {
        let (least, most) = (Extremum::Minimum, Extremum::Maximum);
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
