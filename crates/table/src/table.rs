//! Tables of frames: a folder of Parquet files under a Delta log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use isopod_disk::Disk;
use isopod_workflow::Server;

use crate::delta::{DeltaLog, Progress, State, Step, Transaction, LOG};
use crate::files::{DataFile, NewFile};
use crate::rows::Stored;
use crate::{Error, Result};

/// A table of frames in a folder. Any number of programs may read it while others append to it.
pub struct Table {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) folder: PathBuf,
    pub(crate) log: DeltaLog,
    /// Names of data files that verified.
    pub(crate) verified: Mutex<BTreeSet<String>>,
    /// Data files that no entry of the log named when this program looked first.
    pub(crate) unnamed: Mutex<BTreeMap<String, Instant>>,
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
        Self::create_on(isopod_disk::system(), folder)
    }

    fn create_on(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        disk.make_folder(folder).map_err(Error::at(folder))?;
        if !disk.list(folder).map_err(Error::at(folder))?.is_empty() {
            let problem = "holds files already; allowed is a new or empty folder";
            return Err(Error::log(folder, problem));
        }
        let table = Self::at(disk, folder)?;
        table.log.create()?;
        Ok(table)
    }

    /// Opens a table, or makes it where there is none, or one whose making was interrupted.
    ///
    /// # Errors
    /// The errors of [`Table::create`] and [`Table::open`].
    pub fn open_or_create(folder: &Path) -> Result<Self> {
        Self::open_or_create_on(isopod_disk::system(), folder)
    }

    /// Opens a table on a disk, or makes it there; otherwise like [`Table::open_or_create`].
    ///
    /// # Errors
    /// The errors of [`Table::create`] and [`Table::open`].
    pub fn open_or_create_on(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        let table = Self::at(disk.clone(), folder)?;
        if table.log.is_begun()? {
            return table.opened();
        }
        match disk.list(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Self::create_on(disk, folder)
            }
            Err(error) => return Err(Error::at(folder)(error)),
            Ok(paths) => check_unfinished(folder, &paths)?,
        }
        table.log.create()?;
        Ok(table)
    }

    /// Opens a table.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`] for a folder that is no such table.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::at(isopod_disk::system(), folder)?.opened()
    }

    /// A table that is not read yet.
    fn at(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        let folder = std::path::absolute(folder).map_err(Error::at(folder))?;
        Ok(Self {
            log: DeltaLog::of(disk.clone(), &folder),
            disk,
            folder,
            verified: Mutex::default(),
            unnamed: Mutex::default(),
        })
    }

    fn opened(self) -> Result<Self> {
        self.log.read()?;
        Ok(self)
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
        let progress = transaction.map_or(Progress::None, Progress::Once);
        self.append_with(server, frames, progress)
    }

    /// Appends the frames of steps of several writers, all or none, like [`Table::append`], if each writer is where its step
    /// begins. After an error other than [`Error::TakenOver`] the steps may be in the table: a repetition tells.
    ///
    /// # Errors
    /// Those of [`Table::append`]; [`Error::TakenOver`] where another program wrote for a writer meanwhile.
    pub fn append_steps<I>(&self, server: &Server, frames: I, steps: &[Step]) -> Result<Appended>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        self.append_with(server, frames, Progress::Next(steps))
    }

    fn append_with<I>(&self, server: &Server, frames: I, progress: Progress<'_>) -> Result<Appended>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        let state = self.log.read()?;
        let nothing = |version| Ok(Appended { version, rows: 0 });
        if progress.is_in(&state)? {
            return nothing(state.version());
        }
        let mut files = NewFiles::of(self);
        files.write(server, frames)?;
        if files.files.is_empty() && matches!(progress, Progress::None) {
            return nothing(state.version());
        }
        // From here on the log may name the files: after an error they stay, at worst as files that nobody reads.
        let written = std::mem::take(&mut files.files);
        let (version, is_in) = self.log.append(&written, progress)?;
        if !is_in {
            files.files = written;
            return nothing(version);
        }
        let rows = written.iter().map(|file| file.added.rows).sum();
        Ok(Appended { version, rows })
    }

    /// The version up to which a writer's frames are in the table.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn version_of(&self, writer: &str) -> Result<Option<i64>> {
        Ok(self.log.read()?.writers.get(writer).copied())
    }

    /// The state of the table now.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Log`].
    pub fn snapshot(&self) -> Result<Snapshot> {
        Ok(self.of(&*self.log.read()?))
    }

    /// The state of the table now, each of whose files verifies.
    #[cfg(feature = "sql")]
    pub(crate) fn verified_snapshot(&self) -> Result<Snapshot> {
        let state = self.log.read()?;
        for (name, file) in &state.files {
            self.check(name, file)?;
        }
        Ok(self.of(&state))
    }

    fn of(&self, state: &State) -> Snapshot {
        let names = state.files.keys();
        Snapshot {
            version: state.version(),
            files: names.map(|name| self.folder.join(name)).collect(),
            rows: state.files.values().map(|file| file.rows).sum(),
            bytes: state.files.values().map(|file| file.bytes).sum(),
        }
    }
}

/// Refuses a folder that holds anything but the beginnings of a table.
fn check_unfinished(folder: &Path, paths: &[PathBuf]) -> Result<()> {
    let mut names = paths.iter().filter_map(|path| path.file_name());
    match names.find(|name| *name != LOG) {
        None => Ok(()),
        Some(name) => {
            let problem = format!(
                "holds {}; allowed is a table, or a new or empty folder",
                name.display()
            );
            Err(Error::log(folder, problem))
        }
    }
}

/// Data files that no entry of the log names yet; removed with this.
pub(crate) struct NewFiles<'t> {
    table: &'t Table,
    pub files: Vec<DataFile>,
}

impl<'t> NewFiles<'t> {
    pub fn of(table: &'t Table) -> Self {
        let files = Vec::new();
        Self { table, files }
    }

    pub fn write<I>(&mut self, server: &Server, frames: I) -> Result<()>
    where
        I: IntoIterator<Item = Result<Stored>>,
    {
        let mut open: Option<NewFile> = None;
        for (number, frame) in (0..).zip(frames) {
            let frame = frame?;
            let mut file = match open.take() {
                Some(file) => file,
                None => NewFile::create(self.table.disk.clone(), &self.table.folder)?,
            };
            let pushed = file.push(server, &frame).map_err(|error| Error::Frame {
                number,
                source: Box::new(error),
            });
            match pushed? {
                true => self.files.push(file.finish()?),
                false => open = Some(file),
            }
        }
        if let Some(file) = open {
            self.files.push(file.finish()?);
        }
        Ok(())
    }
}

impl Drop for NewFiles<'_> {
    fn drop(&mut self) {
        for file in &self.files {
            // A file that stays behind is in no entry, and no reader sees it.
            let _ = self.table.disk.remove(&self.table.folder.join(&file.name));
        }
    }
}
