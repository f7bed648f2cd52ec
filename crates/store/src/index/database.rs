//! The index on disk: a B-tree of devices, the damage that is known, and the position up to which the log is in it.

use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use isopod_disk::Disk;
use isopod_keys::{append_number, take_number};
use redb::{ReadableDatabase, ReadableTable, TableDefinition};

use super::{Changes, DeviceState, Devices, Name, Totals};
use crate::damage::{Damage, DamageState};
use crate::error::{Result, StoreError};
use crate::record::{Head, HEAD};
use crate::threads::Mutex;
use crate::Position;

/// File in the log's folder.
const FILE: &str = "devices";
/// Bytes of pages in memory.
const CACHE: usize = 64 << 20;
/// Key pair, and number of the device with its highest byte first.
type Key = [u8; 24];
/// Content under a position or a number.
type Numbered = TableDefinition<'static, u64, &'static [u8]>;

const DEVICES: TableDefinition<'static, &Key, &[u8]> = TableDefinition::new("devices");
/// Damage by position.
const DAMAGE: Numbered = TableDefinition::new("damage");
/// One row: position, newest time of arrival, totals.
const STATE: Numbered = TableDefinition::new("state");

/// The database of an index. After an error it is opened again.
pub(crate) struct Database {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    open: Mutex<Option<Arc<redb::Database>>>,
}

impl Database {
    /// Opens the database in a log's folder, and makes it.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        let database = Self {
            path: folder.join(FILE),
            disk,
            open: Mutex::new(None),
        };
        if !isopod_disk::exists(database.disk.as_ref(), &database.path)
            .map_err(StoreError::file(&database.path))?
        {
            isopod_disk::make_database(database.disk.as_ref(), &database.path, CACHE, |_| {
                io::Result::Ok(())
            })
            .map_err(|error| database.failed(error))?;
        }
        database.database()?;
        Ok(database)
    }

    /// Moves a database that is damaged out of the way, so that the next start makes a new one.
    pub fn set_aside(disk: &dyn Disk, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(FILE);
        let aside = path.with_extension("damaged");
        disk.rename(&path, &aside)
            .and_then(|()| disk.sync_folder(folder))
            .map_err(StoreError::file(&path))?;
        Ok(aside)
    }

    fn database(&self) -> Result<Arc<redb::Database>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = open.as_ref() {
            return Ok(database.clone());
        }
        let opened = isopod_disk::open_database(self.disk.as_ref(), &self.path, CACHE);
        let database = Arc::new(opened.map_err(|error| self.failed(error))?);
        *open = Some(database.clone());
        Ok(database)
    }

    /// Runs an operation; after an error the database is opened again for the next.
    fn run<T>(
        &self,
        operation: impl FnOnce(&redb::Database) -> std::result::Result<T, redb::Error>,
    ) -> Result<T> {
        let done = operation(self.database()?.as_ref());
        done.map_err(|error| {
            *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.failed(isopod_disk::database_error(error))
        })
    }

    fn failed(&self, error: io::Error) -> StoreError {
        match error.kind() {
            io::ErrorKind::InvalidData => StoreError::Index {
                path: self.path.clone(),
                problem: error.to_string(),
            },
            _ => StoreError::file(&self.path)(error),
        }
    }

    /// Position, newest time, totals and damage of the last commit.
    pub fn state(&self) -> Result<(Changes, Vec<Damage>)> {
        let found = self.run(|database| {
            let read = database.begin_read()?;
            let Some(state) = table(read.open_table(STATE))? else {
                return Ok((None, Vec::new()));
            };
            let state = state.get(0)?.map(|state| state.value().to_vec());
            let mut damage = Vec::new();
            if let Some(rows) = table(read.open_table(DAMAGE))? {
                for row in rows.iter()? {
                    let (position, row) = row?;
                    damage.push((position.value(), row.value().to_vec()));
                }
            }
            Ok((state, damage))
        })?;
        let damage = found.1.iter();
        let damage = damage.map(|(position, row)| parse_damage(*position, row));
        let damage: Option<Vec<_>> = damage.collect();
        let changes = found
            .0
            .map_or(Some(Changes::default()), |row| parse_state(&row));
        let state = changes.zip(damage);
        state.ok_or_else(|| self.unknown())
    }

    /// Knowledge of a device.
    pub fn get(&self, name: &Name) -> Result<Option<DeviceState>> {
        let found = self.run(|database| {
            let read = database.begin_read()?;
            let Some(devices) = table(read.open_table(DEVICES))? else {
                return Ok(None);
            };
            let found = devices.get(&key(name))?;
            Ok(found.map(|state| state.value().to_vec()))
        })?;
        let parse = |bytes: Vec<u8>| DeviceState::parse(&bytes).ok_or_else(|| self.unknown());
        found.map(parse).transpose()
    }

    /// Devices in a range, at most `most` of them.
    pub fn range(&self, range: RangeInclusive<Name>, most: usize) -> Result<Devices> {
        let (first, last) = (key(range.start()), key(range.end()));
        let rows = self.run(|database| {
            let read = database.begin_read()?;
            let mut rows = Vec::new();
            if let Some(devices) = table(read.open_table(DEVICES))? {
                for row in devices.range::<&Key>(&first..=&last)?.take(most) {
                    let (name, state) = row?;
                    rows.push((*name.value(), state.value().to_vec()));
                }
            }
            Ok(rows)
        })?;
        let parse = |(name, state): (Key, Vec<u8>)| {
            let state = DeviceState::parse(&state).ok_or_else(|| self.unknown())?;
            Ok((name_of(&name), state))
        };
        rows.into_iter()
            .map(parse)
            .collect::<Result<BTreeMap<_, _>>>()
    }

    /// Writes changes, all or none, durably.
    pub fn commit(&self, changes: &Changes) -> Result<()> {
        self.run(|database| {
            let mut writing = database.begin_write()?;
            // A start after a crash need not walk the tree.
            writing.set_quick_repair(true);
            {
                let mut devices = writing.open_table(DEVICES)?;
                for (name, state) in &changes.devices {
                    devices.insert(&key(name), &state.bytes()[..])?;
                }
                let mut state = writing.open_table(STATE)?;
                state.insert(0, &state_bytes(changes)[..])?;
                let mut damage = writing.open_table(DAMAGE)?;
                if let Some(all) = &changes.damage {
                    damage.retain(|_, _| false)?;
                    for one in all {
                        damage.insert(one.position, &damage_bytes(one)[..])?;
                    }
                }
            }
            writing.commit()?;
            Ok(())
        })
    }

    /// Writes the last commit as a database of its own, which may be copied while this one goes on.
    pub fn back_up(&self, into: &Path) -> Result<()> {
        let database = self.database()?;
        let fill =
            |copy: &redb::Database| copy_all(&database, copy).map_err(isopod_disk::database_error);
        isopod_disk::make_database(self.disk.as_ref(), into, CACHE, fill)
            .map_err(|error| self.failed(error))
    }

    fn unknown(&self) -> StoreError {
        StoreError::Index {
            path: self.path.clone(),
            problem: "a row is not one of this version".to_owned(),
        }
    }
}

/// A table; None before the first commit.
fn table<T>(
    opened: std::result::Result<T, redb::TableError>,
) -> std::result::Result<Option<T>, redb::Error> {
    match opened {
        Ok(table) => Ok(Some(table)),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Copies the last commit into an empty database.
fn copy_all(from: &redb::Database, into: &redb::Database) -> std::result::Result<(), redb::Error> {
    let (read, mut writing) = (from.begin_read()?, into.begin_write()?);
    writing.set_quick_repair(true);
    copy_table(&read, &writing, DEVICES)?;
    copy_table(&read, &writing, DAMAGE)?;
    copy_table(&read, &writing, STATE)?;
    Ok(writing.commit()?)
}

/// Copies all rows of a table, if it is there.
fn copy_table<K: redb::Key + 'static>(
    from: &redb::ReadTransaction,
    into: &redb::WriteTransaction,
    name: TableDefinition<'static, K, &'static [u8]>,
) -> std::result::Result<(), redb::Error> {
    if let Some(rows) = table(from.open_table(name))? {
        let mut copy = into.open_table(name)?;
        for row in rows.iter()? {
            let (key, content) = row?;
            copy.insert(key.value(), content.value())?;
        }
    }
    Ok(())
}

fn key(name: &Name) -> Key {
    let mut key = [0; 24];
    key[..16].copy_from_slice(&name.0);
    key[16..].copy_from_slice(&name.1.to_be_bytes());
    key
}

fn name_of(key: &Key) -> Name {
    let (mut pair, mut number) = ([0; 16], [0; 8]);
    pair.copy_from_slice(&key[..16]);
    number.copy_from_slice(&key[16..]);
    (pair, u64::from_be_bytes(number))
}

fn state_bytes(changes: &Changes) -> Vec<u8> {
    let Totals {
        devices,
        frames,
        bytes,
        missing,
        stored,
    } = changes.totals;
    let mut row = Vec::new();
    for number in [
        changes.position,
        changes.received,
        devices,
        frames,
        bytes,
        missing,
        stored,
        changes.begin,
    ] {
        append_number(number, &mut row);
    }
    row
}

fn parse_state(mut row: &[u8]) -> Option<Changes> {
    let row = &mut row;
    let (position, received) = (take_number(row)?, take_number(row)?);
    let totals = Totals {
        devices: take_number(row)?,
        frames: take_number(row)?,
        bytes: take_number(row)?,
        missing: take_number(row)?,
        stored: take_number(row)?,
    };
    let begin = take_number(row)?;
    row.is_empty().then_some(Changes {
        position,
        received,
        totals,
        begin,
        ..Changes::default()
    })
}

fn damage_bytes(damage: &Damage) -> Vec<u8> {
    let mut row = vec![damage.state as u8];
    append_number(damage.bytes, &mut row);
    append_number(damage.offset, &mut row);
    if let Some(head) = &damage.head {
        row.extend(head.bytes(damage.position));
    }
    row
}

/// Damage without the path of its file, which the position tells.
fn parse_damage(position: Position, row: &[u8]) -> Option<Damage> {
    let (state, mut row) = row.split_first()?;
    let state = match state {
        0 => DamageState::Open,
        1 => DamageState::GivenUp,
        2 => DamageState::Replaced,
        _ => return None,
    };
    let (bytes, offset) = (take_number(&mut row)?, take_number(&mut row)?);
    let head = match <&[u8; HEAD]>::try_from(row) {
        Ok(head) => Some(Head::read(head, position)?),
        Err(_) if row.is_empty() => None,
        Err(_) => return None,
    };
    Some(Damage {
        path: PathBuf::new(),
        offset,
        position,
        bytes,
        head,
        state,
    })
}
