//! The producing end.

use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use isopod_stream::Partition;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer as _};

use super::{Options, REQUEST};
use crate::elsewhere::producer::{Producer, Record, Sending};
use crate::problem::{Answer, Problem};

/// Time that a record may wait for the brokers, and for room among those that wait.
const PATIENCE: Duration = Duration::from_secs(10);
/// Seconds after which a sender may try again.
const AGAIN: u32 = 5;

/// Hands records to a topic.
pub struct KafkaProducer {
    producer: FutureProducer,
    topic: String,
}

impl KafkaProducer {
    /// A producer, whether the brokers are there or not.
    ///
    /// # Errors
    /// Properties that librdkafka refuses.
    pub fn new(options: &Options) -> Result<Self> {
        let producer = options
            .client()
            .set("acks", "all")
            .set("enable.idempotence", "true")
            .set("partitioner", "murmur2_random")
            .set("linger.ms", "5")
            .set("message.timeout.ms", PATIENCE.as_millis().to_string())
            .create();
        Ok(Self {
            producer: producer.context("--kafka")?,
            topic: options.topic.clone(),
        })
    }

    async fn send_one(&self, record: Record) -> Answer<()> {
        let key = Partition::key_of_device(record.device);
        let sent = FutureRecord::to(&self.topic)
            .key(&key)
            .payload(&record.bytes)
            .timestamp(i64::try_from(record.time).unwrap_or(i64::MAX));
        let sent = self.producer.send(sent, PATIENCE).await;
        match sent {
            Ok(_) => Ok(()),
            Err((error, _)) => {
                tracing::error!("Kafka: {error}");
                let detail = format!(
                    "kafka: the brokers did not take a record ({error}); send it again later"
                );
                Err(Problem::busy("kafka", detail).after(AGAIN))
            }
        }
    }
}

impl Producer for KafkaProducer {
    fn send(&self, records: Vec<Record>) -> Sending<'_> {
        Box::pin(async move {
            let all = records.into_iter().map(|record| self.send_one(record));
            try_join_all(all).await.map(drop)
        })
    }

    fn reaches_brokers(&self) -> bool {
        let client = self.producer.client();
        client.fetch_metadata(Some(&self.topic), REQUEST).is_ok()
    }
}

impl Drop for KafkaProducer {
    fn drop(&mut self) {
        // A record without an acknowledgement is sent again by its device.
        let _ = self.producer.flush(REQUEST);
    }
}
