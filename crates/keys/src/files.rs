//! Files that hold secrets, and folders that appear as a whole or not at all.

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
        let building = partial(wanted)?;
        make_folder(&building)?;
        Ok(Self {
            wanted: wanted.to_owned(),
            building,
        })
    }

    /// The place where it is built, for those who clean up after a signal.
    pub fn building(&self) -> &Path {
        &self.building
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
        fs::rename(&self.building, &self.wanted).map_err(KeysError::file(&self.wanted))?;
        sync_folder(&self.wanted)
    }
}

impl NewFolder {
    /// Refuses names that are taken in the folder where this one is to be.
    ///
    /// Errors: [`KeysError::Exists`].
    pub fn check_beside(&self, names: &[String]) -> Result<()> {
        let places = names.iter().map(|name| self.wanted.with_file_name(name));
        let mut taken = places.filter(|place| place.symlink_metadata().is_ok());
        taken
            .next()
            .map_or(Ok(()), |place| Err(KeysError::Exists(place)))
    }

    /// Moves the folders inside, each whole, to where this one was to be; nothing else of it stays.
    ///
    /// Errors: [`KeysError::Exists`] for a name that was taken meanwhile, or [`KeysError::File`]; those before it are moved.
    pub fn publish_beside(self, names: &[String]) -> Result<()> {
        self.check_beside(names)?;
        for name in names {
            let place = self.wanted.with_file_name(name);
            fs::rename(self.building.join(name), &place).map_err(KeysError::file(&place))?;
        }
        sync_folder(&self.wanted)
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

/// A name beside `path` that nobody else uses, for what is not finished. Process numbers would repeat, in containers at once.
fn partial(path: &Path) -> Result<PathBuf> {
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

fn sync_folder(of: &Path) -> Result<()> {
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
