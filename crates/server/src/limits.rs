//! Bounds of the server.

use std::time::Duration;

use crate::health::clock::Day;

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
    /// Whether an index that is missing may be made anew, although it alone knows the names of removed frames.
    pub forget_removed: bool,
    /// Bytes of room on the disk that there should be.
    pub least_room: u64,
    /// Day on which the system's clock is trusted.
    pub trusted_day: Option<Day>,
    /// Time after which a lost broker makes the server unready.
    pub broker_patience: Duration,
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
