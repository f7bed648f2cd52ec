//! State of the server that all requests share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use isopod_store::{
    AppendOutcome, Log, NewFrame, Options, Quarantine, Recovered, Refused, StoreError,
};
use isopod_wire::KeyId;
use tokio::sync::{oneshot, Semaphore};

use crate::admit::access::Access;
use crate::admit::refusal::Refusal;
use crate::admit::room::{Bounds, Room};
use crate::clock::now;
use crate::jobs::queue::Jobs;
use crate::metrics::Metrics;
use crate::pairs::Pairs;
use crate::problem::{Answer, Problem};
use crate::tables::Tables;

/// Bounds of what the server takes at the same time.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of frames on their way to disk.
    pub memory: usize,
    /// Bytes on disk of frames that are not whole yet.
    pub waiting: usize,
    /// Connections.
    pub connections: usize,
    /// Uploads of one device, or of one connection of somebody with a token.
    pub uploads_of_a_device: usize,
    /// Bytes of frames that a job may hold.
    pub job_memory: u64,
    /// Jobs that may wait.
    pub jobs: usize,
    /// Bytes of refused items that are kept.
    pub quarantine: u64,
    /// Seconds that a part waits for the others of its frame.
    pub part_seconds: u64,
    /// Seconds in which a sender must go on.
    pub patience: Duration,
    /// Whether the log is compacted to tables.
    pub has_tables: bool,
    /// Bounds of a query.
    #[cfg_attr(not(feature = "sql"), allow(dead_code))]
    pub sql: SqlLimits,
}

/// Bounds of a query.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "sql"), allow(dead_code))]
pub struct SqlLimits {
    /// Bytes of groups in memory.
    pub memory: usize,
    /// Time.
    pub time: Duration,
    /// Bytes of an answer.
    pub answer: u64,
}

/// Log, tables and quarantine, once they are recovered.
pub struct Store {
    /// Frames.
    pub log: Log,
    /// Frames in tables.
    pub tables: Tables,
    /// Refused items.
    pub quarantine: Quarantine,
}

/// The server.
pub struct Service {
    /// Key pairs.
    pub pairs: Arc<Pairs>,
    /// Tokens.
    pub access: Access,
    /// Counters.
    pub metrics: Metrics,
    /// Jobs.
    pub jobs: Jobs,
    /// Bounds.
    pub limits: Limits,
    /// Room for uploads.
    pub room: Arc<Room>,
    /// One query at a time.
    #[cfg_attr(not(feature = "sql"), allow(dead_code))]
    pub querying: Arc<Semaphore>,
    /// The data folder.
    pub data: PathBuf,
    store: OnceLock<Store>,
    stopping: AtomicBool,
    started: SystemTime,
}

impl Service {
    /// A server that has not recovered its log yet.
    ///
    /// # Errors
    /// The folder of jobs cannot be made or read.
    pub fn new(data: PathBuf, pairs: Pairs, access: Access, limits: Limits) -> Result<Self> {
        let bounds = Bounds {
            memory: limits.memory,
            waiting: limits.waiting,
            connections: limits.connections,
            uploads: limits.uploads_of_a_device,
            patience: limits.patience,
            item: pairs.most_item_bytes(),
            frame: pairs.most_frame_bytes(),
        };
        let jobs = Jobs::open(data.join("jobs"), limits.jobs).context("jobs")?;
        Ok(Self {
            pairs: Arc::new(pairs),
            access,
            metrics: Metrics::default(),
            jobs,
            room: Arc::new(Room::new(&data, bounds)),
            limits,
            querying: Arc::new(Semaphore::new(1)),
            data,
            store: OnceLock::new(),
            stopping: AtomicBool::new(false),
            started: SystemTime::now(),
        })
    }

    /// Opens log, tables and quarantine; until then requests are refused.
    ///
    /// # Errors
    /// The errors of [`Log::open`] and [`Tables::open`].
    pub fn recover(&self) -> Result<Recovered> {
        let (log, recovered) = Log::open(&self.data.join("log"), Options::default())?;
        self.room.prepare().context("uploads")?;
        let quarantine = Quarantine::open(&self.data.join("quarantine"), self.limits.quarantine)?;
        let servers = self.pairs.all().map(|pair| &pair.server);
        let servers = servers.filter(|_| self.limits.has_tables);
        let tables = Tables::open(&self.data, &log, servers)?;
        // Called once.
        let _ = self.store.set(Store {
            log,
            tables,
            quarantine,
        });
        Ok(recovered)
    }

    /// Log and quarantine.
    ///
    /// # Errors
    /// Status 503 until the log is recovered, and from the begin of the end on.
    pub fn store(&self) -> Answer<&Store> {
        let stopping = self.stopping.load(Ordering::Acquire);
        match self.store.get() {
            Some(store) if !stopping => Ok(store),
            Some(_) => Err(Problem::busy("server", "the server is about to stop")),
            None => Err(Problem::busy("server", "the server recovers its log")),
        }
    }

    /// Log and quarantine for work that goes on while the server stops.
    pub fn opened(&self) -> Option<&Store> {
        self.store.get()
    }

    /// Refuses new work from now on.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.jobs.stop();
        if let Some(store) = self.opened() {
            store.tables.stop();
        }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> u64 {
        self.started.elapsed().map_or(0, |since| since.as_secs())
    }

    /// Stores frames; returns once they are on disk.
    ///
    /// # Errors
    /// The errors of [`Log::append`].
    pub async fn store_all(&self, frames: Vec<NewFrame>) -> Answer<Vec<AppendOutcome>> {
        let bytes: Vec<u64> = frames
            .iter()
            .map(|frame| frame.bytes.len() as u64)
            .collect();
        // Bodies that came before a stop are stored to their ends.
        let store = self.opened().map_or_else(|| self.store(), Ok)?;
        let (sender, receiver) = oneshot::channel();
        store.log.append(
            frames,
            Box::new(move |outcomes| drop(sender.send(outcomes))),
        )?;
        let stored = receiver.await.unwrap_or(Err(StoreError::Broken));
        let outcomes = stored.inspect_err(|error| tracing::error!("{error}"))?;
        for (outcome, bytes) in outcomes.iter().zip(bytes) {
            let metrics = &self.metrics;
            match outcome {
                AppendOutcome::Stored(_) => {
                    metrics.stored.fetch_add(1, Ordering::Relaxed);
                    metrics.stored_bytes.fetch_add(bytes, Ordering::Relaxed);
                }
                AppendOutcome::Known => {
                    metrics.known.fetch_add(1, Ordering::Relaxed);
                }
                AppendOutcome::Stale(_) => {}
            }
        }
        Ok(outcomes)
    }

    /// Keeps a refused item in the quarantine, and counts it.
    pub fn set_aside(&self, refusal: &Refusal, bytes: &[u8]) {
        self.metrics.refuse(&refusal.field);
        let Some(store) = self.opened() else {
            return;
        };
        let kept = store.quarantine.keep(&Refused {
            received: now(),
            claims: refusal.frame,
            reason: refusal.detail.clone(),
            bytes: bytes.to_vec(),
        });
        if let Err(error) = kept {
            tracing::warn!("quarantine: {error}");
        }
    }

    /// The key pair of that name in hexadecimal; the only one for none.
    ///
    /// # Errors
    /// Status 422.
    pub fn key_id(&self, name: Option<&str>) -> Answer<KeyId> {
        let known: Vec<String> = self
            .pairs
            .all()
            .map(|pair| isopod_keys::key_name(&pair.server.key_id()))
            .collect();
        let allowed = || {
            format!(
                "key: {}; allowed is {}",
                name.unwrap_or("missing").escape_default(),
                known.join(" or ")
            )
        };
        let mut all = self.pairs.all().map(|pair| pair.server.key_id());
        let found = match name {
            Some(name) => {
                crate::admit::access::hex(name).filter(|key_id| self.pairs.get(key_id).is_some())
            }
            None => all.next().filter(|_| known.len() == 1),
        };
        found.ok_or_else(|| Problem::content("key", allowed()))
    }
}
