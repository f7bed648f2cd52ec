//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "kafka")]
use anyhow::Context;
use anyhow::{bail, ensure, Result};
use clap::{Parser, ValueEnum};
use isopod_uplink::Format;
use isopod_workflow::LargeRing;

use crate::admit::uplinks::Ports;
use crate::elsewhere::Places;
use crate::health::clock::Day;
#[cfg(feature = "kafka")]
use crate::kafka::{KafkaArguments, KafkaProducer};
use crate::limits::{Limits, SqlLimits};
use crate::tables::Root;
use crate::upkeep::Plan;

/// Takes encrypted frames of devices, loses none that it acknowledged, and computes on them without a key.
///
/// `isopod-server sql QUERY` answers a query on the tables of a data folder.
#[derive(Debug, Parser)]
#[command(name = "isopod-server", version)]
pub struct Arguments {
    /// Folder of the log, the quarantine and the jobs; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The server's folder of a key pair, which keygen wrote; once for each pair. Certificate and tokens are those of the first
    #[arg(long, value_name = "DIR", default_value = "keys/server")]
    pub keys: Vec<PathBuf>,
    /// Address and port to listen to
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8440")]
    pub listen: SocketAddr,
    /// Listen to other machines without TLS, behind a proxy that has it
    #[arg(long)]
    pub plain: bool,
    /// Remove frames that came more than this number of days ago [default: none]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=36_500))]
    pub retain_days: Option<u64>,
    /// Percent of the frames that retention may remove at once, where more are due than came in a day
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u64).range(..=100))]
    pub remove_percent: u64,
    /// Days for which removed frames are kept, so that they can be put back
    #[arg(long, value_name = "NUMBER", default_value_t = 7, value_parser = clap::value_parser!(u64).range(..=36_500))]
    pub grace_days: u64,
    /// Trust the system's clock on this day, such as 2026-03-31, whatever the last time seen was
    #[arg(long, value_name = "DAY")]
    pub trust_clock: Option<Day>,
    /// Megabytes of room on the disk, below which the server is not ready
    #[arg(long, value_name = "NUMBER", default_value_t = 256, value_parser = clap::value_parser!(u32).range(..=1_048_576))]
    pub least_room_mb: u32,
    /// Connections at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 4096, value_parser = at_least_one)]
    pub connections: usize,
    /// Bodies that one device, or one connection with a token, may send at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = at_least_one)]
    pub uploads_per_device: usize,
    /// Megabytes of frames on their way to disk
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u32).range(8..=65_536))]
    pub memory_mb: u32,
    /// Megabytes on disk of frames that come slowly and are not whole yet
    #[arg(long, value_name = "NUMBER", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(8..=1_048_576))]
    pub waiting_mb: u32,
    /// Megabytes that a job may take which holds its frames
    #[arg(long, value_name = "NUMBER", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(8..=1_048_576))]
    pub job_memory_mb: u32,
    #[command(flatten)]
    pub large_ring: LargeRing,
    /// Jobs that may wait
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = at_least_one)]
    pub jobs: usize,
    /// Megabytes of refused items that are kept
    #[arg(long, value_name = "NUMBER", default_value_t = 256, value_parser = clap::value_parser!(u32).range(8..=1_048_576))]
    pub quarantine_mb: u32,
    /// Seconds after which new frames are in the tables; a query has them at once
    #[arg(long, value_name = "NUMBER", default_value_t = 300, value_parser = clap::value_parser!(u64).range(..=86_400))]
    pub table_seconds: u64,
    /// Make the index of the log anew if it is missing, although frames that retention removed could then be stored again
    #[arg(long)]
    pub forget_removed: bool,
    /// Keep the log alone, without tables
    #[arg(long)]
    pub no_tables: bool,
    /// Keep the tables in a bucket, which servers may share: s3://BUCKET/PREFIX [default: a folder in that of --data]
    #[cfg(feature = "kafka")]
    #[arg(long, value_name = "URL", conflicts_with = "no_tables")]
    pub tables: Option<String>,
    /// Kafka
    #[cfg(feature = "kafka")]
    #[command(flatten)]
    pub kafka: KafkaArguments,
    /// Megabytes of a query's groups in memory
    #[arg(long, value_name = "NUMBER", default_value_t = 128, value_parser = clap::value_parser!(u32).range(16..=65_536))]
    pub sql_memory_mb: u32,
    /// Seconds of a query
    #[arg(long, value_name = "NUMBER", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub sql_seconds: u64,
    /// Megabytes of a query's answer
    #[arg(long, value_name = "NUMBER", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub sql_answer_mb: u32,
    /// Seconds that a part waits for the others of its frame, where they come one by one
    #[arg(long, value_name = "NUMBER", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub part_seconds: u64,
    /// Seconds that a sender may be silent within a request
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// Form of the log on standard error
    #[arg(long, value_enum, default_value_t = LogForm::Json)]
    pub log: LogForm,
    /// Take frames from this MQTT broker, too: HOST:PORT
    #[arg(long, value_name = "ADDRESS")]
    pub mqtt: Option<String>,
    /// File with user and password of the broker, one line each
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    pub mqtt_login: Option<PathBuf>,
    /// Certificates of the broker's authority: the connection is TLS, by mqtt.crt in the first folder of --keys if it is there
    #[arg(long, value_name = "FILE", requires = "mqtt")]
    pub mqtt_authority: Option<PathBuf>,
    /// Table of radios, with lines EUI,DEVICE: whose the packets are that network servers of LoRaWAN and Sigfox deliver
    #[arg(long, value_name = "FILE")]
    pub euis: Option<PathBuf>,
    /// Port of LoRaWAN on which packets come; may be repeated [default: 1 to 223]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=223))]
    pub uplink_port: Vec<u8>,
    /// Port of LoRaWAN on which fragments come, of contexts and frames that are longer than an uplink
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=223))]
    pub fragment_port: Option<u8>,
    /// Take uplinks of this network server from the MQTT broker, too
    #[arg(long, value_name = "FORMAT", value_enum, requires = "mqtt")]
    pub uplinks: Option<BrokerFormat>,
    /// Seconds without the broker after which the server is not ready
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub broker_seconds: u64,
    /// First level of the topics
    #[arg(long, value_name = "NAME", default_value = "isopod", requires = "mqtt")]
    pub mqtt_topic: String,
}

/// Form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    /// One object a line
    Json,
    /// For people
    Text,
}

/// Network server whose uplinks come over MQTT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BrokerFormat {
    /// ChirpStack 4
    Chirpstack,
    /// The Things Stack 3
    ThingsStack,
}

impl From<BrokerFormat> for Format {
    fn from(format: BrokerFormat) -> Self {
        match format {
            BrokerFormat::Chirpstack => Self::ChirpStack,
            BrokerFormat::ThingsStack => Self::ThingsStack,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=1_000_000).contains(&number) => Ok(number),
        _ => Err("allowed are 1 to 1000000".to_owned()),
    }
}

impl Arguments {
    /// Ports of uplinks.
    ///
    /// # Errors
    /// The port of fragments is among those of packets.
    pub fn ports(&self) -> Result<Ports> {
        let packets = self.uplink_port.clone();
        if let Some(port) = self.fragment_port.filter(|port| packets.contains(port)) {
            bail!("--fragment-port: {port}, which --uplink-port has, too; allowed is another port");
        }
        Ok(Ports {
            packets,
            fragments: self.fragment_port,
        })
    }

    /// Bounds of what is taken at the same time.
    pub fn limits(&self) -> Limits {
        Limits {
            memory: (self.memory_mb as usize) << 20,
            waiting: (self.waiting_mb as usize) << 20,
            connections: self.connections,
            uploads_of_a_device: self.uploads_per_device,
            job_memory: u64::from(self.job_memory_mb) << 20,
            jobs: self.jobs,
            quarantine: u64::from(self.quarantine_mb) << 20,
            forget_removed: self.forget_removed,
            least_room: u64::from(self.least_room_mb) << 20,
            trusted_day: self.trust_clock,
            broker_patience: Duration::from_secs(self.broker_seconds),
            part_seconds: self.part_seconds,
            patience: Duration::from_secs(self.patience),
            has_tables: !self.no_tables,
            sql: SqlLimits {
                memory: (self.sql_memory_mb as usize) << 20,
                time: Duration::from_secs(self.sql_seconds),
                answer: u64::from(self.sql_answer_mb) << 20,
            },
        }
    }

    /// Where frames and tables are: in the data folder.
    ///
    /// # Errors
    /// None without the feature `kafka`.
    #[cfg(not(feature = "kafka"))]
    pub fn places(&self) -> Result<Places> {
        Ok(Places {
            data: self.data.clone(),
            root: Root::of_data(&self.data),
            has_stream: false,
            producer: None,
        })
    }

    /// Where frames and tables are.
    ///
    /// # Errors
    /// A URL, brokers or properties that cannot be used.
    #[cfg(feature = "kafka")]
    pub fn places(&self) -> Result<Places> {
        let options = self.kafka.options()?;
        let root = match &self.tables {
            None => Root::of_data(&self.data),
            Some(url) => {
                let place = isopod_objects::Place::parse(url).context("--tables")?;
                Root {
                    disk: isopod_objects::open(&place, &self.data.join("staged"))
                        .context("--tables")?,
                    folder: place.path().to_owned(),
                    is_shared: true,
                }
            }
        };
        let producer = match &options {
            Some(options) if self.kafka.produce => Some(KafkaProducer::new(options)?),
            _ => None,
        };
        let has_stream = options.is_some() && !self.kafka.produce;
        ensure!(
            !has_stream || !self.no_tables,
            "--kafka: frames of a topic go to tables; allowed is without --no-tables"
        );
        Ok(Places {
            data: self.data.clone(),
            root,
            has_stream,
            producer: producer.map(|producer| Box::new(producer) as _),
        })
    }

    /// Measures of the upkeep.
    pub fn plan(&self) -> Plan {
        Plan {
            table_period: Duration::from_secs(self.table_seconds),
            retain_days: self.retain_days,
            most_percent: self.remove_percent,
            grace_days: self.grace_days,
        }
    }

    /// Whether only programs of this machine can connect.
    pub fn is_local(&self) -> bool {
        self.listen.ip().is_loopback()
    }

    /// Refuses connections of other machines without TLS, unless they are asked for.
    ///
    /// # Errors
    /// What to do instead.
    pub fn check_tls(&self, tls: bool) -> Result<()> {
        ensure!(
            tls || self.plain || self.is_local(),
            "--listen {}: other machines would connect without TLS; allowed is an address of this machine, a certificate, which \
             `isopod device certify` writes into the folder of --keys, or --plain behind a proxy",
            self.listen
        );
        Ok(())
    }
}
