//! The file of the memory: opened under the folder's lock, made, converted from its former form, and read beside a writer.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use isopod_disk::{Access, Disk};
use isopod_wire::KeyId;
use redb::{Database, WriteTransaction};

use super::entry::Entry;
use super::former::{self, Former};
use super::snapshot::Snapshot;
use super::tables::{Failure, Outcome, Request, State};
use crate::error::{KeysError, Result};
use crate::files::remove_unfinished;
use crate::record::{self, other_pair, problem};

/// Bytes of pages in memory while an answer is entered.
const WRITER_CACHE: usize = 64 << 20;
/// Bytes of pages in memory of a judge.
const READER_CACHE: usize = 16 << 20;

/// The file in a server's folder. Whoever calls holds the folder's lock.
#[derive(Debug, Clone)]
pub(super) struct MemoryFile {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) path: PathBuf,
    pub(super) key_id: KeyId,
}

impl MemoryFile {
    /// Makes an empty memory.
    pub(super) fn make(&self) -> Result<()> {
        let (disk, path) = (self.disk.as_ref(), &self.path);
        let empty = State::new(self.key_id);
        let made = isopod_disk::make_database(disk, path, WRITER_CACHE, |database| {
            write(database, |transaction| {
                Entry::begin(transaction, empty).map(drop)
            })
        });
        made.map_err(|error| self.failed(error))
    }

    /// Changes the memory by one transaction, durably.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Entry<'_>) -> Outcome<T>) -> Result<T> {
        self.prepare()?;
        let opened = isopod_disk::open_database(self.disk.as_ref(), &self.path, WRITER_CACHE);
        let database = opened.map_err(|error| self.failed(Failure::Disk(error)))?;
        let changed = write(&database, |transaction| {
            let mut entry = Entry::open(transaction)?;
            self.check_pair(entry.key_id())?;
            let value = change(&mut entry)?;
            entry.save()?;
            Ok(value)
        });
        changed.map_err(|error| self.failed(error))
    }

    /// The memory as it is now, to read it without the lock.
    pub(super) fn snapshot(&self, request: &Request) -> Result<Snapshot> {
        self.prepare()?;
        self.read_snapshot(request)
            .map_err(|error| self.failed(error))
    }

    fn read_snapshot(&self, request: &Request) -> Outcome<Snapshot> {
        let (disk, path) = (self.disk.as_ref(), &self.path);
        let read = || isopod_disk::read_database(disk, path, READER_CACHE).map_err(Failure::Disk);
        let database = match read()? {
            Some(database) => database,
            None => {
                let mended = isopod_disk::open_database(disk, path, WRITER_CACHE);
                drop(mended.map_err(Failure::Disk)?);
                read()?.ok_or_else(|| Failure::Disk(io::Error::other("it stays interrupted")))?
            }
        };
        let snapshot = Snapshot::of(database, request)?;
        self.check_pair(snapshot.key_id)?;
        Ok(snapshot)
    }

    /// Refuses a file that is missing, and converts one of the former form.
    fn prepare(&self) -> Result<()> {
        let mut begin = [0; 8];
        let file = match self.disk.open(&self.path, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let why = "missing, and without it old frames would pass as new";
                return Err(problem(&self.path, why));
            }
            opened => opened.map_err(KeysError::file(&self.path))?,
        };
        match file.read_exact_at(&mut begin, 0) {
            Ok(()) if begin == *former::MAGIC => self.convert(),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                Err(KeysError::file(&self.path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Replaces a file of the former form by the tables, as a whole.
    fn convert(&self) -> Result<()> {
        let (disk, path) = (self.disk.as_ref(), &self.path);
        let content = record::read(disk, path, former::MAGIC)?.unwrap_or_default();
        let former = Former::parse(&content);
        let former = former.ok_or_else(|| problem(path, "not a memory of frames"))?;
        if former.key_id != self.key_id {
            return Err(other_pair(path, &former.key_id, &self.key_id));
        }
        let made = isopod_disk::make_database(disk, path, WRITER_CACHE, |database| {
            write(database, |transaction| {
                Entry::begin(transaction, State::new(self.key_id))?.take(&former)
            })
        });
        made.map_err(|error| self.failed(error))?;
        remove_unfinished(disk, path)
    }

    fn check_pair(&self, found: KeyId) -> Outcome<()> {
        match found == self.key_id {
            true => Ok(()),
            false => Err(Failure::Refused(other_pair(
                &self.path,
                &found,
                &self.key_id,
            ))),
        }
    }

    pub(super) fn failed(&self, failure: Failure) -> KeysError {
        match failure {
            Failure::Refused(error) => error,
            Failure::Disk(error) if error.kind() == io::ErrorKind::InvalidData => {
                problem(&self.path, &error.to_string())
            }
            Failure::Disk(error) => KeysError::file(&self.path)(error),
        }
    }
}

/// Runs one transaction, durably; an error changes nothing.
fn write<T>(
    database: &Database,
    change: impl FnOnce(&WriteTransaction) -> Outcome<T>,
) -> Outcome<T> {
    let mut transaction = database.begin_write()?;
    // An opening after a crash need not walk the tree.
    transaction.set_quick_repair(true);
    let value = change(&transaction)?;
    transaction.commit()?;
    Ok(value)
}
