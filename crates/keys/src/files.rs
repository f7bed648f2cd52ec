//! Files that hold secrets, and folders that appear as a whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::error::{KeysError, Result};

/// Bytes that are wiped when dropped.
pub type SecretBytes = Zeroizing<Vec<u8>>;

/// Upper bound on a secret file's size; the largest, the NTT of a secret key at 32768 x 15 64-bit primes, has 3.9 MB.
const MOST_SECRET_BYTES: u64 = 16 << 20;

/// A folder under construction. [`NewFolder::publish`] gives it its name; without that it is removed when dropped.
pub struct NewFolder {
    wanted: PathBuf,
    building: PathBuf,
}

impl NewFolder {
    /// Creates a folder beside its final place.
    ///
    /// Errors: [`KeysError::Exists`] if the place is taken, or [`KeysError::File`].
    pub fn new(wanted: &Path) -> Result<Self> {
        if wanted.symlink_metadata().is_ok() {
            return Err(KeysError::Exists(wanted.to_owned()));
        }
        let name = wanted.file_name().unwrap_or_default().to_string_lossy();
        let building = wanted.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        make_folder(&building)?;
        Ok(Self {
            wanted: wanted.to_owned(),
            building,
        })
    }

    /// Creates a folder of mode 0700 inside.
    ///
    /// Errors: [`KeysError::File`].
    pub fn folder(&self, name: &str) -> Result<()> {
        make_folder(&self.building.join(name))
    }

    /// Writes a new file of mode 0600; `name` may lead into a folder that was created before.
    ///
    /// Errors: [`KeysError::File`], also if it exists.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.building.join(name);
        let mut file = create(&path)?;
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(KeysError::file(&path))
    }

    /// Gives the folder its name.
    ///
    /// Errors: [`KeysError::Exists`] if the place was taken meanwhile, or [`KeysError::File`].
    pub fn publish(self) -> Result<()> {
        if self.wanted.symlink_metadata().is_ok() {
            return Err(KeysError::Exists(self.wanted.clone()));
        }
        fs::rename(&self.building, &self.wanted).map_err(KeysError::file(&self.wanted))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After publishing nothing is left to remove; a folder that cannot be removed keeps its partial name.
        let _ = fs::remove_dir_all(&self.building);
    }
}

fn make_folder(path: &Path) -> Result<()> {
    DirBuilder::new()
        .mode(0o700)
        .create(path)
        .map_err(KeysError::file(path))
}

fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(KeysError::file(path))
}

/// Replaces a secret file atomically: at every moment the old content or the new is there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let building = path.with_file_name(format!(".{name}.{}.partial", std::process::id()));
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

fn sync_folder(of: &Path) -> Result<()> {
    let folder = of.parent().unwrap_or(Path::new("."));
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(KeysError::file(folder))
}

/// Waits for the lock of this folder, which is held until the file is dropped.
pub(crate) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(".lock");
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(&path).map_err(KeysError::file(&path))?;
    file.lock().map_err(KeysError::file(&path))?;
    Ok(file)
}

/// Reads a file that only its owner may read.
pub(crate) fn read_secret(path: &Path) -> Result<SecretBytes> {
    let file = File::open(path).map_err(KeysError::file(path))?;
    let metadata = file.metadata().map_err(KeysError::file(path))?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeysError::Permissions {
            path: path.to_owned(),
            mode,
        });
    }
    if metadata.len() > MOST_SECRET_BYTES {
        let (path, bytes, most) = (path.to_owned(), metadata.len(), MOST_SECRET_BYTES);
        return Err(KeysError::TooLarge { path, bytes, most });
    }
    // Capacity beyond the file's length, so that reading to the end does not grow the buffer and leave a copy.
    let mut bytes = Zeroizing::new(Vec::with_capacity(metadata.len() as usize + 64));
    file.take(metadata.len())
        .read_to_end(&mut bytes)
        .map_err(KeysError::file(path))?;
    Ok(bytes)
}
