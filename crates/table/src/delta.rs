//! The Delta log of a table `[DELTA]`: numbered entries of JSON lines, of which each is written once, whole.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_schema::{DataType, Field};
use serde_json::{json, Value};

use crate::files::{random_name, sync_folder, DataFile};
use crate::rows::columns;
use crate::{Error, Result};

/// Folder of the log in the table's folder.
pub(crate) const LOG: &str = "_delta_log";
/// Versions of the protocol that need no other feature of a reader or writer than appended files.
const READER: u64 = 1;
const WRITER: u64 = 2;

/// Progress of a writer, which a table remembers: what it appended before is not appended again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Name of the writer, such as that of a log.
    pub writer: String,
    /// Number up to which its frames are in the table with this append; larger than that of the append before.
    pub version: i64,
}

/// The log of a table.
pub(crate) struct DeltaLog {
    folder: PathBuf,
}

/// State of a table: what the entries of the log up to a version add up to.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// Number of the last entry.
    pub version: u64,
    /// Data files by name: bytes and rows.
    pub files: BTreeMap<String, (u64, u64)>,
    /// Version of each writer.
    pub writers: BTreeMap<String, i64>,
    is_table: bool,
}

impl DeltaLog {
    pub fn of(table: &Path) -> Self {
        Self {
            folder: table.join(LOG),
        }
    }

    /// Whether the log has a first entry.
    pub fn is_begun(&self) -> bool {
        self.entry(0).exists()
    }

    /// Begins the log of a new table.
    pub fn create(&self) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(Error::at(&self.folder))?;
        let fields: Vec<Value> = columns().fields().iter().map(|field| of(field)).collect();
        let schema = json!({"type": "struct", "fields": fields}).to_string();
        let entry = [
            json!({"commitInfo": {"timestamp": now(), "operation": "CREATE TABLE", "engineInfo": "isopod"}}),
            json!({"protocol": {"minReaderVersion": READER, "minWriterVersion": WRITER}}),
            json!({"metaData": {
                "id": random_name()?, "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
                "partitionColumns": [], "configuration": {}, "createdTime": now()}}),
        ];
        match self.write(0, &entry)? {
            true => Ok(()),
            false => Err(Error::log(
                &self.entry(0),
                "there already; allowed is a new folder",
            )),
        }
    }

    /// Reads the log from its begin.
    ///
    /// Errors: [`Error::Log`] for an entry that is missing, is not JSON, or needs features of a newer reader.
    pub fn read(&self) -> Result<State> {
        let mut state = State::default();
        for version in 0.. {
            let path = self.entry(version);
            match File::open(&path) {
                Ok(file) => self.apply(&mut state, &path, BufReader::new(file))?,
                Err(error) if error.kind() == ErrorKind::NotFound && version > 0 => break,
                Err(error) => return Err(Error::at(&path)(error)),
            }
            state.version = version;
        }
        match state.is_table {
            true => Ok(state),
            false => Err(Error::log(
                &self.entry(0),
                "no metaData; allowed is the log of a table that this program made",
            )),
        }
    }

    fn apply(&self, state: &mut State, path: &Path, entry: impl BufRead) -> Result<()> {
        for line in entry.lines() {
            let line = line.map_err(Error::at(path))?;
            let action: Value =
                serde_json::from_str(&line).map_err(|error| Error::log(path, error.to_string()))?;
            state.apply(path, &action)?;
        }
        Ok(())
    }

    /// Adds files, all or none. Gives the version, and whether it was written; it was not if the transaction was in the log.
    ///
    /// Errors: after one it is not known whether the files are in the log.
    pub fn append(
        &self,
        files: &[DataFile],
        transaction: Option<&Transaction>,
    ) -> Result<(u64, bool)> {
        loop {
            let state = self.read()?;
            let mut entry = vec![
                json!({"commitInfo": {"timestamp": now(), "operation": "WRITE", "operationParameters": {"mode": "Append"},
                                      "engineInfo": "isopod"}}),
            ];
            if let Some(Transaction { writer, version }) = transaction {
                if state
                    .writers
                    .get(writer)
                    .is_some_and(|before| before >= version)
                {
                    return Ok((state.version, false));
                }
                entry.push(
                    json!({"txn": {"appId": writer, "version": version, "lastUpdated": now()}}),
                );
            }
            entry.extend(files.iter().map(|file| added(file, true)));
            // Somebody else's entry took the number: the files are still new, and take the next.
            if self.write(state.version + 1, &entry)? {
                return Ok((state.version + 1, true));
            }
        }
    }

    /// Puts files in the place of others, all or none; `is_change` unless both hold the same frames. Gives the version.
    ///
    /// Errors: [`Error::Log`] for files that another writer took away; after others it is not known which files are in the log.
    pub fn replace(&self, removed: &[String], files: &[DataFile], is_change: bool) -> Result<u64> {
        loop {
            let state = self.read()?;
            if let Some(gone) = removed.iter().find(|name| !state.files.contains_key(*name)) {
                let problem =
                    format!("{gone}: another writer took it away; allowed is one at a time");
                return Err(Error::log(&self.entry(state.version), problem));
            }
            let operation = if is_change { "DELETE" } else { "OPTIMIZE" };
            let mut entry = vec![
                json!({"commitInfo": {"timestamp": now(), "operation": operation, "engineInfo": "isopod"}}),
            ];
            entry.extend(removed.iter().map(|name| {
                json!({"remove": {"path": name, "deletionTimestamp": now(), "dataChange": is_change}})
            }));
            entry.extend(files.iter().map(|file| added(file, is_change)));
            if self.write(state.version + 1, &entry)? {
                return Ok(state.version + 1);
            }
        }
    }

    fn entry(&self, version: u64) -> PathBuf {
        self.folder.join(format!("{version:020}.json"))
    }

    /// Writes an entry, durably and whole; false if there is one with this number.
    fn write(&self, version: u64, actions: &[Value]) -> Result<bool> {
        let temporary = self.folder.join(format!(".{}.tmp", random_name()?));
        let mut file = File::create_new(&temporary).map_err(Error::at(&temporary))?;
        let text: String = actions.iter().map(|action| format!("{action}\n")).collect();
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all());
        let linked = written.and_then(|()| fs::hard_link(&temporary, self.entry(version)));
        let removed = fs::remove_file(&temporary);
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::at(&self.entry(version))(error)),
            Ok(()) => {
                removed.map_err(Error::at(&temporary))?;
                sync_folder(&self.folder)?;
                Ok(true)
            }
        }
    }
}

impl State {
    fn apply(&mut self, path: &Path, action: &Value) -> Result<()> {
        if let Some(protocol) = action.get("protocol") {
            check_reader(path, &protocol["minReaderVersion"])?;
        }
        if let Some(add) = action.get("add") {
            self.add(path, add)?;
        }
        if let Some(remove) = action.get("remove") {
            self.files.remove(&text(path, remove, "path")?);
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
            self.is_table = true;
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
        let size = add["size"].as_u64().unwrap_or(0);
        self.files.insert(name, (size, rows.unwrap_or(0)));
        Ok(())
    }
}

fn text(path: &Path, value: &Value, field: &str) -> Result<String> {
    let found = value[field].as_str().map(str::to_owned);
    found.ok_or_else(|| Error::log(path, format!("{field}: missing; allowed is a text")))
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

/// The action that adds a file.
fn added(file: &DataFile, is_change: bool) -> Value {
    let stats = json!({"numRecords": file.rows}).to_string();
    json!({"add": {"path": file.name, "partitionValues": {}, "size": file.bytes, "modificationTime": now(),
                   "dataChange": is_change, "stats": stats}})
}

/// A column in the terms of the log.
fn of(field: &Field) -> Value {
    let of = match field.data_type() {
        DataType::Int64 => "long",
        DataType::Int32 => "integer",
        DataType::Float64 => "double",
        DataType::Timestamp(..) => "timestamp",
        DataType::Binary => "binary",
        _ => "string",
    };
    json!({"name": field.name(), "type": of, "nullable": field.is_nullable(), "metadata": {}})
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
