//! Databases in a file: a B-tree whose pages are checked, so that damage is an error and never another answer.

mod checked_pages;

use std::io;
use std::path::Path;

use redb::{Builder, Database, ReadOnlyDatabase};

use crate::{parent, Access, Disk, DiskFile};
use checked_pages::CheckedPages;

/// Makes a database durably, with what `fill` writes: the whole of it gets the name, or nothing does. What is not finished is
/// called `NAME.partial`.
///
/// # Errors
/// The disk's, and those of `fill`.
pub fn make_database<E: From<io::Error>>(
    disk: &dyn Disk,
    path: &Path,
    cache_bytes: usize,
    fill: impl FnOnce(&Database) -> Result<(), E>,
) -> Result<(), E> {
    let building = path.with_extension("partial");
    let made = build(disk.open(&building, Access::Empty)?, cache_bytes)?;
    fill(&made)?;
    made.close().map_err(|error| database_error(error.into()))?;
    disk.rename(&building, path)?;
    Ok(disk.sync_folder(parent(path))?)
}

/// Opens a database, which nobody else may have open for writing.
///
/// # Errors
/// The disk's; [`io::ErrorKind::InvalidData`] for damage.
pub fn open_database(disk: &dyn Disk, path: &Path, cache_bytes: usize) -> io::Result<Database> {
    let file = disk.open(path, Access::Write)?;
    if file.length()? == 0 {
        return Err(empty());
    }
    build(file, cache_bytes)
}

/// Opens a database for reading, as it is now. A later writer may use pages again that this one reads: then a read is refused as
/// damage, and the database has to be opened anew. None if a writer was interrupted: [`open_database`] mends that.
///
/// # Errors
/// Those of [`open_database`].
pub fn read_database(
    disk: &dyn Disk,
    path: &Path,
    cache_bytes: usize,
) -> io::Result<Option<ReadOnlyDatabase>> {
    let file = disk.open(path, Access::Read)?;
    if file.length()? == 0 {
        return Err(empty());
    }
    let pages = CheckedPages::read(file)?;
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    match builder.open_read_only_with_backend(pages) {
        Ok(database) => Ok(Some(database)),
        Err(redb::DatabaseError::RepairAborted) => Ok(None),
        Err(error) => Err(database_error(error.into())),
    }
}

/// An error of a database as one of a disk: [`io::ErrorKind::InvalidData`] for damage.
pub fn database_error(error: redb::Error) -> io::Error {
    match error {
        redb::Error::Io(error) => error,
        redb::Error::PreviousIo => io::Error::other("an earlier operation failed"),
        error => io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
    }
}

/// Opens the database in a file, or makes it in an empty one.
fn build(file: Box<dyn DiskFile>, cache_bytes: usize) -> io::Result<Database> {
    let pages = CheckedPages::open(file)?;
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    let built = builder.create_with_backend(pages);
    built.map_err(|error| database_error(error.into()))
}

fn empty() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file is empty")
}
