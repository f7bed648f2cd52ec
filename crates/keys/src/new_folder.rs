//! Folders that appear as a whole or not at all.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::{KeysError, Result};
use crate::files::{create, partial, sync_folder};

/// A folder under construction. [`NewFolder::publish`] gives it its name; without that it is removed when dropped.
pub struct NewFolder {
    wanted: PathBuf,
    building: PathBuf,
    /// Files are flushed together, before the folders inside are published.
    together: bool,
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
            together: false,
        })
    }

    /// Flushes the files together when the folders inside are published beside: thousands of them one by one take minutes.
    pub fn flushed_together(mut self) -> Self {
        self.together = true;
        self
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
            .and_then(|()| match self.together {
                true => Ok(()),
                false => file.sync_all(),
            })
            .map_err(KeysError::file(&path))
    }

    /// Flushes all files, if none was flushed when it was written.
    ///
    /// Errors: [`KeysError::File`].
    pub fn flush(&self) -> Result<()> {
        if !self.together {
            return Ok(());
        }
        let flushed = File::open(&self.building).and_then(|folder| flush(&folder));
        flushed.map_err(KeysError::file(&self.building))
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

/// Writes all that its file system has in memory to disk.
#[cfg(target_os = "linux")]
fn flush(folder: &File) -> std::io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

/// Writes all that any file system has in memory to disk.
#[cfg(not(target_os = "linux"))]
fn flush(_: &File) -> std::io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

fn make_folder(path: &Path) -> Result<()> {
    DirBuilder::new()
        .mode(0o700)
        .create(path)
        .map_err(KeysError::file(path))
}
