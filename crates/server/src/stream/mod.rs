//! Frames by way of a topic of Kafka: a server hands them there in place of its log, and servers of one group put them into tables.

#[cfg(feature = "kafka")]
pub mod kafka;
pub mod producer;
pub mod shared_keys;
