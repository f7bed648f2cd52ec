//! Output files that appear whole or not at all.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use tempfile::NamedTempFile;

use crate::output::unfinished::{self, Unfinished};

/// A file under a temporary name beside its place, or one without a name on its way to standard output.
pub struct NewFile {
    target: Target,
    place: PathBuf,
}

enum Target {
    Named {
        file: NamedTempFile,
        force: bool,
        _unfinished: Unfinished,
    },
    StandardOutput(File),
}

/// Whether the place stands for standard output.
pub fn is_standard_output(place: &Path) -> bool {
    place == Path::new("-")
}

/// Refuses a place that is one of the inputs, or one of the files of an input folder, under whatever name; the call comes
/// before anything is touched.
pub fn check_apart<'a>(place: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let Ok(out) = place.metadata() else {
        return Ok(());
    };
    for input in inputs {
        let found = files(input)
            .into_iter()
            .find(|(_, metadata)| (metadata.dev(), metadata.ino()) == (out.dev(), out.ino()));
        if let Some((input, _)) = found {
            bail!(
                "--out: {} is the same file as the input {}; allowed is another file",
                place.display(),
                input.display()
            );
        }
    }
    Ok(())
}

/// Refuses two outputs at one place: the second would replace the first.
pub fn check_distinct(places: &[&Path]) -> Result<()> {
    let names: Vec<_> = places
        .iter()
        .map(|place| (canonical(place), place))
        .collect();
    for (at, (name, place)) in names.iter().enumerate() {
        ensure!(
            names[..at].iter().all(|(other, _)| other != name),
            "{}: named for two outputs; allowed is one place each",
            place.display()
        );
    }
    Ok(())
}

/// The folder of a place under one name, and the name in it.
fn canonical(place: &Path) -> (PathBuf, Option<OsString>) {
    let folder = folder(place);
    let known = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    (known, place.file_name().map(OsString::from))
}

/// An input, and the files in it if it is a folder. What cannot be read is refused where it is read.
fn files(input: &Path) -> Vec<(PathBuf, Metadata)> {
    let entries = std::fs::read_dir(input).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let all = paths.chain([input.to_owned()]);
    all.filter_map(|path| Some((path.clone(), path.metadata().ok()?)))
        .collect()
}

impl NewFile {
    /// Begins a file; an existing one is replaced only with `force`, which is None for a command without such an option. `-` is
    /// standard output, unless that is a terminal.
    pub fn new(place: &Path, force: impl Into<Option<bool>>) -> Result<Self> {
        let target = match is_standard_output(place) {
            true => standard_output()?,
            false => named(place, force.into())?,
        };
        Ok(Self {
            target,
            place: place.to_owned(),
        })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.target {
            Target::Named { file, .. } => file.write_all(bytes),
            Target::StandardOutput(file) => file.write_all(bytes),
        };
        written.with_context(|| self.place.display().to_string())
    }

    /// Publishes the file with these bytes as its end.
    pub fn publish_with(mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)?;
        self.publish()
    }

    /// Gives the file its name, or its bytes to standard output.
    pub fn publish(self) -> Result<()> {
        let name = || self.place.display().to_string();
        match self.target {
            Target::Named { file, force, .. } => {
                file.as_file().sync_all().with_context(name)?;
                let published = if force {
                    file.persist(&self.place).map_err(|error| error.error)
                } else {
                    file.persist_noclobber(&self.place)
                        .map_err(|error| error.error)
                };
                published.with_context(name)?;
                sync_folder(&self.place).with_context(name)
            }
            Target::StandardOutput(mut file) => {
                let mut out = io::stdout().lock();
                let copied = file
                    .rewind()
                    .and_then(|()| io::copy(&mut file, &mut out))
                    .and_then(|_| out.flush());
                copied.context("standard output")
            }
        }
    }
}

fn standard_output() -> Result<Target> {
    ensure!(
        !io::stdout().is_terminal(),
        "--out: - is a terminal, and the output is binary; allowed is a pipe or a file"
    );
    let file = tempfile::tempfile().context("a temporary file")?;
    Ok(Target::StandardOutput(file))
}

fn named(place: &Path, force: Option<bool>) -> Result<Target> {
    let replaces = force.map_or("", |_| ", or --force to replace it");
    let force = force.unwrap_or(false);
    if !force && place.symlink_metadata().is_ok() {
        let name = place.display();
        bail!("{name}: exists already; give another name{replaces}");
    }
    let name = place.file_name().with_context(|| {
        format!(
            "--out: {} is no name of a file; allowed is one",
            place.display()
        )
    })?;
    let folder = folder(place);
    unfinished::tell(place)?;
    let make = || {
        tempfile::Builder::new()
            .prefix(&format!(".{}.", name.to_string_lossy()))
            .suffix(".partial")
            .tempfile_in(folder)
            .with_context(|| format!("{}: cannot write into this folder", folder.display()))
    };
    let (_unfinished, file) = Unfinished::make(make, |file| file.path())?;
    Ok(Target::Named {
        file,
        force,
        _unfinished,
    })
}

fn folder(place: &Path) -> &Path {
    let folder = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn sync_folder(place: &Path) -> io::Result<()> {
    File::open(folder(place))?.sync_all()
}
