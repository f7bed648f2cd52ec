//! Files and folders whose names are durable.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::error::{Result, StoreError};

/// Creates a folder that only its owner may enter, and those above it.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(path);
    made.map_err(StoreError::file(path))
}

/// Flushes the names in a folder.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|folder| folder.sync_all());
    synced.map_err(StoreError::file(path))
}

/// Opens a new file of mode 0600, in place of one that a crash left behind.
pub(crate) fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(true);
    options
        .mode(0o600)
        .open(path)
        .map_err(StoreError::file(path))
}

/// Takes the lock of a folder, which is held until the file is dropped.
///
/// Errors: [`StoreError::Locked`] if another process holds it.
pub(crate) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = create(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(StoreError::Locked(folder.to_owned())),
        Err(fs::TryLockError::Error(error)) => Err(StoreError::file(&path)(error)),
    }
}

/// Replaces a file as a whole: at every moment the old content or the new is there, and the new is durable at the return.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<()> {
    let building = path.with_extension("partial");
    let mut file = create(&building)?;
    let written = write(&mut file)
        .and_then(|()| file.flush())
        .and_then(|()| file.sync_all());
    let replaced = written
        .map_err(StoreError::file(&building))
        .and_then(|()| fs::rename(&building, path).map_err(StoreError::file(path)));
    if replaced.is_err() {
        // Its name tells that it is not finished, and the next one takes its place.
        let _ = fs::remove_file(&building);
    }
    replaced?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}
