//! The file `linear.key` in a device's folder.

use std::path::Path;

use isopod_disk::SystemDisk;
use isopod_wire::codes::size;
use isopod_wire::{Digested as _, KeyId, LinearKeyFile};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::files::{digest_of, read_secret, replace};
use crate::linear::secrets::LinearSecrets;
use crate::secret::SecretKey;

/// The file in a device's folder.
pub const LINEAR_FILE: &str = "linear.key";

impl LinearSecrets {
    /// The secrets in a device's folder; None if it has none.
    ///
    /// Errors: a file that others may read, or that is not one of these; [`KeysError::Damaged`]; [`KeysError::OtherKey`].
    pub fn open(folder: &Path, key_id: KeyId) -> Result<Option<Self>> {
        let path = folder.join(LINEAR_FILE);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let bytes = read_secret(&path)?;
        let file = LinearKeyFile::read(&bytes).map_err(KeysError::content(&path))?;
        if digest_of(&file) != *file.digest {
            return Err(KeysError::Damaged(path));
        }
        if file.key_id != key_id {
            return Err(KeysError::other_key(&path, file.key_id, key_id));
        }
        Ok(Some(Self {
            period: file.period,
            group: SecretKey::from_bytes(file.group),
            device: SecretKey::from_bytes(file.secret),
        }))
    }

    /// Writes the secrets into a device's folder, in place of those of an earlier period.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, folder: &Path, key_id: KeyId, device: u64) -> Result<()> {
        let mut file = LinearKeyFile {
            key_id,
            device,
            period: self.period,
            group: self.group.expose(),
            secret: self.device.expose(),
            digest: &[0; size::DIGEST],
        };
        let digest = digest_of(&file);
        file.digest = &digest;
        let bytes = Zeroizing::new(file.write());
        replace(&SystemDisk, &folder.join(LINEAR_FILE), &bytes)
    }
}
