//! Files that hold secrets: read within bounds, replaced as a whole, locked.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use isopod_disk::{parent, Access, Disk, SystemDisk};
use isopod_wire::codes::size;
use isopod_wire::Digested;
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::secret::{random, SecretBytes};

/// Upper bound on a secret file's size; the largest, the NTT of a secret key at 32768 x 15 64-bit primes, has 3.9 MB.
pub(crate) const MOST_SECRET_BYTES: u64 = 16 << 20;

/// Ending of what is not finished; no reader takes such a name.
const PARTIAL: &str = ".partial";

/// The digest that a file of secrets ends in.
pub fn digest_of(file: &impl Digested) -> [u8; size::DIGEST] {
    Sha3_256::digest(&*Zeroizing::new(file.hashed())).into()
}

/// Creates a file of mode 0600.
pub(crate) fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(KeysError::file(path))
}

/// A name beside `path` that nobody else uses, for what is not finished. Process numbers would repeat, in containers at once.
pub(crate) fn partial(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unique = u64::from_le_bytes(random()?);
    Ok(path.with_file_name(format!(".{name}.{unique:016x}{PARTIAL}")))
}

/// Unfinished files and folders beside `path` that an interrupted run left behind.
///
/// Errors: [`KeysError::File`].
pub fn unfinished(path: &Path) -> Result<Vec<PathBuf>> {
    unfinished_on(&SystemDisk, path)
}

fn unfinished_on(disk: &dyn Disk, path: &Path) -> Result<Vec<PathBuf>> {
    let folder = parent(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begins = format!(".{name}.");
    let mut found = disk.list(folder).map_err(KeysError::file(folder))?;
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&begins) && name.ends_with(PARTIAL)
    });
    // They are named as the caller names his file.
    let named = |found: PathBuf| path.with_file_name(found.file_name().unwrap_or_default());
    Ok(found.into_iter().map(named).collect())
}

/// Removes unfinished copies of a file. The caller holds the lock of its folder, so that a crash left them.
pub(crate) fn remove_unfinished(disk: &dyn Disk, path: &Path) -> Result<()> {
    for stale in unfinished_on(disk, path)? {
        disk.remove(&stale).map_err(KeysError::file(&stale))?;
    }
    Ok(())
}

/// Replaces a file atomically: at every moment the old content or the new is there. The caller holds the lock of its folder, so
/// whatever unfinished copy lies beside it was left by a crash, and is removed.
pub(crate) fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    remove_unfinished(disk, path)?;
    let building = partial(path)?;
    let written = disk
        .open(&building, Access::New)
        .and_then(|file| file.write_at(bytes, 0).and_then(|()| file.sync()));
    let replaced = written.map_err(KeysError::file(&building)).and_then(|()| {
        disk.rename(&building, path)
            .and_then(|()| disk.sync_folder(parent(path)))
            .map_err(KeysError::file(path))
    });
    if replaced.is_err() {
        // A file that cannot be removed keeps its partial name, readable by its owner only.
        let _ = disk.remove(&building);
    }
    replaced
}

/// Flushes the names in the folder of a path.
pub(crate) fn sync_folder(of: &Path) -> Result<()> {
    let folder = parent(of);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(KeysError::file(folder))
}

/// Waits for the lock of this folder, which is held until the value is dropped.
pub(crate) fn lock(disk: &dyn Disk, folder: &Path) -> Result<Box<dyn Send + Sync>> {
    lock_file(disk, &folder.join(".lock"))
}

/// Waits for the lock that this file stands for; creates the file.
pub(crate) fn lock_file(disk: &dyn Disk, path: &Path) -> Result<Box<dyn Send + Sync>> {
    disk.wait_for_lock(path).map_err(KeysError::file(path))
}

/// Creates a folder of mode 0700, and those above it.
pub(crate) fn make_folders(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    let builder = builder.mode(0o700).recursive(true);
    builder.create(path).map_err(KeysError::file(path))
}

/// Reads a file of at most `most` bytes, whatever length the system states.
///
/// Errors: [`KeysError::File`], [`KeysError::TooLarge`].
pub fn read_bounded(path: &Path, most: u64) -> Result<SecretBytes> {
    let file = File::open(path).map_err(KeysError::file(path))?;
    read_open(file, path, most)
}

/// Reads a file that only its owner may read, of at most `most` bytes. A pipe belongs to whoever opened it.
///
/// Errors: [`KeysError::File`], [`KeysError::Permissions`], [`KeysError::TooLarge`].
pub fn read_private(path: &Path, most: u64) -> Result<SecretBytes> {
    let file = File::open(path).map_err(KeysError::file(path))?;
    let metadata = file.metadata().map_err(KeysError::file(path))?;
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & 0o077 != 0 {
        let path = path.to_owned();
        return Err(KeysError::Permissions { path, mode });
    }
    read_open(file, path, most)
}

/// Reads a key file.
pub(crate) fn read_secret(path: &Path) -> Result<SecretBytes> {
    read_private(path, MOST_SECRET_BYTES)
}

fn read_open(file: File, path: &Path, most: u64) -> Result<SecretBytes> {
    let length = file.metadata().map_err(KeysError::file(path))?.len();
    let too_large = || {
        let path = path.to_owned();
        KeysError::TooLarge { path, most }
    };
    if length > most {
        return Err(too_large());
    }
    // Capacity beyond the file's length, so that reading to the end does not grow the buffer and leave a copy.
    let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + 64));
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(KeysError::file(path))?;
    if bytes.len() as u64 > most {
        return Err(too_large());
    }
    Ok(bytes)
}
