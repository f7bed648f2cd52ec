//! The consuming end: one thread that reads the partitions that the group gives to this server, and commits them to the tables.
//!
//! Where it begins in a partition, the tables say. The offsets that the group remembers are for those who watch how far it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use isopod_stream::Partition;
use rdkafka::client::ClientContext;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::types::{RDKafkaErrorCode, RDKafkaRespErr};
use rdkafka::{Message, Offset, TopicPartitionList};

use super::record::{self, Arrived};
use super::{Options, REQUEST, SESSION};
use crate::service::{Service, Store};

/// Time of one look for records.
const LOOK: Duration = Duration::from_millis(100);
/// Time between two looks for brokers that were lost, and after an error.
const PAUSE: Duration = Duration::from_secs(3);
/// Time between two looks for devices that other servers revoked.
const REVOCATIONS: Duration = Duration::from_secs(10);

/// The group's side of a reader, which the brokers call.
struct Group {
    service: Arc<Service>,
    topic: String,
}

type Reader = BaseConsumer<Group>;

impl ClientContext for Group {
    fn error(&self, error: KafkaError, reason: &str) {
        tracing::warn!("Kafka: {error}: {reason}");
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::AllBrokersDown) {
            self.service.topic.lose();
        }
    }
}

impl ConsumerContext for Group {
    fn rebalance(
        &self,
        reader: &Reader,
        event: RDKafkaRespErr,
        partitions: &mut TopicPartitionList,
    ) {
        match event {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => self.assign(reader, partitions),
            _ => self.revoke(reader),
        }
    }
}

impl Group {
    /// Begins to read these partitions where the tables are.
    fn assign(&self, reader: &Reader, partitions: &TopicPartitionList) {
        let assigned = self.positions(reader, partitions);
        let assigned = assigned.and_then(|positions| Ok(reader.assign(&positions)?));
        let problem = assigned.err().map(|error| format!("{error:#}"));
        match &problem {
            None => tracing::info!(partitions = partitions.count(), "Kafka: assigned"),
            Some(problem) => {
                tracing::error!("Kafka: {problem}");
                // Without an answer the group would wait.
                let _ = reader.assign(&TopicPartitionList::new());
            }
        }
        self.service.stream_problem.set(problem);
    }

    /// Where to begin in each partition.
    fn positions(
        &self,
        reader: &Reader,
        wanted: &TopicPartitionList,
    ) -> Result<TopicPartitionList> {
        let mut positions = TopicPartitionList::new();
        let partitions: Vec<Partition> = wanted.elements().iter().map(named).collect();
        let Some(store) = self.service.opened() else {
            return Ok(positions);
        };
        forget(store);
        let Some(mut stream) = store.stream().filter(|_| !partitions.is_empty()) else {
            return Ok(positions);
        };
        let metadata = reader.fetch_metadata(Some(&self.topic), REQUEST)?;
        let topic = metadata.topics().first().context("topic: unknown")?;
        let count = i32::try_from(topic.partitions().len())?;
        ensure!(count > 0, "topic: {} has no partitions", self.topic);
        let offsets = stream.assign(&partitions, count);
        store.measure(&stream);
        let offsets = offsets?;
        let mut removed = None;
        for (partition, offset) in partitions.iter().zip(offsets) {
            let (first, _) = reader.fetch_watermarks(&self.topic, partition.number, REQUEST)?;
            if first > offset {
                removed = Some(format!(
                    "{partition}: the topic's retention removed records {offset} to {} before they were read; make it longer",
                    first - 1
                ));
            }
            positions.add_partition_offset(
                &partition.topic,
                partition.number,
                Offset::Offset(offset),
            )?;
        }
        if let Some(removed) = &removed {
            tracing::error!("Kafka: {removed}");
        }
        self.service.records_removed.set(removed);
        Ok(positions)
    }

    /// Commits what was read, and gives all partitions up.
    fn revoke(&self, reader: &Reader) {
        if let Some(store) = self.service.opened() {
            commit(&self.service, store, reader);
            forget(store);
        }
        let revoked = reader.unassign();
        revoked.unwrap_or_else(|error| tracing::warn!("Kafka: {error}"));
        tracing::info!("Kafka: partitions are given up");
    }
}

fn named(element: &rdkafka::topic_partition_list::TopicPartitionListElem<'_>) -> Partition {
    Partition {
        topic: element.topic().to_owned(),
        number: element.partition(),
    }
}

/// A member of the group.
fn reader(service: &Arc<Service>, options: &Options) -> Result<Reader> {
    let reader: Reader = options
        .client()
        .set("group.id", &options.group)
        .set("enable.auto.commit", "false")
        .set("enable.auto.offset.store", "false")
        .set("auto.offset.reset", "earliest")
        .set("isolation.level", "read_committed")
        .set("partition.assignment.strategy", "range")
        .set("session.timeout.ms", SESSION.as_millis().to_string())
        .set(
            "heartbeat.interval.ms",
            (SESSION / 4).as_millis().to_string(),
        )
        .create_with_context(Group {
            service: service.clone(),
            topic: options.topic.clone(),
        })?;
    join(service, &reader);
    Ok(reader)
}

/// Joins the group, which shares the partitions among servers of the same tables. A server whose tables are its own reads all
/// partitions, since nobody else could go on where it ends.
fn join(service: &Service, reader: &Reader) {
    let joined = match service.places.root.is_shared {
        true => reader
            .subscribe(&[&reader.context().topic])
            .map_err(Into::into),
        false => all_partitions(reader).map(|all| reader.context().assign(reader, &all)),
    };
    joined.unwrap_or_else(|error| tracing::warn!("Kafka: {error:#}"));
}

fn all_partitions(reader: &Reader) -> Result<TopicPartitionList> {
    let topic = &reader.context().topic;
    let metadata = reader.fetch_metadata(Some(topic), REQUEST)?;
    let mut all = TopicPartitionList::new();
    for partition in metadata
        .topics()
        .iter()
        .flat_map(|topic| topic.partitions())
    {
        all.add_partition(topic, partition.id());
    }
    Ok(all)
}

/// Reads the topic until the server stops.
pub fn work(service: &Arc<Service>, options: &Options, period: Duration) {
    service.topic.lose();
    let Some(store) = service.opened() else {
        return;
    };
    let reader = match reader(service, options) {
        Ok(reader) => reader,
        Err(error) => {
            tracing::error!("Kafka: {error:#}");
            return service.stream_problem.set(Some(format!("{error:#}")));
        }
    };
    let mut committed = Instant::now();
    let (mut looked, mut exchanged) = (Instant::now(), Instant::now());
    while !service.is_stopping() {
        match reader.poll(LOOK) {
            Some(Ok(message)) => take(service, store, &reader, &message),
            Some(Err(error)) => tracing::warn!("Kafka: {error}"),
            None => {}
        }
        let waiting = store.stream().map_or(0, |stream| stream.waiting_bytes());
        if waiting >= service.limits.memory || committed.elapsed() >= period {
            commit(service, store, &reader);
            committed = Instant::now();
        }
        if looked.elapsed() >= PAUSE {
            look(service, store, &reader);
            looked = Instant::now();
        }
        if exchanged.elapsed() >= REVOCATIONS {
            exchange_revocations(service, store);
            exchanged = Instant::now();
        }
    }
    commit(service, store, &reader);
    // The others take over at once.
    reader.unsubscribe();
}

fn take(service: &Service, store: &Store, reader: &Reader, message: &BorrowedMessage<'_>) {
    if service.topic.is_up() != Some(true) {
        service.topic.connect();
    }
    let record = Arrived {
        partition: Partition {
            topic: message.topic().to_owned(),
            number: message.partition(),
        },
        offset: message.offset(),
        time: message
            .timestamp()
            .to_millis()
            .and_then(|time| u64::try_from(time).ok())
            .unwrap_or_else(|| service.clock.now()),
        bytes: message.payload(),
    };
    if let Err(error) = record::take(service, store, &record) {
        tracing::error!("Kafka: {error}");
        begin_anew(service, store, reader);
    }
}

/// Writes what was read to the tables. After an error everything since the last commit is read once more.
fn commit(service: &Service, store: &Store, reader: &Reader) {
    match service.commit_stream(store) {
        Ok(committed) => {
            service.tables_problem.set(None);
            if committed.frames > 0 {
                tracing::debug!(frames = committed.frames, "Kafka: committed");
                report(reader);
                if let Err(error) = store.tables.merge().and_then(|()| store.tables.measure()) {
                    tracing::warn!("tables: {error:#}");
                }
            }
        }
        Err(error) if error.is_taken_over() => {
            tracing::warn!("Kafka: {error}; read once more");
            begin_anew(service, store, reader);
        }
        Err(error) => {
            let error = crate::problem::chain(&error);
            tracing::error!("Kafka: {error}");
            service.tables_problem.set(Some(format!(
                "frames of the topic cannot be stored: {error}"
            )));
            std::thread::sleep(PAUSE);
            begin_anew(service, store, reader);
        }
    }
}

/// Tells the group how far the tables are.
fn report(reader: &Reader) {
    if let Ok(positions) = reader.position() {
        if positions.count() > 0 {
            let told = reader.commit(&positions, CommitMode::Async);
            told.unwrap_or_else(|error| tracing::debug!("Kafka: {error}"));
        }
    }
}

/// Gives up what was read since the last commit, and all partitions.
fn forget(store: &Store) {
    if let Some(mut stream) = store.stream() {
        stream.forget();
        store.measure(&stream);
    }
}

/// Reads the same partitions on from where the tables are.
fn begin_anew(service: &Service, store: &Store, reader: &Reader) {
    forget(store);
    match reader.assignment() {
        Ok(partitions) if partitions.count() > 0 => reader.context().assign(reader, &partitions),
        Ok(_) => {}
        Err(error) => service.stream_problem.set(Some(error.to_string())),
    }
}

/// Looks for brokers that were lost, and for partitions that could not be read.
fn look(service: &Service, store: &Store, reader: &Reader) {
    let is_up = service.topic.is_up() == Some(true);
    if !is_up
        && reader
            .fetch_metadata(Some(&reader.context().topic), REQUEST)
            .is_ok()
    {
        service.topic.connect();
    }
    let is_idle = store
        .stream()
        .is_some_and(|stream| stream.partitions().next().is_none());
    if !is_idle {
        return;
    }
    let has_partitions = reader.assignment().is_ok_and(|all| all.count() > 0);
    if has_partitions {
        // A commit for an answer failed: no record may come that would tell.
        begin_anew(service, store, reader);
    } else if !service.places.root.is_shared || service.stream_problem.get().is_some() {
        // The partitions came, and the tables could not be read: they come once more.
        reader.unsubscribe();
        join(service, reader);
    }
}

/// Tells other servers of devices that were revoked here, and learns of theirs.
fn exchange_revocations(service: &Service, store: &Store) {
    if let Some(shared) = &store.shared_keys {
        for pair in service.pairs.all() {
            if let Err(error) = shared.exchange_revocations(pair) {
                tracing::warn!("revocations of other servers: {error:#}");
            }
        }
    }
}
