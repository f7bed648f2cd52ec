//! Files of TFHE frames: authenticated, each once, all of one key pair.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{bail, ensure, Context, Result};
use isopod_keys::ServerKeys;
use isopod_wire::{Assembler, Envelope, FrameId, Limits, TfheFrame, TfheParams};

/// Reads all frames in the order of their names (device, epoch, sequence).
pub fn read(paths: &[PathBuf], keys: &ServerKeys) -> Result<Vec<TfheFrame>> {
    let set = keys.params().tfhe()?;
    let mut assembler = Assembler::new(Limits::default());
    let mut frames: BTreeMap<FrameId, TfheFrame> = BTreeMap::new();
    for path in paths {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let place = || {
                format!(
                    "{}: frame at byte {}",
                    path.display(),
                    bytes.len() - rest.len()
                )
            };
            let (frame, after) = one(rest, keys, set).with_context(place)?;
            assembler.accept_tfhe(&frame).with_context(place)?;
            frames.insert(frame.header.id, frame);
            rest = after;
        }
    }
    ensure!(
        !frames.is_empty(),
        "no frames in {} file(s); allowed is at least one",
        paths.len()
    );
    Ok(frames.into_values().collect())
}

fn one<'a>(
    bytes: &'a [u8],
    keys: &ServerKeys,
    set: &'static TfheParams,
) -> Result<(TfheFrame, &'a [u8])> {
    let (envelope, rest) = Envelope::read(bytes)?;
    let key = envelope.key_id();
    let authentic = envelope.authenticate(keys)?;
    if key != keys.key_id() {
        bail!("key: the frame was encrypted under another key pair; allowed are frames of this server's owner");
    }
    Ok((authentic.tfhe_frame(set)?, rest))
}
