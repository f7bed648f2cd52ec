//! State of a table: what the entries of its log add up to, action by action.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{json, Value};

use crate::files::Added;
use crate::{Error, Result};

/// Versions of the protocol that need no other feature of a reader or writer than appended files.
pub(super) const READER: u64 = 1;
pub(super) const WRITER: u64 = 2;
/// Tag of a data file: its CRC-32C in hexadecimal.
const CHECKSUM: &str = "isopod.crc32c";

/// State of a table at one version.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// Number of the entry that comes next.
    pub next: u64,
    /// Number of the checkpoint that this began with, or 0.
    pub checkpoint: u64,
    /// Data files by name.
    pub files: BTreeMap<String, Added>,
    /// Files that were taken out and may be on disk, with the time in milliseconds since 1970.
    pub removed: BTreeMap<String, u64>,
    /// Version of each writer.
    pub writers: BTreeMap<String, i64>,
    protocol: Value,
    table: Value,
}

impl State {
    /// A state that a checkpoint of this version is read into.
    pub fn of_checkpoint(version: u64) -> Self {
        Self {
            next: version + 1,
            checkpoint: version,
            ..Self::default()
        }
    }

    /// Number of the last entry.
    pub fn version(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    /// Whether an entry says what the table is.
    pub fn is_table(&self) -> bool {
        !self.table.is_null()
    }

    /// Applies an action of the log or of a checkpoint at this path.
    pub fn apply(&mut self, path: &Path, action: &Value) -> Result<()> {
        if let Some(protocol) = action.get("protocol") {
            check_reader(path, &protocol["minReaderVersion"])?;
            self.protocol = protocol.clone();
        }
        if let Some(add) = action.get("add") {
            self.add(path, add)?;
        }
        if let Some(remove) = action.get("remove") {
            let name = text(path, remove, "path")?;
            self.files.remove(&name);
            let time = remove["deletionTimestamp"].as_u64().unwrap_or(0);
            self.removed.insert(name, time);
        }
        if let Some(transaction) = action.get("txn") {
            let version = transaction["version"].as_i64().unwrap_or(i64::MIN);
            let writer = text(path, transaction, "appId")?;
            self.writers.insert(writer, version);
        }
        if let Some(table) = action.get("metaData") {
            let partitions = table["partitionColumns"].as_array();
            if partitions.is_some_and(|columns| !columns.is_empty()) {
                let problem = "partitionColumns: some; allowed are tables without partitions";
                return Err(Error::log(path, problem));
            }
            self.table = table.clone();
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, add: &Value) -> Result<()> {
        let stats = add["stats"]
            .as_str()
            .and_then(|stats| serde_json::from_str(stats).ok());
        let rows = stats.and_then(|stats: Value| stats["numRecords"].as_u64());
        let name = text(path, add, "path")?;
        if name.is_empty() || name.contains(['/', '%', '\\']) || name.starts_with('.') {
            let problem =
                format!("path: {name:?}; allowed is the name of a file in the table's folder");
            return Err(Error::log(path, problem));
        }
        let added = Added {
            bytes: add["size"].as_u64().unwrap_or(0),
            rows: rows.unwrap_or(0),
            checksum: checksum(path, &add["tags"][CHECKSUM])?,
            time: add["modificationTime"].as_u64().unwrap_or(0),
        };
        self.removed.remove(&name);
        self.files.insert(name, added);
        Ok(())
    }

    /// Actions that make this state.
    pub fn actions(&self) -> Vec<Value> {
        let mut actions = vec![
            json!({"protocol": self.protocol}),
            json!({"metaData": self.table}),
        ];
        let writers = self.writers.iter();
        actions.extend(writers.map(|(writer, version)| transaction(writer, *version)));
        let files = self.files.iter();
        actions.extend(files.map(|(name, file)| added(name, file, false)));
        let removed = self.removed.iter();
        actions.extend(removed.map(|(name, time)| removal(name, *time, false)));
        actions
    }
}

fn text(path: &Path, value: &Value, field: &str) -> Result<String> {
    let found = value[field].as_str().map(str::to_owned);
    found.ok_or_else(|| Error::log(path, format!("{field}: missing; allowed is a text")))
}

fn checksum(path: &Path, found: &Value) -> Result<Option<u32>> {
    let Some(digits) = found.as_str() else {
        return Ok(None);
    };
    let checksum = u32::from_str_radix(digits, 16).map(Some);
    checksum.map_err(|_| {
        let problem = format!("{CHECKSUM}: {digits:?}; allowed are eight hexadecimal digits");
        Error::log(path, problem)
    })
}

fn check_reader(path: &Path, least: &Value) -> Result<()> {
    if least.as_u64().is_some_and(|version| version <= READER) {
        return Ok(());
    }
    let problem = format!(
        "minReaderVersion: {least}; allowed is {READER}: the table has been changed by another writer"
    );
    Err(Error::log(path, problem))
}

/// The action that adds a file; `is_change` unless its frames were there before.
pub(super) fn added(name: &str, file: &Added, is_change: bool) -> Value {
    let stats = json!({"numRecords": file.rows}).to_string();
    let mut add = json!({"path": name, "partitionValues": {}, "size": file.bytes, "modificationTime": file.time,
                         "dataChange": is_change, "stats": stats});
    if let Some(checksum) = file.checksum {
        add["tags"] = json!({CHECKSUM: format!("{checksum:08x}")});
    }
    json!({ "add": add })
}

/// The action that takes a file out; `is_change` unless its frames are in other files.
pub(super) fn removal(name: &str, time: u64, is_change: bool) -> Value {
    json!({"remove": {"path": name, "deletionTimestamp": time, "dataChange": is_change}})
}

/// The action that records the progress of a writer.
pub(super) fn transaction(writer: &str, version: i64) -> Value {
    json!({"txn": {"appId": writer, "version": version}})
}
