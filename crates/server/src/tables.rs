//! The log as tables: one for each key pair, a Delta table of Parquet in `data/tables/KEY`, which the server alone keeps.
//!
//! A table remembers the position of the log up to which its frames are in it, in the same entry that adds them, so that a
//! compaction that is interrupted at any instant is repeated whole, and no frame enters twice. What retention or a deletion takes
//! from the log it takes from the table, too.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::Duration;

use anyhow::{Context, Result};
use isopod_disk::Disk;
use isopod_keys::key_name;
use isopod_store::{Damage, Log, NewFrame, Options, Position, Recovered, StoreError};
use isopod_table::{Stored, Table, Transaction};
use isopod_wire::{AnySet, KeyId};
use isopod_workflow::Server;

use crate::problem::{chain, Problem};

/// Name of the log among the writers of a table.
const WRITER: &str = "log";
/// Bytes of the log that enter a table with one entry, about.
const STEP_BYTES: u64 = 512 << 20;
/// Time for which files that left a table stay on the disk for outside readers that have begun.
const KEPT: Duration = Duration::from_secs(3600);

/// Time for which a data file of shared tables has no entry before it counts as left by a server that died.
const UNNAMED: Duration = Duration::from_secs(24 * 3600);

/// Size of the tables, and what the log has beyond them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Frames in all tables.
    pub frames: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// Position up to which all tables have the frames of the log; the largest number without tables.
    pub position: Position,
}

/// Tables of all key pairs that may have one: those of CKKS, BFV and pads.
pub struct Tables {
    of: Vec<Of>,
    /// Held by compaction, retention and deletion: a frame that is read from the log is in a table before it is deleted from it.
    upkeep: Mutex<()>,
    /// Held by queries, and against them by what removes files from the disk.
    files: RwLock<()>,
    size: Mutex<Size>,
    is_stopping: Arc<AtomicBool>,
}

/// Where tables are.
#[derive(Debug, Clone)]
pub struct Root {
    /// Their disk.
    pub disk: Arc<dyn Disk>,
    /// Folder of all of them.
    pub folder: PathBuf,
    /// Whether other servers write to them, too.
    pub is_shared: bool,
}

impl Root {
    /// The folder of tables in a data folder, which one server has for itself.
    pub fn of_data(data: &Path) -> Self {
        Self {
            disk: isopod_disk::system(),
            folder: data.join("tables"),
            is_shared: false,
        }
    }

    /// Folder of a key pair's table.
    fn table(&self, key_id: &KeyId) -> PathBuf {
        self.folder.join(key_name(key_id))
    }

    /// Opens a table, or makes it. One whose log is damaged is moved aside where the log of frames is the server's own: it is
    /// made anew from it.
    fn open(&self, folder: &Path) -> Result<Table> {
        let open = || Table::open_or_create_on(self.disk.clone(), folder);
        match open() {
            Err(
                error @ (isopod_table::Error::Damaged { .. } | isopod_table::Error::Log { .. }),
            ) if !self.is_shared => {
                let aside = free_name(&*self.disk, folder)?;
                let table = folder.display();
                tracing::error!(%table, aside = %aside.display(), "made anew: {}", chain(&error));
                let moved = self.disk.rename(folder, &aside);
                moved.with_context(|| aside.display().to_string())?;
                Ok(open()?)
            }
            opened => Ok(opened?),
        }
    }
}

struct Of {
    server: Arc<Server>,
    folder: PathBuf,
    table: Arc<Table>,
    is_shared: bool,
    /// Whether the log has frames whose numbers no table holds.
    is_told: AtomicBool,
}

/// Opens the log of a data folder, and the tables. A table that has frames behind the log's end tells that the log lost them.
///
/// # Errors
/// The errors of [`Log::open`]; a folder that cannot be made or read.
pub fn open<'s>(
    data: &Path,
    root: &Root,
    servers: impl IntoIterator<Item = &'s Arc<Server>>,
    options: Options,
) -> Result<(Log, Tables, Recovered)> {
    let tables = Tables::open(root, servers)?;
    let options = Options {
        least_end: tables.last_position()?,
        ..options
    };
    let (log, recovered) = Log::open(&data.join("log"), options)?;
    Ok((log, tables, recovered))
}

/// A name beside a table's folder that nothing has.
fn free_name(disk: &dyn Disk, folder: &Path) -> Result<PathBuf> {
    let names = disk.list(isopod_disk::parent(folder))?;
    let name = |number: u64| folder.with_extension(format!("damaged-{number}"));
    let first = (1..).find(|number| !names.contains(&name(*number)));
    Ok(name(first.unwrap_or(0)))
}

/// Folder of a key pair's table in a data folder.
#[cfg(feature = "sql")]
pub fn folder(data: &Path, key_id: &KeyId) -> PathBuf {
    Root::of_data(data).table(key_id)
}

impl Tables {
    /// Opens or makes the tables, and removes files that a crash left, unless another server may be writing them.
    ///
    /// # Errors
    /// A folder that cannot be made or read.
    fn open<'s>(root: &Root, servers: impl IntoIterator<Item = &'s Arc<Server>>) -> Result<Self> {
        let mut of = Vec::new();
        for server in servers {
            if matches!(server.set(), AnySet::Rns(_) | AnySet::Pads) {
                let opened = Of::open(server.clone(), root);
                let folder = root.table(&server.key_id());
                of.push(opened.with_context(|| folder.display().to_string())?);
            }
        }
        let tables = Self {
            of,
            upkeep: Mutex::default(),
            files: RwLock::default(),
            size: Mutex::default(),
            is_stopping: Arc::default(),
        };
        tables.measure()?;
        Ok(tables)
    }

    /// Appends all frames that the log has and the tables lack.
    ///
    /// # Errors
    /// The disk's; then some are appended, and a repetition appends the others.
    pub fn compact(&self, log: &Log) -> Result<()> {
        let _alone = self.alone();
        for of in &self.of {
            of.compact(log, &self.is_stopping)?;
        }
        self.measure()
    }

    /// Makes few files of many.
    ///
    /// # Errors
    /// The disk's; the frames are as before.
    pub fn merge(&self) -> Result<()> {
        let _alone = self.alone();
        for of in &self.of {
            of.table.merge(&of.server)?;
        }
        Ok(())
    }

    /// Removes files from the disk that merging and retention took out of the tables an hour ago, unless a query runs.
    ///
    /// # Errors
    /// The disk's; a repetition removes the others.
    pub fn vacuum(&self) -> Result<()> {
        let _alone = self.alone();
        let _files = match self.files.try_write() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(files)) => files.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        for of in &self.of {
            of.table.vacuum(KEPT)?;
        }
        Ok(())
    }

    /// Removes files of shared tables that a server left which died; those of others were removed at the start.
    ///
    /// # Errors
    /// The disk's; a repetition removes the others.
    pub fn sweep(&self) -> Result<()> {
        for of in self.of.iter().filter(|of| of.is_shared) {
            let removed = of.table.sweep_unnamed(UNNAMED)?;
            if removed > 0 {
                tracing::info!(table = %of.folder.display(), removed, "removed files that no entry of the table names");
            }
        }
        Ok(())
    }

    /// Deletes a device's frames from log and table: the numbers of both.
    ///
    /// # Errors
    /// The disk's; then some are deleted, and a repetition deletes the others.
    pub fn delete_device(
        &self,
        log: &Log,
        key_id: &KeyId,
        device: u64,
    ) -> Result<(u64, u64), Problem> {
        let _alone = self.alone();
        let of_log = log.delete_device(key_id, device)?;
        let mut of_table = 0;
        if let Some(of) = self.get(key_id) {
            let _files = self.files.write().unwrap_or_else(PoisonError::into_inner);
            of_table = of.table.delete_device(&of.server, device)?;
        }
        if let Err(error) = self.measure() {
            tracing::warn!("tables: {error:#}");
        }
        Ok((of_log, of_table))
    }

    /// Removes frames that came before this time from log and tables, at most a day after it. Both times are in milliseconds
    /// since 1970. Gives the number of bytes and of rows.
    ///
    /// # Errors
    /// The disk's; then some are removed.
    pub fn retain_since(&self, log: &Log, time: u64, now: u64) -> Result<(u64, u64)> {
        let _alone = self.alone();
        let bytes = log.retain_since(time, now)?;
        let mut rows = 0;
        for of in &self.of {
            rows += of.table.retain_since(&of.server, micros(time))?;
        }
        self.measure()?;
        Ok((bytes, rows))
    }

    /// Number of the frames that came before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// The disk's.
    pub fn frames_before(&self, time: u64) -> Result<u64> {
        let mut due = 0;
        for of in &self.of {
            due += of.table.count(|_, received| received < micros(time))?;
        }
        Ok(due)
    }

    /// Keeps the files of all tables where they are, for a query.
    #[cfg(feature = "sql")]
    pub fn hold(&self) -> std::sync::RwLockReadGuard<'_, ()> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table of a key pair.
    pub fn table(&self, key_id: &KeyId) -> Option<&Table> {
        self.get(key_id).map(|of| &*of.table)
    }

    /// All tables, and the key pair of each.
    pub fn all(&self) -> impl Iterator<Item = (Arc<Server>, Arc<Table>)> + '_ {
        let of = self.of.iter();
        of.map(|of| (of.server.clone(), of.table.clone()))
    }

    /// Position up to which a table has the frames of the log, of the table that has most.
    fn last_position(&self) -> Result<Position> {
        let mut last = 0;
        for of in &self.of {
            last = last.max(of.position()?);
        }
        Ok(last)
    }

    /// Refuses a query on the table of a key pair while frames of it are damaged in the log, so that the table may lack them.
    ///
    /// # Errors
    /// [`StoreError::Lost`].
    pub fn check_damage(&self, log: &Log, key_id: &KeyId) -> Result<()> {
        let is_of = |damage: &Damage| damage.concerns(|head| head.key_id == *key_id);
        match log.damage().into_iter().find(is_of) {
            Some(damage) => Err(StoreError::Lost(Box::new(damage)).into()),
            None => Ok(()),
        }
    }

    /// Puts frames of the tables in the place of damage of the log, and makes tables with damaged files anew from the log. Gives
    /// the number of damaged stretches and files that were mended.
    ///
    /// # Errors
    /// The disk's.
    pub fn mend(&self, log: &Log) -> Result<u64> {
        let mut mended = self.mend_log(log)?;
        for of in &self.of {
            // A pass over a large table must not hold up queries and deletions.
            let damaged = of.table.verify()?;
            if damaged.is_empty() {
                continue;
            }
            let (table, files) = (of.folder.display(), damaged.join(", "));
            let _alone = self.alone();
            if let Err(error) = self.check_damage(log, &of.server.key_id()) {
                // Files that are whole may have what the log lacks.
                tracing::error!(%table, files, "damaged files; not made anew from the log, which is damaged, too: {error:#}");
                continue;
            }
            tracing::error!(%table, files, "damaged files; their rows are taken from the log once more");
            of.make_anew(log)?;
            mended += damaged.len() as u64;
        }
        Ok(mended)
    }

    fn mend_log(&self, log: &Log) -> Result<u64> {
        let _alone = self.alone();
        let damage = log.damage().into_iter();
        let open: Vec<Damage> = damage.filter(|damage| damage.concerns(|_| true)).collect();
        if open.is_empty() {
            return Ok(0);
        }
        let mut lost = Vec::new();
        for damage in &open {
            lost.push((damage, log.around(damage)?, Vec::new()));
        }
        for of in &self.of {
            let rows = of.table.rows(|row| {
                let frame = of.new_frame(row)?;
                for (damage, around, found) in &mut lost {
                    let is_lost = match damage.frame() {
                        Some(name) => name == (frame.key_id, frame.id),
                        None => around.may_hold(frame.key_id, frame.id, frame.received),
                    };
                    if is_lost {
                        found.push(frame.clone());
                    }
                }
                Ok(())
            });
            rows?;
        }
        let mut mended = 0;
        for (damage, _, mut found) in lost {
            found.sort_by_key(|frame| frame.received);
            if log.mend(damage, &found)? {
                tracing::warn!("mended from the table: {damage}");
                mended += 1;
            }
        }
        Ok(mended)
    }

    /// Ends work that goes on; it is done at the next start.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Release);
    }

    /// Size of the tables after the last change.
    pub fn size(&self) -> Size {
        *self.size.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, key_id: &KeyId) -> Option<&Of> {
        self.of.iter().find(|of| of.server.key_id() == *key_id)
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.upkeep.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the size of the tables.
    ///
    /// # Errors
    /// The disk's.
    pub fn measure(&self) -> Result<()> {
        let mut size = Size {
            position: Position::MAX,
            ..Size::default()
        };
        for of in &self.of {
            let snapshot = of.table.snapshot()?;
            size.frames += snapshot.rows;
            size.bytes += snapshot.bytes;
            size.position = size.position.min(of.position()?);
        }
        *self.size.lock().unwrap_or_else(PoisonError::into_inner) = size;
        Ok(())
    }
}

impl Of {
    fn open(server: Arc<Server>, root: &Root) -> Result<Self> {
        let folder = root.table(&server.key_id());
        let of = Self {
            server,
            table: root.open(&folder)?.into(),
            folder,
            is_shared: root.is_shared,
            is_told: AtomicBool::new(false),
        };
        if !root.is_shared {
            of.table.sweep()?;
        }
        Ok(of)
    }

    fn position(&self) -> Result<Position> {
        Ok(self.table.version_of(WRITER)?.unwrap_or(0) as u64)
    }

    fn compact(&self, log: &Log, is_stopping: &AtomicBool) -> Result<()> {
        loop {
            let from = self.position()?;
            let to = log.step(from, STEP_BYTES);
            if to <= from {
                return Ok(());
            }
            let transaction = Transaction {
                writer: WRITER.to_owned(),
                version: i64::try_from(to)?,
            };
            let frames = self.frames(log, from, to);
            let frames = frames.map(|frame| match is_stopping.load(Ordering::Acquire) {
                true => Err(isopod_table::Error::Source("the server stops".into())),
                false => frame,
            });
            let appended = self
                .table
                .append(&self.server, frames, Some(&transaction))?;
            tracing::debug!(table = %self.folder.display(), rows = appended.rows, to, "compacted");
        }
    }

    /// The frames of the log between two positions that the table holds.
    fn frames<'l>(
        &'l self,
        log: &'l Log,
        from: Position,
        to: Position,
    ) -> impl Iterator<Item = isopod_table::Result<Stored>> + 'l {
        let key_id = self.server.key_id();
        let frames = log
            .frames(from)
            .filter_by(move |head| head.key_id == key_id);
        let before = frames
            .take_while(move |frame| frame.as_ref().map_or(true, |frame| frame.position < to));
        before.filter_map(|frame| match frame {
            // Queries are refused while the log has damage; a table lacks the frame until it is mended.
            Err(StoreError::Lost(_)) => None,
            Ok(frame) if i64::try_from(frame.id.device.max(frame.id.sequence)).is_err() => {
                self.tell();
                None
            }
            Ok(frame) => Some(Ok(Stored {
                time: micros(frame.received),
                bytes: frame.bytes,
            })),
            Err(error) => Some(Err(isopod_table::Error::Source(Box::new(error)))),
        })
    }

    /// A row as the frame that came.
    fn new_frame(&self, row: Stored) -> isopod_table::Result<NewFrame> {
        let header = self.server.frame_header(&row.bytes)?;
        Ok(NewFrame {
            key_id: header.key_id,
            id: header.id,
            received: u64::try_from(row.time / 1000).unwrap_or(0),
            bytes: row.bytes,
        })
    }

    /// Puts all frames that the log has in the place of all files.
    fn make_anew(&self, log: &Log) -> Result<()> {
        let files = self.table.file_names()?;
        let frames = self.frames(log, 0, self.position()?);
        self.table.replace(&self.server, &files, frames)?;
        Ok(())
    }

    fn tell(&self) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            let table = self.folder.display();
            tracing::warn!(%table, "frames with numbers beyond 2^63 - 1 are in the log alone");
        }
    }
}

fn micros(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000)
}

impl From<isopod_table::Error> for Problem {
    fn from(error: isopod_table::Error) -> Self {
        match error {
            isopod_table::Error::Workflow(error) => Self::from(error),
            #[cfg(feature = "sql")]
            isopod_table::Error::Query(detail) => {
                Self::content("query", format!("query: {detail}"))
            }
            isopod_table::Error::File { source, .. }
                if source.kind() == std::io::ErrorKind::StorageFull =>
            {
                let status = axum::http::StatusCode::INSUFFICIENT_STORAGE;
                Self::new(status, "storage", "no room is left on the server's disk")
            }
            error @ isopod_table::Error::Damaged { .. } => {
                tracing::error!("tables: {error}");
                let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
                Self::new(status, "storage", error.to_string())
            }
            error => {
                tracing::error!("tables: {}", chain(&error));
                let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
                Self::new(
                    status,
                    "storage",
                    "the server's disk failed; ask again later",
                )
            }
        }
    }
}
