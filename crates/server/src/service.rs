//! State of the server that all requests share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};
use isopod_packet::PendingPackets;
use isopod_store::{
    AppendOutcome, DeviceState, Log, NewFrame, Options, Quarantine, Recovered, Refused, StoreError,
    Totals,
};
use isopod_stream::{Committed, Folders, Stream};
use isopod_wire::KeyId;
use tokio::sync::{oneshot, Semaphore};

use crate::admit::access::Access;
use crate::admit::refusal::Refusal;
use crate::admit::room::{Bounds, Room};
use crate::admit::uplinks::Uplinks;
use crate::elsewhere::producer::{Producer, Record};
use crate::elsewhere::shared_keys::SharedKeys;
use crate::elsewhere::Places;
use crate::health::broker::Broker;
use crate::health::clock::Clock;
use crate::health::condition::Condition;
use crate::health::disk::Disk;
use crate::health::metrics::Metrics;
use crate::jobs::queries::Queries;
use crate::jobs::queue::Jobs;
use crate::limits::Limits;
use crate::pairs::Pairs;
use crate::problem::{Answer, Problem};
use crate::tables::{self, Tables};

/// Times that an answer is made while other servers answer: two that answer all the time keep step, and one loses often.
const ANSWER_TRIES: u32 = 20;

/// Log, tables and quarantine, once they are recovered.
pub struct Store {
    /// Frames.
    pub log: Log,
    /// Frames in tables.
    pub tables: Tables,
    /// Refused items; none where their folder cannot be used.
    pub quarantine: Option<Quarantine>,
    /// The partitions of a topic that the server reads, where frames come from there and not from the log.
    pub stream: Option<Mutex<Stream>>,
    /// Sums over the devices of these partitions after the last commit.
    stream_totals: Mutex<Totals>,
    /// State that servers of the same tables share.
    pub shared_keys: Option<SharedKeys>,
}

impl Store {
    /// The partitions that the server reads, if frames come from a topic.
    pub fn stream(&self) -> Option<MutexGuard<'_, Stream>> {
        let stream = self.stream.as_ref()?;
        Some(stream.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts the devices of the partitions that the server reads anew.
    pub fn measure(&self, stream: &Stream) {
        let totals = self.stream_totals.lock();
        *totals.unwrap_or_else(PoisonError::into_inner) = stream.totals();
    }

    /// Sums over all devices whose frames are in the log, or in the partitions that the server reads.
    pub fn totals(&self) -> Totals {
        match self.stream {
            None => self.log.totals(),
            Some(_) => {
                let totals = self.stream_totals.lock();
                *totals.unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    /// These devices of a key pair behind a number, at most `most` of them. Waits for a commit.
    ///
    /// # Errors
    /// The log's.
    pub fn devices(
        &self,
        key_id: &KeyId,
        after: Option<u64>,
        most: usize,
    ) -> Result<Vec<(u64, DeviceState)>, StoreError> {
        match self.stream() {
            None => self.log.devices(key_id, after, most),
            Some(stream) => Ok(stream.devices(key_id, after, most)),
        }
    }
}

/// The server.
pub struct Service {
    /// Key pairs.
    pub pairs: Arc<Pairs>,
    /// Tokens.
    pub access: Access,
    /// Radios of network servers.
    pub uplinks: Uplinks,
    /// Counters.
    pub metrics: Metrics,
    /// The clock, which marks frames.
    pub clock: Clock,
    /// The disk under the data folder.
    pub disk: Disk,
    /// The connection to the broker of MQTT.
    pub broker: Broker,
    /// The connection to the brokers of the topic.
    pub topic: Broker,
    /// Why no partition of the topic is read.
    pub stream_problem: Condition,
    /// Records that left the topic before they were read.
    pub records_removed: Condition,
    /// Where frames and tables are.
    pub places: Places,
    /// Why retention removes nothing, where frames may be due.
    pub retention_problem: Condition,
    /// Whether the last upkeep of the tables failed.
    pub tables_problem: Condition,
    /// Jobs.
    pub jobs: Jobs,
    /// Bounds.
    pub limits: Limits,
    /// Room for uploads.
    pub room: Arc<Room>,
    /// One query at a time.
    #[cfg_attr(not(feature = "sql"), allow(dead_code))]
    pub querying: Arc<Semaphore>,
    /// The last queries.
    pub queries: Queries,
    /// Packets whose contexts have not come yet.
    waiting: Mutex<PendingPackets>,
    /// The data folder.
    pub data: PathBuf,
    store: OnceLock<Store>,
    torn_bytes: AtomicU64,
    stopping: AtomicBool,
    started: Instant,
}

impl Service {
    /// A server that has not recovered its log yet.
    ///
    /// # Errors
    /// The folder of jobs cannot be made or read.
    pub fn new(
        places: Places,
        pairs: Pairs,
        access: Access,
        uplinks: Uplinks,
        limits: Limits,
    ) -> Result<Self> {
        let data = places.data.clone();
        let bounds = Bounds {
            memory: limits.memory,
            waiting: limits.waiting,
            connections: limits.connections,
            uploads: limits.uploads_of_a_device,
            patience: limits.patience,
            item: pairs.most_item_bytes(),
            frame: pairs.most_frame_bytes(),
        };
        let jobs =
            Jobs::open(isopod_disk::system(), data.join("jobs"), limits.jobs).context("jobs")?;
        Ok(Self {
            pairs: Arc::new(pairs),
            access,
            uplinks,
            metrics: Metrics::default(),
            clock: Clock::new(data.join("clock"), limits.trusted_day),
            disk: Disk::new(data.clone(), limits.least_room),
            broker: Broker::default(),
            topic: Broker::default(),
            stream_problem: Condition::default(),
            records_removed: Condition::default(),
            places,
            retention_problem: Condition::default(),
            tables_problem: Condition::default(),
            jobs,
            room: Arc::new(Room::new(&data, bounds)),
            limits,
            querying: Arc::new(Semaphore::new(1)),
            queries: Queries::default(),
            waiting: Mutex::default(),
            data,
            store: OnceLock::new(),
            torn_bytes: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            started: Instant::now(),
        })
    }

    /// Opens log, tables and quarantine; until then requests are refused.
    ///
    /// # Errors
    /// The errors of [`tables::open`].
    pub fn recover(&self) -> Result<Recovered> {
        self.room.prepare().context("uploads")?;
        let servers = self.pairs.all().map(|pair| &pair.server);
        let servers = servers.filter(|_| self.limits.has_tables);
        let options = Options {
            forget_removed: self.limits.forget_removed,
            ..Options::default()
        };
        let root = &self.places.root;
        let (log, tables, recovered) = tables::open(&self.data, root, servers, options)?;
        let torn = recovered.torn_tail.as_ref().map_or(0, |torn| torn.bytes);
        self.torn_bytes.store(torn, Ordering::Relaxed);
        self.clock.begin(log.newest());
        let quarantine = self.open_quarantine();
        let folders = Folders {
            disk: root.disk.clone(),
            root: root.folder.clone(),
        };
        let shared_keys = root
            .is_shared
            .then(|| SharedKeys::open(&folders, &self.pairs));
        let stream = self.places.has_stream;
        let stream = stream.then(|| Mutex::new(Stream::new(folders, tables.all())));
        // Called once.
        let _ = self.store.set(Store {
            log,
            tables,
            quarantine,
            stream,
            stream_totals: Mutex::default(),
            shared_keys: shared_keys.transpose()?,
        });
        Ok(recovered)
    }

    /// The quarantine; none where it cannot be opened: no frame of it was acknowledged, and it keeps nobody from the others.
    fn open_quarantine(&self) -> Option<Quarantine> {
        let folder = self.data.join("quarantine");
        let opened = Quarantine::open(isopod_disk::system(), &folder, self.limits.quarantine);
        opened
            .inspect_err(|error| tracing::error!("quarantine: refused items are not kept: {error}"))
            .ok()
    }

    /// Log and quarantine.
    ///
    /// # Errors
    /// Status 503 until the log is recovered, and from the begin of the end on.
    pub fn store(&self) -> Answer<&Store> {
        match self.store.get() {
            Some(store) if !self.is_stopping() => Ok(store),
            Some(_) => Err(Problem::busy("server", "the server is about to stop")),
            None => Err(Problem::busy("server", "the server recovers its log")),
        }
    }

    /// Packets whose contexts have not come yet.
    pub fn waiting(&self) -> MutexGuard<'_, PendingPackets> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Log and quarantine for work that goes on while the server stops.
    pub fn opened(&self) -> Option<&Store> {
        self.store.get()
    }

    /// Whether new work is refused.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Bytes that the last crash left behind the last whole frame.
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes.load(Ordering::Relaxed)
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
        self.started.elapsed().as_secs()
    }

    /// Stores frames; returns once they are on disk.
    ///
    /// # Errors
    /// The errors of [`Log::append`].
    pub async fn store_all(&self, frames: Vec<NewFrame>) -> Answer<Vec<AppendOutcome>> {
        if let Some(producer) = &self.places.producer {
            return self.produce(producer.as_ref(), frames).await;
        }
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
        self.disk.wrote(&stored);
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

    /// Hands frames to a topic; returns once its brokers have them. Whether a frame is known or stale is judged where it is
    /// read.
    async fn produce(
        &self,
        producer: &dyn Producer,
        frames: Vec<NewFrame>,
    ) -> Answer<Vec<AppendOutcome>> {
        let bytes: usize = frames.iter().map(|frame| frame.bytes.len()).sum();
        let count = frames.len();
        let records = frames.into_iter().map(Record::from).collect();
        producer.send(records).await?;
        let metrics = &self.metrics;
        metrics.stored.fetch_add(count as u64, Ordering::Relaxed);
        metrics
            .stored_bytes
            .fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(vec![AppendOutcome::Stored(0); count])
    }

    /// Writes what this server has read from a topic by now to the tables, and counts it.
    ///
    /// # Errors
    /// Those of [`Stream::commit`].
    pub fn commit_stream(&self, store: &Store) -> isopod_stream::Result<Committed> {
        let Some(mut stream) = store.stream() else {
            return Ok(Committed::default());
        };
        let committed = stream.commit();
        // One that wrote no frame leaves the sums as they are; one that failed gives the partitions up.
        if committed
            .as_ref()
            .map_or(true, |committed| committed.frames > 0)
        {
            store.measure(&stream);
        }
        let committed = committed?;
        let stored = &self.metrics.stored;
        stored.fetch_add(committed.frames, Ordering::Relaxed);
        if committed.passed_over > 0 {
            let records = committed.passed_over;
            tracing::warn!(
                records,
                "refused, and not kept: as many were refused since the last commit as are kept"
            );
        }
        Ok(committed)
    }

    /// Brings the tables up to date for an answer, with what this server has read from a topic by now.
    pub fn commit_for_answer(&self, store: &Store) {
        // The rows of a partition that another server took over are in the tables.
        if let Err(error) = self.commit_stream(store) {
            tracing::warn!("Kafka: {error}");
        }
    }

    /// Makes an answer whose frames enter the memory of answers. Where other servers have the same tables, the answer leaves only
    /// if none of them answered meanwhile under this key pair; otherwise it is made once more.
    ///
    /// # Errors
    /// Those of the work; status 503 where the others answer all the time.
    pub fn answer_alone<T>(
        &self,
        key_id: &KeyId,
        mut work: impl FnMut() -> Answer<T>,
    ) -> Answer<T> {
        let shared = self.opened().and_then(|store| store.shared_keys.as_ref());
        let (Some(shared), Some(pair)) = (shared, self.pairs.get(key_id)) else {
            return work();
        };
        let failed = |error: anyhow::Error| {
            tracing::error!("answers of all servers: {error:#}");
            Problem::busy("storage", "the tables cannot be reached; ask again later")
        };
        let mut turn = shared.turn();
        for _ in 0..ANSWER_TRIES {
            shared.exchange_revocations(pair).map_err(failed)?;
            turn.begin(pair).map_err(failed)?;
            let answer = work()?;
            if turn.end(pair).map_err(failed)? {
                return Ok(answer);
            }
            tracing::warn!("another server answered meanwhile; the answer is made once more");
        }
        Err(Problem::busy(
            "answers",
            "other servers answer at the same time; ask again later",
        ))
    }

    /// Keeps a refused item in the quarantine, and counts it.
    pub fn set_aside(&self, refusal: &Refusal, bytes: &[u8]) {
        self.metrics.refuse(&refusal.field);
        let quarantine = self.opened().and_then(|store| store.quarantine.as_ref());
        let Some(quarantine) = quarantine else {
            return;
        };
        let kept = quarantine.keep(&Refused {
            received: self.clock.now(),
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
