//! The Delta log of a table `[DELTA]`: numbered entries of JSON lines, of which each is written once, whole; checkpoints of what
//! they add up to; and, in memory, what was read before.

mod checkpoint;
mod checksum;
mod columns;
mod expiry;
mod state;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_schema::{DataType, Field};
use isopod_disk::{Access, Disk};
use serde_json::{json, Value};

use crate::files::{now, random_name, DataFile};
use crate::rows::columns as rows;
use crate::{Error, Result};
pub(crate) use state::State;
use state::{added, removal, transaction, READER, WRITER};

/// Folder of the log in the table's folder.
pub(crate) const LOG: &str = "_delta_log";
/// Begin of an entry of this program; its checksum follows.
const BEGIN: &str = "{\"commitInfo\":{\"isopod.crc32c\":\"";
/// Most bytes of an entry.
const MOST: u64 = 1 << 30;
/// Age of a data file beyond which no entry takes it in: on a shared disk, others may remove it as one that nobody names.
const FRESH: Duration = Duration::from_secs(12 * 3600);

/// Progress of a writer, which a table remembers: what it appended before is not appended again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Name of the writer, such as that of a log.
    pub writer: String,
    /// Number up to which its frames are in the table with this append; larger than that of the append before.
    pub version: i64,
}

/// Progress of a writer of which several programs are one at a time, such as the consumer of a partition: each entry begins where
/// the one before ended, and a program whose work another took over writes nothing more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Name of the writer, such as that of a partition.
    pub writer: String,
    /// Number up to which its frames are in the table before; 0 at the begin.
    pub from: i64,
    /// Number up to which they are with this append; at least `from`.
    pub to: i64,
    /// Number that the table remembers beside, such as that of the writer's state. No two steps have the same.
    pub state: i64,
}

impl Step {
    /// Name under which the table remembers the number of a writer's state.
    pub fn state_of(writer: &str) -> String {
        format!("{writer}/state")
    }

    fn actions(&self) -> [Value; 2] {
        [
            transaction(&self.writer, self.to),
            transaction(&Self::state_of(&self.writer), self.state),
        ]
    }

    fn is_in(&self, state: &State) -> Result<bool> {
        let version = |writer: &str| state.writers.get(writer).copied();
        if version(&Self::state_of(&self.writer)) == Some(self.state) {
            return Ok(true);
        }
        match version(&self.writer).unwrap_or(0) {
            found if found == self.from => Ok(false),
            found => Err(Error::TakenOver {
                writer: self.writer.clone(),
                from: self.from,
                found,
            }),
        }
    }
}

/// Condition of an append, and what the log remembers with it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Progress<'a> {
    /// Nothing.
    None,
    /// Unless the transaction, or a later one of its writer, is in the log.
    Once(&'a Transaction),
    /// If each writer is where its step begins.
    Next(&'a [Step]),
}

impl Progress<'_> {
    /// The actions that record it.
    fn actions(self) -> Vec<Value> {
        match self {
            Self::None => Vec::new(),
            Self::Once(of) => vec![transaction(&of.writer, of.version)],
            Self::Next(steps) => steps.iter().flat_map(Step::actions).collect(),
        }
    }

    /// Whether the log at this state has it already.
    ///
    /// Errors: [`Error::TakenOver`].
    pub fn is_in(self, state: &State) -> Result<bool> {
        match self {
            Self::None => Ok(false),
            Self::Once(of) => {
                let before = state.writers.get(&of.writer);
                Ok(before.is_some_and(|before| *before >= of.version))
            }
            Self::Next(steps) => {
                // An entry has all steps or none.
                let mut is_in = false;
                for step in steps {
                    is_in = step.is_in(state)?;
                }
                Ok(is_in)
            }
        }
    }
}

/// The log of a table.
pub(crate) struct DeltaLog {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    known: Mutex<Option<Arc<State>>>,
}

impl DeltaLog {
    pub fn of(disk: Arc<dyn Disk>, table: &Path) -> Self {
        Self {
            disk,
            folder: table.join(LOG),
            known: Mutex::default(),
        }
    }

    /// Whether the log has an entry or a checkpoint.
    pub fn is_begun(&self) -> Result<bool> {
        match self.disk.list(&self.folder) {
            Ok(paths) => Ok(paths.iter().any(|path| version(path).is_some())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::at(&self.folder)(error)),
        }
    }

    /// Begins the log of a new table.
    pub fn create(&self) -> Result<()> {
        self.disk
            .make_folder(&self.folder)
            .map_err(Error::at(&self.folder))?;
        let fields: Vec<Value> = rows().fields().iter().map(|field| of(field)).collect();
        let schema = json!({"type": "struct", "fields": fields}).to_string();
        let actions = [
            json!({"protocol": {"minReaderVersion": READER, "minWriterVersion": WRITER}}),
            json!({"metaData": {
                "id": random_name()?, "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
                "partitionColumns": [], "configuration": {}, "createdTime": now()}}),
        ];
        match self.write(0, "CREATE TABLE", &actions)? {
            true => Ok(()),
            false => Err(Error::log(
                &self.entry(0),
                "there already; allowed is a new folder",
            )),
        }
    }

    /// The state of the table now. Entries that were read before are not read again.
    ///
    /// Errors: [`Error::Log`] for an entry that is missing, damaged, is not JSON, or needs features of a newer reader.
    pub fn read(&self) -> Result<Arc<State>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // After an error the next call begins anew.
        let mut state = match known.take() {
            Some(state) => state,
            None => self.begin().into(),
        };
        self.follow(Arc::make_mut(&mut state))?;
        // Another writer has removed entries that this has not read.
        if self.hinted().is_some_and(|version| version >= state.next) {
            state = self.begin().into();
            self.follow(Arc::make_mut(&mut state))?;
        }
        if !state.is_table() {
            let problem = "no metaData; allowed is the log of a table that this program made";
            return Err(Error::log(&self.entry(0), problem));
        }
        *known = Some(state.clone());
        Ok(state)
    }

    /// The newest checkpoint that verifies, or nothing.
    fn begin(&self) -> State {
        let read = |version| checkpoint::read(&*self.disk, &self.folder, version);
        self.hinted()
            .and_then(read)
            .or_else(|| {
                let paths = self.disk.list(&self.folder).unwrap_or_default();
                let versions = paths
                    .iter()
                    .rev()
                    .filter_map(|path| checkpoint::version(path));
                versions.filter_map(read).next()
            })
            .unwrap_or_default()
    }

    fn hinted(&self) -> Option<u64> {
        checkpoint::hinted(&*self.disk, &self.folder)
    }

    /// Applies the entries behind a state.
    fn follow(&self, state: &mut State) -> Result<()> {
        loop {
            let path = self.entry(state.next);
            match isopod_disk::read(&*self.disk, &path, MOST) {
                Ok(bytes) => apply(state, &path, &bytes)?,
                Err(error) if error.kind() == ErrorKind::NotFound && state.next > 0 => {
                    return Ok(())
                }
                Err(error) => return Err(Error::at(&path)(error)),
            }
            state.next += 1;
        }
    }

    /// Forgets files that were taken out before and are on no disk any more.
    pub fn forget(&self, names: &[String]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = known.as_mut() {
            let state = Arc::make_mut(state);
            for name in names {
                state.removed.remove(name);
            }
        }
    }

    /// Adds files, all or none. Gives the version, and whether they are in the log; they are not if another append brought what
    /// `progress` says.
    ///
    /// Errors: [`Error::TakenOver`], and then they are not; after others it is not known.
    pub fn append(&self, files: &[DataFile], progress: Progress<'_>) -> Result<(u64, bool)> {
        loop {
            let state = self.read()?;
            // The answer to an entry may have been lost on its way from a store.
            if has(&state, files) {
                return Ok((state.version(), true));
            }
            if progress.is_in(&state)? {
                return Ok((state.version(), false));
            }
            self.check_fresh(files)?;
            let mut actions = progress.actions();
            let files = files.iter();
            actions.extend(files.map(|file| added(&file.name, &file.added, true)));
            // Somebody else's entry took the number: the files are still new, and take the next.
            if self.write(state.next, "WRITE", &actions)? {
                self.check_point();
                return Ok((state.next, true));
            }
        }
    }

    /// Puts files in the place of others, all or none; `is_change` unless both hold the same frames. Gives the version.
    ///
    /// Errors: [`Error::Log`] for files that another writer took away; after others it is not known which files are in the log.
    pub fn replace(&self, removed: &[String], files: &[DataFile], is_change: bool) -> Result<u64> {
        loop {
            let state = self.read()?;
            if has(&state, files) {
                return Ok(state.version());
            }
            if let Some(gone) = removed.iter().find(|name| !state.files.contains_key(*name)) {
                let problem =
                    format!("{gone}: another writer took it away; allowed is one at a time");
                return Err(Error::log(&self.entry(state.version()), problem));
            }
            self.check_fresh(files)?;
            let operation = if is_change { "DELETE" } else { "OPTIMIZE" };
            let gone = removed.iter().map(|name| removal(name, now(), is_change));
            let new = files
                .iter()
                .map(|file| added(&file.name, &file.added, is_change));
            let actions: Vec<Value> = gone.chain(new).collect();
            if self.write(state.next, operation, &actions)? {
                self.check_point();
                return Ok(state.next);
            }
        }
    }

    /// Refuses files that others may have removed, such as after a pause of this program. Of two clocks one may stand still or be
    /// set back meanwhile.
    fn check_fresh(&self, files: &[DataFile]) -> Result<()> {
        let age = |file: &DataFile| {
            let by_time = Duration::from_millis(now().saturating_sub(file.added.time));
            file.finished.elapsed().max(by_time)
        };
        match files.iter().find(|file| age(file) > FRESH) {
            Some(file) if !self.disk.is_local() => {
                let problem = "written more than twelve hours ago; allowed are newer files, which a repetition writes";
                Err(Error::log(
                    &isopod_disk::parent(&self.folder).join(&file.name),
                    problem,
                ))
            }
            _ => Ok(()),
        }
    }

    /// Writes a checkpoint where one is due, and removes entries that are old and behind it.
    fn check_point(&self) {
        let written = self.read().and_then(|state| {
            if state.version() < state.checkpoint + checkpoint::EVERY {
                return Ok(());
            }
            checkpoint::write(&*self.disk, &self.folder, &state)?;
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = known.as_mut() {
                Arc::make_mut(known).checkpoint = state.version();
            }
            expiry::expire(&*self.disk, &self.folder, now())
        });
        // The entries say the same, and the next change tries again.
        drop(written);
    }

    fn entry(&self, version: u64) -> PathBuf {
        entry(&self.folder, version)
    }

    /// Writes an entry, durably and whole; false if there is one with this number.
    fn write(&self, version: u64, operation: &str, actions: &[Value]) -> Result<bool> {
        let temporary = self.folder.join(format!(".{}.tmp", random_name()?));
        let file = self
            .disk
            .open(&temporary, Access::New)
            .map_err(Error::at(&temporary))?;
        let written = file
            .write_at(&text(operation, actions), 0)
            .and_then(|()| file.sync());
        let linked = written.and_then(|()| self.disk.link(&temporary, &self.entry(version)));
        let removed = self.disk.remove(&temporary);
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::at(&self.entry(version))(error)),
            Ok(()) => {
                removed.map_err(Error::at(&temporary))?;
                self.disk
                    .sync_folder(&self.folder)
                    .map_err(Error::at(&self.folder))?;
                Ok(true)
            }
        }
    }
}

/// Whether the log has, or had, one of these files, whose names are random: an entry has all of them or none.
fn has(state: &State, files: &[DataFile]) -> bool {
    let name = files.first().map(|file| &file.name);
    name.is_some_and(|name| state.files.contains_key(name) || state.removed.contains_key(name))
}

fn entry(folder: &Path, version: u64) -> PathBuf {
    folder.join(format!("{version:020}.json"))
}

/// Version of an entry or a checkpoint by its name.
fn version(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let entry = name
        .strip_suffix(".json")
        .and_then(|number| number.parse().ok());
    entry.or_else(|| checkpoint::version(path))
}

/// Text of an entry. Its first line has its checksum.
fn text(operation: &str, actions: &[Value]) -> Vec<u8> {
    let rest =
        json!({"engineInfo": "isopod", "operation": operation, "timestamp": now()}).to_string();
    let mut text = format!("{BEGIN}{}\",{}}}\n", checksum::DIGITS, &rest[1..]).into_bytes();
    for action in actions {
        text.extend_from_slice(format!("{action}\n").as_bytes());
    }
    checksum::put(&mut text, BEGIN.len());
    text
}

/// Applies an entry to the state before it.
fn apply(state: &mut State, path: &Path, bytes: &[u8]) -> Result<()> {
    // Entries of earlier versions have no checksum. One bit less in this begin leaves the actions as they are.
    let has_checksum = bytes.starts_with(BEGIN.as_bytes());
    if bytes.is_empty() || has_checksum && !checksum::is_right(bytes, BEGIN.len()) {
        let problem = "damaged: its bytes are not those of its checksum; allowed is the entry as it was written";
        return Err(Error::log(path, problem));
    }
    for action in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        let action = action.map_err(|error| Error::log(path, error.to_string()))?;
        state.apply(path, &action)?;
    }
    Ok(())
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::files::Added;
    use isopod_disk::SimulatedDisk;
    use std::time::Instant;

    #[test]
    fn a_file_of_yesterday_enters_no_table_that_others_sweep() {
        let log = DeltaLog::of(Arc::new(SimulatedDisk::new(0)), Path::new("/table"));
        log.create().unwrap();
        let file = |age: Duration| DataFile {
            name: format!("part-{}.parquet", age.as_secs()),
            added: Added {
                bytes: 1,
                rows: 1,
                checksum: None,
                time: now() - age.as_millis() as u64,
            },
            finished: Instant::now(),
        };
        let (old, new) = (file(FRESH + Duration::from_secs(60)), file(FRESH / 2));
        let refused = log.append(&[new.clone(), old.clone()], Progress::None);
        assert!(refused.unwrap_err().to_string().contains("twelve hours"));
        assert_eq!(
            log.append(std::slice::from_ref(&new), Progress::None)
                .unwrap(),
            (1, true)
        );
        assert!(log.replace(&[new.name], &[old], false).is_err());
        assert_eq!(log.read().unwrap().version(), 1);
    }
}
