//! Records that were refused, by partition and offset.

use std::path::Path;

use isopod_disk::Disk;
use serde_json::json;

use crate::state_file::put;
use crate::{Partition, Result};

/// Refused records of a partition that are kept: beyond them, a newer one takes the place of an older one.
const KEPT: i64 = 10_000;
/// Bytes of a record that are kept. The topic has them all.
const MOST_BYTES: usize = 64 << 10;

/// A record, or an element of one, that does not enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecord {
    /// Where it stands.
    pub partition: Partition,
    /// Its offset.
    pub offset: i64,
    /// Time of the record in milliseconds since 1970.
    pub time: u64,
    /// The field that is wrong, and what is allowed.
    pub reason: String,
    /// Bytes of the element.
    pub bytes: Vec<u8>,
}

impl RefusedRecord {
    /// Writes the record into a folder of refused ones: a line of JSON, and behind it the bytes.
    pub(crate) fn keep(&self, disk: &dyn Disk, folder: &Path) -> Result<()> {
        let said = json!({
            "topic": self.partition.topic, "partition": self.partition.number, "offset": self.offset,
            "time": self.time, "reason": self.reason, "bytes": self.bytes.len(),
        });
        let mut content = format!("{said}\n").into_bytes();
        content.extend_from_slice(&self.bytes[..self.bytes.len().min(MOST_BYTES)]);
        let name = format!("{:04}", self.offset.rem_euclid(KEPT));
        let path = folder.join(self.partition.folder()).join(name);
        put(disk, &path, &content)
    }
}
