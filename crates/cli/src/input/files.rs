//! Files of frames, results and models.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use isopod_wire::{AnySet, KeyId};
use isopod_workflow::{Description, Frame, Inbox, Model, Request, Server};

use crate::input::sources::Sources;
use crate::input::text::text;
use crate::output::progress::reading;

/// Applies `read` to an open file; errors name the file.
pub fn read<T>(path: &Path, read: impl FnOnce(File) -> isopod_workflow::Result<T>) -> Result<T> {
    let name = || path.display().to_string();
    let file = File::open(path).with_context(name)?;
    read(file).with_context(name)
}

/// All frames in the order of their names (device, epoch, sequence), whatever the order of their parts.
pub fn frames(paths: &[PathBuf], server: &Server) -> Result<Vec<Frame>> {
    let sources = Sources::find(paths)?;
    let bar = reading(sources.bytes());
    let mut inbox = Inbox::new(server);
    inbox.read_all(sources.open(&bar))?;
    Ok(inbox.complete()?)
}

/// The files of a folder whose name ends in `.bin`, by name.
pub fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    let mut frames: Vec<PathBuf> = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "bin"))
        .collect();
    ensure!(
        !frames.is_empty(),
        "{}: no files ending in .bin; allowed is at least one",
        folder.display()
    );
    frames.sort();
    Ok(frames)
}

/// A request of the owner of this key pair.
pub fn request(path: &Path, set: AnySet, key_id: KeyId) -> Result<Request> {
    let request = Request::from_json(&text(path)?, set, key_id);
    request.with_context(|| path.display().to_string())
}

/// The description of columns that `isopod encrypt --write-packing` wrote.
pub fn description(path: &Path) -> Result<Description> {
    Description::from_json(&text(path)?).with_context(|| path.display().to_string())
}

/// A model file.
pub fn model(path: &Path) -> Result<Model> {
    Model::from_json(&text(path)?).with_context(|| path.display().to_string())
}
