//! Files of parts to frames: authenticated, complete, each once, all of one key pair.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use isopod_keys::ServerKeys;
use isopod_wire::{AnySet, Assembler, Envelope, Frame, FrameId, Limits, Part};

/// Frames of one evaluation.
const LIMITS: Limits = Limits {
    open_frames: 1 << 14,
    remembered_frames: 1 << 20,
};

/// Reads all frames in the order of their names (device, epoch, sequence), whatever the order of their parts.
pub fn read(paths: &[PathBuf], keys: &ServerKeys) -> Result<Vec<Frame>> {
    let mut assembler = Assembler::new(LIMITS);
    let mut frames = BTreeMap::new();
    for path in paths {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        read_file(&bytes, keys, &mut assembler, &mut frames)
            .with_context(|| path.display().to_string())?;
    }
    let incomplete = assembler.incomplete().next();
    if let Some((id, _)) = incomplete {
        assembler.complete(id)?;
    }
    ensure!(
        !frames.is_empty(),
        "no frames in {} file(s); allowed is at least one",
        paths.len()
    );
    Ok(frames.into_values().collect())
}

fn read_file(
    bytes: &[u8],
    keys: &ServerKeys,
    assembler: &mut Assembler,
    frames: &mut BTreeMap<FrameId, Frame>,
) -> Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let (part, after) = part(rest, keys).with_context(|| format!("part at byte {at}"))?;
        let id = part.header.id;
        if assembler
            .accept(part)
            .with_context(|| format!("part at byte {at}"))?
        {
            frames.insert(id, assembler.complete(id)?);
        }
        rest = after;
    }
    Ok(())
}

fn part<'a>(bytes: &'a [u8], keys: &ServerKeys) -> Result<(Part, &'a [u8])> {
    let (envelope, rest) = Envelope::read(bytes)?;
    let part = envelope.authenticate(keys)?.part()?;
    if (part.header.key_id, AnySet::Rns(part.header.params)) != (keys.key_id(), keys.params()) {
        bail!("key: the part was encrypted under another key pair; allowed are frames of this server's owner");
    }
    Ok((part, rest))
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
