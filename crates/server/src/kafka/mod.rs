//! Kafka: the options of both ends.

mod consumer;
mod producer;
mod record;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use clap::Args;
use rdkafka::ClientConfig;

pub use consumer::work;
pub use producer::KafkaProducer;

/// Time without a word of a server after which the group gives its partitions to others.
const SESSION: Duration = Duration::from_secs(6);
/// Time of a request to the brokers.
const REQUEST: Duration = Duration::from_secs(10);
/// Most bytes of the file of properties.
const MOST_BYTES: u64 = 1 << 16;
/// Properties that the server sets, on which its promises rest.
const OURS: [&str; 11] = [
    "acks",
    "auto.offset.reset",
    "bootstrap.servers",
    "client.id",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.idempotence",
    "group.id",
    "isolation.level",
    "partition.assignment.strategy",
    "partitioner",
];

/// Options of Kafka.
#[derive(Debug, Clone, Args)]
pub struct KafkaArguments {
    /// Take frames from Kafka by these brokers: HOST:PORT, separated by commas
    #[arg(long, value_name = "BROKERS")]
    pub kafka: Option<String>,
    /// Topic of the frames
    #[arg(
        long,
        value_name = "NAME",
        default_value = "frames",
        requires = "kafka"
    )]
    pub topic: String,
    /// Group of the servers that share the partitions of the topic
    #[arg(
        long,
        value_name = "NAME",
        default_value = "isopod",
        requires = "kafka"
    )]
    pub group: String,
    /// File of further properties of librdkafka, such as of TLS and SASL: NAME=VALUE, one a line
    #[arg(long, value_name = "FILE", requires = "kafka")]
    pub kafka_config: Option<PathBuf>,
    /// Hand frames that come over HTTP and MQTT to the topic in place of the log; they are acknowledged once all in-sync replicas
    /// have them
    #[arg(long, requires = "kafka")]
    pub produce: bool,
}

/// A connection to brokers.
#[derive(Debug, Clone)]
pub struct Options {
    brokers: String,
    /// Topic of the frames.
    pub topic: String,
    group: String,
    further: BTreeMap<String, String>,
}

impl KafkaArguments {
    /// The connection that is asked for.
    ///
    /// # Errors
    /// Names and properties that are not allowed.
    pub fn options(&self) -> Result<Option<Options>> {
        let Some(brokers) = &self.kafka else {
            return Ok(None);
        };
        let is_broker = |broker: &str| {
            let parts = broker.rsplit_once(':');
            parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        ensure!(
            brokers.split(',').all(is_broker),
            "--kafka {brokers}: allowed is HOST:PORT, or several of them separated by commas"
        );
        for (option, name) in [("--topic", &self.topic), ("--group", &self.group)] {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
            let is_name = (1..=200).contains(&name.len()) && name.chars().all(is_plain);
            ensure!(
                is_name && !name.starts_with('.'),
                "{option} {name}: allowed are up to 200 letters, digits, '.', '_' and '-', and no '.' at the begin"
            );
        }
        Ok(Some(Options {
            brokers: brokers.clone(),
            topic: self.topic.clone(),
            group: self.group.clone(),
            further: self.further()?,
        }))
    }

    fn further(&self) -> Result<BTreeMap<String, String>> {
        let mut further = BTreeMap::new();
        let Some(path) = &self.kafka_config else {
            return Ok(further);
        };
        let name = || format!("--kafka-config {}", path.display());
        let bytes = isopod_keys::read_private(path, MOST_BYTES).with_context(name)?;
        let text = std::str::from_utf8(&bytes).with_context(name)?;
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((property, value)) = line.split_once('=') else {
                bail!("{}: a line without '='; allowed is NAME=VALUE", name());
            };
            let property = property.trim();
            ensure!(
                !OURS.contains(&property),
                "{}: {property}: the server sets it; allowed are others",
                name()
            );
            further.insert(property.to_owned(), value.trim().to_owned());
        }
        Ok(further)
    }
}

impl Options {
    /// Properties of both ends.
    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.brokers)
            .set("client.id", "isopod-server")
            // Brokers that come back are found soon.
            .set("reconnect.backoff.max.ms", "1000")
            .set("topic.metadata.refresh.interval.ms", "10000");
        for (property, value) in &self.further {
            config.set(property, value);
        }
        config
    }
}
