//! Tables of frames: a folder of Parquet files under a Delta log.

use std::fs;
use std::path::{Path, PathBuf};

use isopod_workflow::Server;

use crate::delta::{DeltaLog, Transaction, LOG};
use crate::files::{DataFile, NewFile};
use crate::rows::Stored;
use crate::{Error, Result};

/// A table of frames in a folder. Any number of programs may read it while others append to it.
pub struct Table {
    pub(crate) folder: PathBuf,
}

/// State of a table at one version of its log.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Number of the last entry of the log.
    pub version: u64,
    /// Paths of the data files.
    pub files: Vec<PathBuf>,
    /// Frames in all of them.
    pub rows: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// Outcome of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Version of the table that holds the frames.
    pub version: u64,
    /// Frames that were written.
    pub rows: u64,
}

impl Table {
    /// Makes a table in a folder that is new or empty.
    ///
    /// # Errors
    /// [`Error::File`] for a folder that holds something or cannot be made.
    pub fn create(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(Error::at(folder))?;
        if fs::read_dir(folder)
            .map_err(Error::at(folder))?
            .next()
            .is_some()
        {
            let problem = "holds files already; allowed is a new or empty folder";
            return Err(Error::log(folder, problem));
        }
        DeltaLog::of(folder).create()?;
        Self::open(folder)
    }

    /// Opens a table, or makes it where there is none, or one whose making was interrupted.
    ///
    /// # Errors
    /// The errors of [`Table::create`] and [`Table::open`].
    pub fn open_or_create(folder: &Path) -> Result<Self> {
        let log = DeltaLog::of(folder);
        match (log.is_begun(), folder.exists()) {
            (true, _) => Self::open(folder),
            (false, false) => Self::create(folder),
            (false, true) => {
                check_unfinished(folder)?;
                log.create()?;
                Self::open(folder)
            }
        }
    }

    /// Opens a table.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`] for a folder that is no such table.
    pub fn open(folder: &Path) -> Result<Self> {
        let table = Self {
            folder: fs::canonicalize(folder).map_err(Error::at(folder))?,
        };
        table.snapshot().map(|_| table)
    }

    /// Appends frames, all or none, durably: each is authenticated first. Memory is that of a row group, 32 MB, whatever their
    /// number. With a transaction, frames that an earlier append of the same writer and version, or a later one, brought are not
    /// written again, so that a writer that was interrupted repeats what it did.
    ///
    /// # Errors
    /// [`Error::Frame`] names the first frame that does not verify or that a table does not hold; those of the frames;
    /// [`Error::File`]. The table is as before.
    pub fn append<I>(
        &self,
        server: &Server,
        frames: I,
        transaction: Option<&Transaction>,
    ) -> Result<Appended>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        let log = DeltaLog::of(&self.folder);
        if let Some(version) = version_with(&log, transaction)? {
            return Ok(Appended { version, rows: 0 });
        }
        let mut files = NewFiles::default();
        files.write(&self.folder, server, frames)?;
        if files.0.is_empty() && transaction.is_none() {
            let version = log.read()?.version;
            return Ok(Appended { version, rows: 0 });
        }
        let all: Vec<DataFile> = files.0.iter().map(|(file, _)| file.clone()).collect();
        // From here on the log may name the files: after an error they stay, at worst as files that nobody reads.
        let written = std::mem::take(&mut files.0);
        let (version, is_new) = log.append(&all, transaction)?;
        if !is_new {
            files.0 = written;
            return Ok(Appended { version, rows: 0 });
        }
        let rows = all.iter().map(|file| file.rows).sum();
        Ok(Appended { version, rows })
    }

    /// The version up to which a writer's frames are in the table.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn version_of(&self, writer: &str) -> Result<Option<i64>> {
        Ok(DeltaLog::of(&self.folder)
            .read()?
            .writers
            .get(writer)
            .copied())
    }

    /// The state of the table now.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn snapshot(&self) -> Result<Snapshot> {
        let state = DeltaLog::of(&self.folder).read()?;
        Ok(Snapshot {
            version: state.version,
            files: state
                .files
                .keys()
                .map(|name| self.folder.join(name))
                .collect(),
            rows: state.files.values().map(|(_, rows)| rows).sum(),
            bytes: state.files.values().map(|(bytes, _)| bytes).sum(),
        })
    }
}

/// The version of a table that has the frames of a transaction already.
fn version_with(log: &DeltaLog, transaction: Option<&Transaction>) -> Result<Option<u64>> {
    let Some(transaction) = transaction else {
        return Ok(None);
    };
    let state = log.read()?;
    let before = state.writers.get(&transaction.writer);
    let has = before.is_some_and(|&before| before >= transaction.version);
    Ok(has.then_some(state.version))
}

/// Refuses a folder that holds anything but the beginnings of a table.
fn check_unfinished(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Error::at(folder))? {
        let name = entry.map_err(Error::at(folder))?.file_name();
        if name != LOG {
            let problem = format!(
                "holds {}; allowed is a table, or a new or empty folder",
                name.display()
            );
            return Err(Error::log(folder, problem));
        }
    }
    Ok(())
}

/// Data files that no entry of the log names yet; removed with this.
#[derive(Default)]
pub(crate) struct NewFiles(pub Vec<(DataFile, PathBuf)>);

impl NewFiles {
    pub fn write<I>(&mut self, folder: &Path, server: &Server, frames: I) -> Result<()>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        let mut open: Option<NewFile> = None;
        for (number, frame) in (0..).zip(frames) {
            let frame = frame?;
            let mut file = match open.take() {
                Some(file) => file,
                None => NewFile::create(folder)?,
            };
            let pushed = file.push(server, &frame).map_err(|error| Error::Frame {
                number,
                source: Box::new(error),
            });
            match pushed? {
                true => self.finish(folder, file)?,
                false => open = Some(file),
            }
        }
        open.map_or(Ok(()), |file| self.finish(folder, file))
    }

    fn finish(&mut self, folder: &Path, file: NewFile) -> Result<()> {
        let file = file.finish()?;
        let path = folder.join(&file.name);
        self.0.push((file, path));
        Ok(())
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        for (_, path) in &self.0 {
            // A file that stays behind is in no entry, and no reader sees it.
            let _ = fs::remove_file(path);
        }
    }
}
