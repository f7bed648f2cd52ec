//! Upkeep of a table by its one keeper: rows that leave, small files that become one, and files that nobody reads.

use std::fs;
use std::path::Path;

use isopod_workflow::Server;

use crate::delta::{DeltaLog, LOG};
use crate::files::{senders, stored, DataFile, FILE_BYTES};
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
    /// Removes the frames of a device; the number of them. Files that held some are written anew, and the old ones removed.
    /// Readers of the old ones ask again.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`], [`Error::Parquet`]; then some may be removed, and a repetition removes the others.
    pub fn delete_device(&self, server: &Server, device: u64) -> Result<u64> {
        self.remove(server, |rows| {
            rows.iter().map(|(of, _)| *of != device).collect()
        })
    }

    /// Removes frames that came before this time, in microseconds since 1970, at most a day after it; the number of them.
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
        for name in DeltaLog::of(&self.folder).read()?.files.into_keys() {
            let path = self.folder.join(&name);
            let kept = keep(&senders(&path)?);
            let gone = kept.iter().filter(|kept| !**kept).count();
            if gone == 0 {
                continue;
            }
            let rows = stored(&path)?.zip(kept).filter(|(_, kept)| *kept);
            self.rewrite(server, &[name], rows.map(|(row, _)| row), true)?;
            removed += gone as u64;
        }
        Ok(removed)
    }

    /// Makes one file of many small ones; the number of files that became one.
    ///
    /// # Errors
    /// The errors of [`Table::delete_device`]; all frames are there as before.
    pub fn merge(&self, server: &Server) -> Result<usize> {
        let files = DeltaLog::of(&self.folder).read()?.files;
        let mut bytes = 0;
        let small = files.into_iter().filter(|(_, (of, _))| *of < SMALL_BYTES);
        let small = small.take_while(|(_, (of, _))| {
            bytes += of;
            bytes <= FILE_BYTES
        });
        let names: Vec<String> = small.map(|(name, _)| name).collect();
        if names.len() < MANY_SMALL {
            return Ok(0);
        }
        let rows = names
            .iter()
            .flat_map(|name| rows_of(&self.folder.join(name)));
        self.rewrite(server, &names, rows, false)?;
        Ok(names.len())
    }

    /// Puts rows in the place of files.
    fn rewrite(
        &self,
        server: &Server,
        old: &[String],
        rows: impl Iterator<Item = Result<Stored>>,
        is_change: bool,
    ) -> Result<()> {
        let mut files = NewFiles::default();
        files.write(&self.folder, server, rows)?;
        let new: Vec<DataFile> = files.0.iter().map(|(file, _)| file.clone()).collect();
        // From here on the log may name them.
        files.0.clear();
        DeltaLog::of(&self.folder).replace(old, &new, is_change)?;
        for name in old {
            let path = self.folder.join(name);
            fs::remove_file(&path).map_err(Error::at(&path))?;
        }
        Ok(())
    }

    /// Removes files that a crash left and no entry of the log names; the number of them. For the only writer of a table.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn sweep(&self) -> Result<u64> {
        let known = DeltaLog::of(&self.folder).read()?.files;
        let is_data = |name: &str| name.starts_with("part-") || name.starts_with(".part-");
        let of_data = sweep(&self.folder, |name| {
            is_data(name) && !known.contains_key(name)
        })?;
        let of_log = sweep(&self.folder.join(LOG), |name| {
            name.starts_with('.') && name.ends_with(".tmp")
        })?;
        Ok(of_data + of_log)
    }
}

fn rows_of(path: &Path) -> Box<dyn Iterator<Item = Result<Stored>>> {
    match stored(path) {
        Ok(rows) => Box::new(rows),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

fn sweep(folder: &Path, is_left: impl Fn(&str) -> bool) -> Result<u64> {
    let mut removed = 0;
    for entry in fs::read_dir(folder).map_err(Error::at(folder))? {
        let path = entry.map_err(Error::at(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(&is_left) {
            fs::remove_file(&path).map_err(Error::at(&path))?;
            removed += 1;
        }
    }
    Ok(removed)
}
