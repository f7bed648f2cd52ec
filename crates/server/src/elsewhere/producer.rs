//! Producers, which hand frames to a topic.

use std::future::Future;
use std::pin::Pin;

use isopod_store::NewFrame;

use crate::problem::Answer;

/// A record of a topic: elements of a body, as devices send them.
#[cfg_attr(not(feature = "kafka"), allow(dead_code))]
pub struct Record {
    /// The device, by which a record has its partition.
    pub device: u64,
    /// Time of arrival in milliseconds since 1970.
    pub time: u64,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl From<NewFrame> for Record {
    fn from(frame: NewFrame) -> Self {
        Self {
            device: frame.id.device,
            time: frame.received,
            bytes: frame.bytes,
        }
    }
}

/// Work that is awaited.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Answer<()>> + Send + 'a>>;

/// A client that hands records to a topic.
pub trait Producer: Send + Sync {
    /// Ends when all in-sync replicas of the brokers have all records.
    ///
    /// # Errors
    /// Status 503; some of the records may be in the topic, and may be sent again.
    fn send(&self, records: Vec<Record>) -> Sending<'_>;

    /// Whether the brokers answer. Waits for them.
    fn reaches_brokers(&self) -> bool;
}
