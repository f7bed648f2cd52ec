//! Files that hold secrets: read within bounds, replaced as a whole, locked.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::secret::random;

/// Bytes that are wiped when dropped.
pub type SecretBytes = Zeroizing<Vec<u8>>;

/// Upper bound on a secret file's size; the largest, the NTT of a secret key at 32768 x 15 64-bit primes, has 3.9 MB.
pub(crate) const MOST_SECRET_BYTES: u64 = 16 << 20;

/// Ending of what is not finished; no reader takes such a name.
const PARTIAL: &str = ".partial";

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
    let folder = parent(path);
    let begins = format!(
        ".{}.",
        path.file_name().unwrap_or_default().to_string_lossy()
    );
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(KeysError::file(folder))? {
        let entry = entry.map_err(KeysError::file(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&begins) && name.ends_with(PARTIAL) {
            found.push(path.with_file_name(entry.file_name()));
        }
    }
    found.sort();
    Ok(found)
}

/// Replaces a file atomically: at every moment the old content or the new is there. The caller holds the lock of its folder, so
/// whatever unfinished copy lies beside it was left by a crash, and is removed.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    for stale in unfinished(path)? {
        fs::remove_file(&stale).map_err(KeysError::file(&stale))?;
    }
    let building = partial(path)?;
    let written = create(&building).and_then(|mut file| {
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(KeysError::file(&building))
    });
    let replaced = written
        .and_then(|()| fs::rename(&building, path).map_err(KeysError::file(path)))
        .and_then(|()| sync_folder(path));
    if replaced.is_err() {
        // A file that cannot be removed keeps its partial name, readable by its owner only.
        let _ = fs::remove_file(&building);
    }
    replaced
}

/// The folder of a path.
fn parent(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Flushes the names in the folder of a path.
pub(crate) fn sync_folder(of: &Path) -> Result<()> {
    let folder = parent(of);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(KeysError::file(folder))
}

/// Waits for the lock of this folder, which is held until the file is dropped.
pub(crate) fn lock(folder: &Path) -> Result<File> {
    lock_file(&folder.join(".lock"))
}

/// Waits for the lock that this file stands for; creates the file.
pub(crate) fn lock_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(path).map_err(KeysError::file(path))?;
    file.lock().map_err(KeysError::file(path))?;
    Ok(file)
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
