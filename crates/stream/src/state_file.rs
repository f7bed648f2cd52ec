//! Files of states: one for each entry of a table's log, named by offset and number.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use isopod_disk::{Access, Disk};
use isopod_wire::KeyId;

use crate::state::State;
use crate::{Error, Result};

/// Most bytes of a file.
const MOST: u64 = 1 << 30;

/// The files of one partition and key pair.
#[derive(Debug)]
pub(crate) struct StateFiles {
    folder: PathBuf,
    key_id: KeyId,
}

impl StateFiles {
    pub fn new(folder: PathBuf, key_id: KeyId) -> Self {
        Self { folder, key_id }
    }

    fn path(&self, offset: i64, number: i64) -> PathBuf {
        self.folder.join(format!("{offset:020}-{number:016x}"))
    }

    /// The state at an offset; None where its file is missing or damaged.
    pub fn read(&self, disk: &dyn Disk, offset: i64, number: i64) -> Result<Option<State>> {
        let path = self.path(offset, number);
        match isopod_disk::read(disk, &path, MOST) {
            Ok(bytes) => Ok(State::parse(&bytes, &self.key_id)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::at(&path)(error)),
        }
    }

    /// Writes the state at an offset, durably.
    pub fn write(&self, disk: &dyn Disk, offset: i64, number: i64, state: &State) -> Result<()> {
        put(disk, &self.path(offset, number), &state.bytes(&self.key_id))
    }

    /// Removes the file of a state.
    pub fn remove(&self, disk: &dyn Disk, offset: i64, number: i64) -> Result<()> {
        remove(disk, &self.path(offset, number))
    }

    /// Removes the files of offsets before this one, which servers left that died.
    pub fn clean(&self, disk: &dyn Disk, before: i64) -> Result<()> {
        let paths = match disk.list(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            listed => listed.map_err(Error::at(&self.folder))?,
        };
        let is_old = |path: &&PathBuf| offset(path).is_some_and(|offset| offset < before);
        let mut old = paths.iter().filter(is_old);
        old.try_for_each(|path| remove(disk, path))
    }
}

/// Removes a file that another server may have removed.
fn remove(disk: &dyn Disk, path: &Path) -> Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::at(path)(error)),
        _ => Ok(()),
    }
}

/// Offset in the name of a file, finished or not.
fn offset(path: &Path) -> Option<i64> {
    let name = path.file_name()?.to_str()?.trim_start_matches('.');
    name.split_once('-')?.0.parse().ok()
}

/// Writes a small file as a whole, durably, in a folder that may be missing.
pub(crate) fn put(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = isopod_disk::parent(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}"));
    disk.make_folder(folder).map_err(Error::at(folder))?;
    let file = disk.open(&temporary, Access::Empty);
    let file = file.map_err(Error::at(&temporary))?;
    let written = file
        .write_at(bytes, 0)
        .and_then(|()| file.sync())
        .and_then(|()| disk.rename(&temporary, path))
        .and_then(|()| disk.sync_folder(folder));
    written.map_err(Error::at(path))
}
