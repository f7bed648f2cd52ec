//! Output files that appear whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use tempfile::NamedTempFile;

/// A file under a temporary name beside its place.
pub struct NewFile {
    file: NamedTempFile,
    place: PathBuf,
    force: bool,
}

impl NewFile {
    /// Begins a file; an existing one is replaced only with `force`.
    pub fn new(place: &Path, force: bool) -> Result<Self> {
        if !force && place.symlink_metadata().is_ok() {
            bail!(
                "{}: exists already; give another name, or --force to replace it",
                place.display()
            );
        }
        let folder = place
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = NamedTempFile::new_in(folder)
            .with_context(|| format!("{}: cannot write into this folder", folder.display()))?;
        Ok(Self {
            file,
            place: place.to_owned(),
            force,
        })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .with_context(|| self.place.display().to_string())
    }

    /// Gives the file its name.
    pub fn publish(self) -> Result<()> {
        self.file.as_file().sync_all()?;
        let published = if self.force {
            self.file.persist(&self.place).map_err(|error| error.error)
        } else {
            self.file
                .persist_noclobber(&self.place)
                .map_err(|error| error.error)
        };
        published
            .with_context(|| self.place.display().to_string())
            .map(drop)
    }
}
