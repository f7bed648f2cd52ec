#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod database;
mod simulated;
mod streams;
mod system;

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use database::{database_error, make_database, open_database, read_database};
pub use simulated::{Faults, Loss, Random, SimulatedDisk};
pub use streams::{Reader, Writer};
pub use system::SystemDisk;

/// Bytes that are copied at a time.
const COPY_BYTES: u64 = 1 << 20;

/// Way of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// For reading.
    Read,
    /// For reading and writing; the file is there.
    Write,
    /// A file that is not there; of mode 0600.
    New,
    /// An empty file, in place of one that may be there; of mode 0600.
    Empty,
}

/// A disk. Names that were changed are durable after [`Disk::sync_folder`], and bytes after [`DiskFile::sync`].
pub trait Disk: Send + Sync + Debug {
    /// Whether other programs of this machine find its files under the same paths.
    fn is_local(&self) -> bool {
        false
    }
    /// Opens a file.
    ///
    /// # Errors
    /// The operating system's, as for all calls here.
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>>;
    /// Takes the lock that a file stands for, and makes the file. It is held until the value is dropped.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] where another holds it.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>>;
    /// Takes the lock that a file stands for, as [`Disk::lock`] does, once nobody else holds it.
    ///
    /// # Errors
    /// The operating system's.
    fn wait_for_lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>>;
    /// Gives a file another name, in place of the file that has it.
    ///
    /// # Errors
    /// The operating system's.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name, which nothing has.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something has it.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a name of a file.
    ///
    /// # Errors
    /// The operating system's.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder of mode 0700 and those above it, where they are missing.
    ///
    /// # Errors
    /// The operating system's.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder and all that is in it.
    ///
    /// # Errors
    /// The operating system's.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Names in a folder, in ascending order.
    ///
    /// # Errors
    /// The operating system's.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;
    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// The operating system's.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Bytes of a file.
    ///
    /// # Errors
    /// The operating system's.
    fn length(&self, path: &Path) -> io::Result<u64>;
}

/// An open file.
pub trait DiskFile: Send + Sync + Debug {
    /// Reads bytes from an offset on; fewer at the end of the file.
    ///
    /// # Errors
    /// The operating system's, as for all calls here.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all bytes at an offset. After an error some may be written.
    ///
    /// # Errors
    /// The operating system's.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts the file, or lengthens it by zeros.
    ///
    /// # Errors
    /// The operating system's.
    fn set_length(&self, length: u64) -> io::Result<()>;
    /// Bytes of the file.
    ///
    /// # Errors
    /// The operating system's.
    fn length(&self) -> io::Result<u64>;
    /// Makes bytes and length durable. After an error it is not known which are.
    ///
    /// # Errors
    /// The operating system's.
    fn sync(&self) -> io::Result<()>;
}

impl dyn DiskFile + '_ {
    /// Reads exactly these bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where the file ends before.
    pub fn read_exact_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.read_at(bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    bytes = &mut bytes[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The disk of the operating system, shared.
pub fn system() -> Arc<dyn Disk> {
    Arc::new(SystemDisk)
}

/// Whether a file is there.
///
/// # Errors
/// The operating system's, but for that of a missing file.
pub fn exists(disk: &dyn Disk, path: &Path) -> io::Result<bool> {
    match disk.length(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Content of a file of at most `most` bytes.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] for more.
pub fn read(disk: &dyn Disk, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = disk.open(path, Access::Read)?;
    let length = file.length()?;
    if length > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; length as usize];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Copies bytes of a file to an offset of another, or over themselves.
///
/// # Errors
/// The disk's; [`io::ErrorKind::UnexpectedEof`] where the file ends before.
pub fn copy(
    from: &dyn DiskFile,
    range: std::ops::Range<u64>,
    into: &dyn DiskFile,
    offset: u64,
) -> io::Result<()> {
    let mut at = range.start;
    while at < range.end {
        let mut chunk = vec![0; (range.end - at).min(COPY_BYTES) as usize];
        from.read_exact_at(&mut chunk, at)?;
        into.write_at(&chunk, offset + (at - range.start))?;
        at += chunk.len() as u64;
    }
    Ok(())
}

/// Replaces a file as a whole: at every moment the old content or the new is there, and the new is durable at the return. What is
/// not finished is called `NAME.partial`.
///
/// # Errors
/// Those of `write`, and the disk's; the old content stays.
pub fn replace(
    disk: &dyn Disk,
    path: &Path,
    write: &mut dyn FnMut(&dyn DiskFile) -> io::Result<()>,
) -> io::Result<()> {
    let building = path.with_extension("partial");
    let file = disk.open(&building, Access::Empty)?;
    let replaced = write(file.as_ref())
        .and_then(|()| file.sync())
        .and_then(|()| disk.rename(&building, path));
    if let Err(error) = replaced {
        // Its name tells that it is not finished, and the next one takes its place.
        let _ = disk.remove(&building);
        return Err(error);
    }
    disk.sync_folder(parent(path))
}

/// Folder of a path.
pub fn parent(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
