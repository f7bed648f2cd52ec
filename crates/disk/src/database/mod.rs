//! Databases in a file: a B-tree whose pages are checked, so that damage is an error and never another answer.

mod checked_pages;

use std::io;
use std::path::Path;

use redb::{Builder, Database, ReadOnlyDatabase, StorageBackend};

use crate::{parent, Access, Disk};
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
    let pages = CheckedPages::open(disk.open(&building, Access::Empty)?)?;
    let made = build(pages, cache_bytes)?;
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
    let pages = CheckedPages::open(disk.open(path, Access::Write)?)?;
    build(not_empty(pages)?, cache_bytes)
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
    let pages = not_empty(CheckedPages::read(disk.open(path, Access::Read)?)?)?;
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

/// Opens the database in these pages, or makes it where there are none.
fn build(pages: CheckedPages, cache_bytes: usize) -> io::Result<Database> {
    let mut builder = Builder::new();
    builder.set_cache_size(cache_bytes);
    let built = builder.create_with_backend(pages);
    built.map_err(|error| database_error(error.into()))
}

/// Refuses a file without a page, in which [`build`] would make a new database.
fn not_empty(pages: CheckedPages) -> io::Result<CheckedPages> {
    match pages.len()? {
        0 => {
            let problem = "too short for a database";
            Err(io::Error::new(io::ErrorKind::InvalidData, problem))
        }
        _ => Ok(pages),
    }
}
