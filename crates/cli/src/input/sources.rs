//! Sources of frames: files, directories, globs, lists of paths, standard input.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use indicatif::ProgressBar;
use isopod_wire::{Envelope, ItemKind};
use isopod_workflow::Source;

use crate::input::text;

/// Bytes that tell the kind of a file's first item.
const HEAD_BYTES: u64 = 16;

/// Bytes of one source, which threads read in turns.
pub type Bytes = Box<dyn Read + Send>;

/// Files in the order in which they are read; those of partial states come first.
pub struct Sources(Vec<PathBuf>);

impl Sources {
    /// Finds the files of `--in`: a file, a directory with all files in and below it, a glob, `@` and a file of paths, one per
    /// line, or `-` for standard input.
    pub fn find(inputs: &[PathBuf]) -> Result<Self> {
        let mut found = Vec::new();
        for input in inputs {
            match input.to_str() {
                Some(text) if text.starts_with('@') => listed(Path::new(&text[1..]), &mut found)?,
                _ => one(input, &mut found)?,
            }
        }
        // Stable: the order of all others stays.
        found.sort_by_cached_key(|path| !is_state(path));
        Ok(Self(found))
    }

    /// The paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// Bytes of all files that have a size.
    pub fn bytes(&self) -> u64 {
        let sizes = self.paths().filter_map(|path| path.metadata().ok());
        sizes.map(|metadata| metadata.len()).sum()
    }

    /// Opens one after the other; the bar counts what is read.
    pub fn open(
        self,
        bar: &ProgressBar,
    ) -> impl Iterator<Item = isopod_workflow::Result<Source<Bytes>>> + Send {
        let bar = bar.clone();
        self.0.into_iter().map(move |path| {
            let name = path.display().to_string();
            let opened: std::io::Result<Bytes> = match is_standard_input(&path) {
                true => Ok(Box::new(std::io::stdin())),
                false => File::open(&path).map(|file| Box::new(file) as Bytes),
            };
            let bytes = opened.map_err(|error| isopod_workflow::Error::At {
                place: name.clone(),
                source: Box::new(error.into()),
            })?;
            let bytes: Bytes = Box::new(bar.wrap_read(bytes));
            Ok(Source { name, bytes })
        })
    }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether a regular file begins with a partial state; a pipe's bytes can be read but once. What cannot be read is refused where
/// it is read.
fn is_state(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && Envelope::claimed_kind(&head).is_some_and(ItemKind::is_partial)
}

fn listed(list: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let text = text::text(list)?;
    for line in text.lines().filter(|line| !line.is_empty()) {
        one(Path::new(line), found).with_context(|| list.display().to_string())?;
    }
    Ok(())
}

fn one(input: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let before = found.len();
    if is_standard_input(input) {
        found.push(input.to_owned());
    } else if input.is_dir() {
        below(input, found)?;
        ensure!(
            found.len() > before,
            "{}: no files in this directory; allowed is at least one, and names that begin with a dot are left out",
            input.display()
        );
    } else if input.exists() || !is_glob(input) {
        // A missing file is refused where it is opened.
        found.push(input.to_owned());
    } else {
        matching(input, found)?;
        ensure!(
            found.len() > before,
            "{}: matches no file; allowed is a pattern of at least one",
            input.display()
        );
    }
    Ok(())
}

/// The files in a directory and below it by name; no hidden ones, and no links to directories.
fn below(directory: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let name = || directory.display().to_string();
    let entries =
        std::fs::read_dir(directory).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = entries.with_context(name)?;
    entries.retain(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().with_context(name)?.is_dir() {
            below(&path, found)?;
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

fn is_glob(input: &Path) -> bool {
    let text = input.as_os_str().as_encoded_bytes();
    text.iter().any(|byte| b"*?[".contains(byte))
}

fn matching(pattern: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let name = || pattern.display().to_string();
    let Some(text) = pattern.to_str() else {
        bail!("{}: no UTF-8 text; allowed is a pattern in text", name());
    };
    for path in glob::glob(text).with_context(name)? {
        let path = path.with_context(name)?;
        match path.is_dir() {
            true => below(&path, found)?,
            false => found.push(path),
        }
    }
    Ok(())
}
