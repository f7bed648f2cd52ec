//! The public key that a folder holds.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use isopod_keys::{find_public_key, read_public_key, DeviceKeys};
use isopod_wire::KeyBlob;

use crate::output::table::hex;

/// A public key whose mask was checked.
pub struct PublicKey {
    pub path: PathBuf,
    pub blob: Vec<u8>,
    pub set: &'static str,
    pub key: String,
}

impl PublicKey {
    /// Reads it from a device's folder or its own.
    pub fn find(folder: &Path) -> Result<Self> {
        let path = find_public_key(folder)?;
        let blob = read_public_key(&path, DeviceKeys::key_id_in(folder)?)?;
        let checked = || {
            let whole = KeyBlob::read(&blob)?;
            isopod_workflow::check_mask(&whole)?;
            Ok::<_, anyhow::Error>((whole.params.name, hex(&whole.key_id)))
        };
        let (set, key) = checked().with_context(|| path.display().to_string())?;
        Ok(Self {
            path,
            blob,
            set,
            key,
        })
    }
}
