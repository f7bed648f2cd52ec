//! The count of published results outside of the owner's folder, so that an old copy of the folder does not set it back.
//!
//! It binds one machine, and one user of it: a folder that is copied to another machine counts there for itself.

use std::path::{Path, PathBuf};

use isopod_disk::SystemDisk;
use isopod_wire::KeyId;

use crate::error::Result;
use crate::files::{lock_file, make_folders};
use crate::key_name::key_name;
use crate::record::{self, problem, Magic, Numbers};

const MAGIC: &Magic = b"ISOPODA2";

/// The count of one key pair, locked.
pub(crate) struct Anchor {
    path: PathBuf,
    key_id: KeyId,
    _lock: Box<dyn Send + Sync>,
}

impl Anchor {
    /// Opens the anchor of a key pair in a folder of anchors, which is made if it is missing.
    pub(crate) fn open(anchors: &Path, key_id: KeyId) -> Result<Self> {
        make_folders(anchors)?;
        let name = key_name(&key_id);
        let _lock = lock_file(&SystemDisk, &anchors.join(format!("{name}.lock")))?;
        let path = anchors.join(name);
        Ok(Self {
            path,
            key_id,
            _lock,
        })
    }

    /// Results published on this machine.
    pub(crate) fn used(&self) -> Result<u64> {
        let Some(content) = record::read(&SystemDisk, &self.path, MAGIC)? else {
            return Ok(0);
        };
        let mut numbers = Numbers(&content);
        let mut read = || Some((numbers.bytes()?, numbers.u64()?));
        match read().filter(|_| content.len() == 24) {
            Some((key_id, used)) if self.key_id == key_id => Ok(used),
            _ => Err(problem(&self.path, "not the count of this key pair")),
        }
    }

    /// Raises the count, durably.
    pub(crate) fn raise(&self, used: u64) -> Result<()> {
        let used = used.max(self.used()?);
        let content = [&self.key_id[..], &used.to_le_bytes()].concat();
        record::write(&SystemDisk, &self.path, MAGIC, &content)
    }
}
