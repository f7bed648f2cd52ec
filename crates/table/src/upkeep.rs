//! Upkeep of a table by its one keeper: rows that leave, small files that become one, and files that nobody reads.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use isopod_wire::FrameId;
use isopod_workflow::Server;

use crate::delta::LOG;
use crate::files::{names, now, senders, stored, FILE_BYTES};
use crate::rows::Stored;
use crate::table::NewFiles;
use crate::{Error, Result, Table};

/// Bytes below which a file is small.
const SMALL_BYTES: u64 = 64 << 20;
/// Small files that become one.
const MANY_SMALL: usize = 16;
/// Microseconds by which rows outlive their time, so that a file is written anew at most once a day.
const SLACK: i64 = 86_400_000_000;

impl Table {
    /// Removes the frames of a device; the number of them. Files that held some are written anew. The old ones, and all that
    /// were taken out before, are gone from the disk at the return: readers of them ask again.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::File`], [`Error::Log`], [`Error::Parquet`]; then some may be removed, and a repetition
    /// removes the others.
    pub fn delete_device(&self, server: &Server, device: u64) -> Result<u64> {
        let removed = self.remove(server, |rows| {
            rows.iter().map(|(of, _)| *of != device).collect()
        })?;
        self.vacuum(Duration::ZERO)?;
        Ok(removed)
    }

    /// Removes frames that came before this time, in microseconds since 1970, at most a day after it; the number of them. Their
    /// files leave the disk with [`Table::vacuum`].
    ///
    /// # Errors
    /// The errors of [`Table::delete_device`].
    pub fn retain_since(&self, server: &Server, time: i64) -> Result<u64> {
        self.remove(server, |rows| {
            let is_all = rows.iter().all(|(_, of)| *of < time);
            let is_due = is_all || rows.iter().any(|(_, of)| *of < time.saturating_sub(SLACK));
            rows.iter().map(|(_, of)| !is_due || *of >= time).collect()
        })
    }

    /// Removes the rows that are not kept, file by file.
    fn remove(&self, server: &Server, keep: impl Fn(&[(u64, i64)]) -> Vec<bool>) -> Result<u64> {
        let mut removed = 0;
        for (name, file) in &self.log.read()?.files {
            self.check(name, file)?;
            let path = self.folder.join(name);
            let kept = keep(&senders(&*self.disk, &path)?);
            let gone = kept.iter().filter(|kept| !**kept).count();
            if gone == 0 {
                continue;
            }
            let rows = self.rows_of(name).zip(kept).filter(|(_, kept)| *kept);
            let rows = rows.map(|(row, _)| row.map(|(_, stored)| stored));
            let names = std::slice::from_ref(name);
            self.rewrite(server, names, rows, true)?;
            removed += gone as u64;
        }
        Ok(removed)
    }

    /// Makes one file of many small ones; the number of files that became one. The old ones stay for readers that have begun,
    /// until [`Table::vacuum`].
    ///
    /// # Errors
    /// The errors of [`Table::delete_device`]; all frames are there as before.
    pub fn merge(&self, server: &Server) -> Result<usize> {
        let state = self.log.read()?;
        let mut bytes = 0;
        let small = state
            .files
            .iter()
            .filter(|(_, file)| file.bytes < SMALL_BYTES);
        let small = small.take_while(|(_, file)| {
            bytes += file.bytes;
            bytes <= FILE_BYTES
        });
        let small: Vec<_> = small.collect();
        if small.len() < MANY_SMALL {
            return Ok(0);
        }
        for (name, file) in &small {
            self.check(name, file)?;
        }
        let names: Vec<String> = small.into_iter().map(|(name, _)| name.clone()).collect();
        let rows = names.iter().flat_map(|name| self.rows_of(name));
        let rows = rows.map(|row| row.map(|(_, stored)| stored));
        self.rewrite(server, &names, rows, false)?;
        Ok(names.len())
    }

    fn rows_of(&self, name: &str) -> Box<dyn Iterator<Item = Result<(u64, Stored)>> + Send> {
        match stored(&*self.disk, &self.folder.join(name)) {
            Ok(rows) => Box::new(rows),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    /// Hands on the rows of all files that are whole.
    ///
    /// # Errors
    /// Those of `each`; [`Error::File`], [`Error::Log`], [`Error::Parquet`].
    pub fn rows(&self, mut each: impl FnMut(Stored) -> Result<()>) -> Result<()> {
        for (name, file) in &self.log.read()?.files {
            match self.check(name, file) {
                Err(Error::Damaged { .. }) => continue,
                checked => checked?,
            }
            self.rows_of(name).try_for_each(|row| each(row?.1))?;
        }
        Ok(())
    }

    /// The rows of the table as it is now, each with its device. Each file is verified before it is used first.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`]; the rows', with [`Error::Damaged`].
    pub fn snapshot_rows(&self) -> Result<impl Iterator<Item = Result<(u64, Stored)>> + Send + '_> {
        let files = self.log.read()?.files.clone();
        Ok(files
            .into_iter()
            .flat_map(move |(name, file)| match self.check(&name, &file) {
                Ok(()) => self.rows_of(&name),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }))
    }

    /// Number of the frames whose device and time, in microseconds since 1970, are wanted, without reading the frames.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::File`], [`Error::Log`], [`Error::Parquet`].
    pub fn count(&self, is_wanted: impl Fn(u64, i64) -> bool) -> Result<u64> {
        let mut count = 0;
        for (name, file) in &self.log.read()?.files {
            self.check(name, file)?;
            let senders = senders(&*self.disk, &self.folder.join(name))?;
            let wanted = senders
                .iter()
                .filter(|(device, time)| is_wanted(*device, *time));
            count += wanted.count() as u64;
        }
        Ok(count)
    }

    /// Hands on name and time of all frames, in microseconds since 1970, without reading the frames.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::File`], [`Error::Log`], [`Error::Parquet`].
    pub fn names(&self, mut each: impl FnMut(FrameId, i64)) -> Result<()> {
        for (name, file) in &self.log.read()?.files {
            self.check(name, file)?;
            let names = names(&*self.disk, &self.folder.join(name))?;
            names.into_iter().for_each(|(id, time)| each(id, time));
        }
        Ok(())
    }

    /// Names of the data files.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn file_names(&self) -> Result<Vec<String>> {
        Ok(self.log.read()?.files.keys().cloned().collect())
    }

    /// Takes files out of the table and puts rows in their place, in one entry of the log: damaged files, which nothing reads any
    /// more, and what the server has of their rows. The frames are authenticated. Gives the number of rows that were written.
    ///
    /// # Errors
    /// Those of [`Table::append`]; [`Error::Log`] for files that are not in the table. The table is as before.
    pub fn replace<I>(&self, server: &Server, old: &[String], rows: I) -> Result<u64>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        self.rewrite(server, old, rows, true)
    }

    fn rewrite<I>(&self, server: &Server, old: &[String], rows: I, is_change: bool) -> Result<u64>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        let mut files = NewFiles::of(self);
        files.write(server, rows)?;
        // From here on the log may name them.
        let new = std::mem::take(&mut files.files);
        self.log.replace(old, &new, is_change)?;
        Ok(new.iter().map(|file| file.added.rows).sum())
    }

    /// Removes the files that were taken out of the table longer ago than this; the number of them. Readers that began to read
    /// them in that time end whole.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`]; a repetition removes the others.
    pub fn vacuum(&self, delay: Duration) -> Result<u64> {
        let limit = now().saturating_sub(delay.as_millis() as u64);
        let state = self.log.read()?;
        let due = state.removed.iter().filter(|(_, time)| **time <= limit);
        let due: Vec<String> = due.map(|(name, _)| name.clone()).collect();
        if due.is_empty() {
            return Ok(0);
        }
        let mut removed = 0;
        for name in &due {
            removed += u64::from(self.remove_file(name)?);
        }
        self.sync()?;
        self.log.forget(&due);
        Ok(removed)
    }

    /// Removes a file of the table's folder; false if there was none.
    fn remove_file(&self, name: &str) -> Result<bool> {
        let path = self.folder.join(name);
        match self.disk.remove(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::at(&path)(error)),
        }
    }

    fn sync(&self) -> Result<()> {
        let folder = &self.folder;
        self.disk.sync_folder(folder).map_err(Error::at(folder))
    }

    /// Removes files that a crash left and no entry of the log names; the number of them. For the only writer of a table.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn sweep(&self) -> Result<u64> {
        let of_data = self.unnamed()?;
        let of_log = self.listed(LOG, |name| {
            name.starts_with('.') && name.ends_with(".tmp") || name.ends_with(".partial")
        })?;
        let mut left = of_data.iter().chain(&of_log);
        left.try_for_each(|name| self.remove_file(name).map(drop))?;
        Ok((of_data.len() + of_log.len()) as u64)
    }

    /// Removes data files that no entry of the log has named for this long, as far as this program looked; the number of them.
    /// For tables that several programs write to, of which one may have died between a file and its entry. A program that goes on
    /// after a pause enters no file that it wrote more than twelve hours ago, and `delay` is longer by far. No clock is asked.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn sweep_unnamed(&self, delay: Duration) -> Result<u64> {
        let mut seen = self.unnamed.lock().unwrap_or_else(PoisonError::into_inner);
        let unnamed = self.unnamed()?;
        seen.retain(|name, _| unnamed.contains(name));
        let mut removed = 0;
        for name in unnamed {
            let since = *seen.entry(name.clone()).or_insert_with(Instant::now);
            if since.elapsed() >= delay {
                removed += u64::from(self.remove_file(&name)?);
                seen.remove(&name);
            }
        }
        Ok(removed)
    }

    /// Names of data files that no entry of the log names.
    fn unnamed(&self) -> Result<BTreeSet<String>> {
        // The folder first: a file may get its entry meanwhile.
        let mut names = self.listed("", |name| {
            name.starts_with("part-") || name.starts_with(".part-")
        })?;
        let state = self.log.read()?;
        names.retain(|name| !state.files.contains_key(name) && !state.removed.contains_key(name));
        Ok(names)
    }

    /// Files of a folder in the table's, by their names there.
    fn listed(&self, within: &str, is_wanted: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
        let folder = self.folder.join(within);
        let paths = self.disk.list(&folder).map_err(Error::at(&folder))?;
        let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
        let names = names.filter(|name| is_wanted(name));
        let path = |name: &str| Path::new(within).join(name).to_string_lossy().into_owned();
        Ok(names.map(path).collect())
    }
}
