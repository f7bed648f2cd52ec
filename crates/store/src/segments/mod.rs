//! Segments: files of consecutive records, each named by the position of its first byte.
//!
//! A segment begins with 16 bytes, a magic text and its own position. Only the last one grows.

pub(crate) mod mark;
pub(crate) mod records;
pub(crate) mod recovery;
mod upgrade;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use isopod_disk::{Access, Disk, DiskFile};

use crate::error::{Result, StoreError};
use crate::threads::{RwLock, RwLockReadGuard};
use crate::Position;

const MAGIC: &[u8; 8] = b"ISOPODL2";
/// Bytes before the first record.
pub(crate) const BEGIN: u64 = 16;
const ENDING: &str = "segment";

/// The files of a log, by the position at which each begins.
pub(crate) struct Segments {
    pub disk: Arc<dyn Disk>,
    folder: PathBuf,
    files: RwLock<BTreeMap<Position, PathBuf>>,
}

/// The end of the last segment, where records are appended.
pub(crate) struct Tail {
    pub file: Box<dyn DiskFile>,
    pub path: PathBuf,
    pub base: Position,
    pub end: Position,
}

impl Segments {
    /// Opens the folder, and makes it.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        disk.make_folder(folder).map_err(StoreError::file(folder))?;
        let files = Self::list(disk.as_ref(), folder)?;
        upgrade::upgrade(disk.as_ref(), &files)?;
        let files = RwLock::new(files);
        Ok(Self {
            disk,
            folder: folder.to_owned(),
            files,
        })
    }

    /// The segments in a folder.
    pub fn list(disk: &dyn Disk, folder: &Path) -> Result<BTreeMap<Position, PathBuf>> {
        let mut files = BTreeMap::new();
        for path in disk.list(folder).map_err(StoreError::file(folder))? {
            let is_segment = path.extension().is_some_and(|ending| ending == ENDING);
            let base = path
                .file_stem()
                .and_then(|name| name.to_str()?.parse().ok());
            if let (true, Some(base)) = (is_segment, base) {
                files.insert(base, path);
            }
        }
        Ok(files)
    }

    pub fn files(&self) -> RwLockReadGuard<'_, BTreeMap<Position, PathBuf>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<Position, PathBuf>)) {
        change(&mut self.files.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The position of the first byte that is kept.
    pub fn begin(&self) -> Position {
        self.files().keys().next().copied().unwrap_or(0)
    }

    /// Segment that holds a position, or that would: where it begins, its file, and where the next one begins.
    pub fn of(&self, position: Position) -> Option<(Position, PathBuf, Option<Position>)> {
        let files = self.files();
        let (base, path) = files.range(..=position).next_back()?;
        let next = files.range(position + 1..).next().map(|(next, _)| *next);
        Some((*base, path.clone(), next))
    }

    /// Makes a segment at this position, durably.
    ///
    /// Errors: [`StoreError::Broken`] if its file may be there after a loss of power. A start would take it for the end of the
    /// segment before, so that nothing may be appended to that one.
    pub fn add(&self, base: Position) -> Result<Tail> {
        let path = self.folder.join(format!("{base:020}.{ENDING}"));
        let file = self.begun(&path, base).map_err(|error| {
            let gone = match self.disk.remove(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
            let gone = gone.and_then(|()| self.disk.sync_folder(&self.folder));
            gone.map_or(StoreError::Broken, |()| error)
        })?;
        self.change(|files| {
            files.insert(base, path.clone());
        });
        let end = base + BEGIN;
        Ok(Tail {
            file,
            path,
            base,
            end,
        })
    }

    /// The file of a new segment, with its first bytes.
    fn begun(&self, path: &Path, base: Position) -> Result<Box<dyn DiskFile>> {
        let file = self.disk.open(path, Access::Empty);
        let file = file.map_err(StoreError::file(path))?;
        file.write_at(&begin(base), 0)
            .and_then(|()| file.sync())
            .map_err(StoreError::file(path))?;
        self.sync()?;
        Ok(file)
    }

    /// Removes the segments before this one.
    pub fn remove_before(&self, base: Position) -> Result<Vec<Position>> {
        let old: Vec<_> = self
            .files()
            .range(..base)
            .map(|(base, path)| (*base, path.clone()))
            .collect();
        for (base, path) in &old {
            self.disk.remove(path).map_err(StoreError::file(path))?;
            self.change(|files| {
                files.remove(base);
            });
        }
        self.sync()?;
        Ok(old.into_iter().map(|(base, _)| base).collect())
    }

    /// Moves the segments before this one into a folder, the first one first and each durably, so that those that are left follow
    /// each other whenever the power is lost.
    pub fn move_before(&self, base: Position, into: &Path) -> Result<()> {
        self.disk
            .make_folder(into)
            .map_err(StoreError::file(into))?;
        let files = self.files().clone();
        for (base, path) in files.range(..base) {
            let moved = into.join(path.file_name().unwrap_or_default());
            let moved = self.disk.rename(path, &moved);
            moved.map_err(StoreError::file(path))?;
            // The new name must be durable before the old one is gone for good.
            for folder in into.ancestors().take(3) {
                let synced = self.disk.sync_folder(folder);
                synced.map_err(StoreError::file(folder))?;
            }
            self.change(|files| {
                files.remove(base);
            });
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        let synced = self.disk.sync_folder(&self.folder);
        synced.map_err(StoreError::file(&self.folder))
    }

    /// Writes the first bytes of a segment again where they are not those that its name demands.
    ///
    /// Errors: [`StoreError::Damaged`] for a segment that another version of this program made.
    pub fn mend_begin(&self, base: Position, path: &Path) -> Result<bool> {
        let file = self.disk.open(path, Access::Write);
        let file = file.map_err(StoreError::file(path))?;
        let mut found = [0; BEGIN as usize];
        match file.read_exact_at(&mut found, 0) {
            Ok(()) if found == begin(base) => return Ok(false),
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(StoreError::file(path)(error)),
        }
        let flipped = found.iter().zip(begin(base)).map(|(one, two)| one ^ two);
        let bits: u32 = flipped.map(u8::count_ones).sum();
        if bits > 1 && found[..7] == MAGIC[..7] && found[7].is_ascii_digit() {
            let problem = "of another version of this program; allowed is version 2";
            return Err(StoreError::damaged(path, 0, problem));
        }
        file.write_at(&begin(base), 0)
            .and_then(|()| file.sync())
            .map_err(StoreError::file(path))?;
        Ok(true)
    }
}

fn begin(base: Position) -> [u8; BEGIN as usize] {
    let mut bytes = [0; BEGIN as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..].copy_from_slice(&base.to_le_bytes());
    bytes
}
