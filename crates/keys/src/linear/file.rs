//! The file `linear.key` in a device's folder.

use std::path::{Path, PathBuf};

use isopod_disk::SystemDisk;
use isopod_wire::codes::{limit, size};
use isopod_wire::{Digested as _, KeyId, LinearKeyFile};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::files::{digest_of, read_secret, replace};
use crate::linear::secrets::LinearSecrets;
use crate::new_folder::NewFolder;
use crate::secret::{SecretBytes, SecretKey};

/// The file in a device's folder, the first where there are several.
pub const LINEAR_FILE: &str = "linear.key";

/// The name of a part.
fn name(part: u8) -> String {
    match part {
        1 => LINEAR_FILE.to_owned(),
        part => format!("linear-{part}.key"),
    }
}

impl LinearSecrets {
    /// The secrets in a device's folder, in the order of their parts: none, those of one owner, or one of each holder who
    /// answers. A tag that lacked the pads of one holder would tell the others something, so all are there or none is taken.
    ///
    /// Errors: a file that others may read, or that is not one of these; [`KeysError::Damaged`]; [`KeysError::OtherKey`];
    /// [`KeysError::LinearParts`] if a part is missing, or of another device or period.
    pub fn open(folder: &Path, key_id: KeyId) -> Result<Vec<Self>> {
        let numbers = 1..=limit::HOLDERS as u8;
        let paths = numbers.map(|part| folder.join(name(part)));
        let mut found: Vec<(PathBuf, u64, Self)> = Vec::new();
        for path in paths.filter(|path| path.symlink_metadata().is_ok()) {
            let (device, secrets) = Self::read(&path, key_id)?;
            found.push((path, device, secrets));
        }
        let Some((_, device, first)) = found.first() else {
            return Ok(Vec::new());
        };
        let (parts, kind) = (first.parts, (*device, first.period));
        for part in 1..=parts.max(found.len() as u8) {
            let fits = found
                .get(usize::from(part) - 1)
                .is_some_and(|(_, device, one)| {
                    (one.part, one.parts, (*device, one.period)) == (part, parts, kind)
                });
            if !fits {
                let path = folder.join(name(part));
                return Err(KeysError::LinearParts { path, parts });
            }
        }
        Ok(found.into_iter().map(|(_, _, secrets)| secrets).collect())
    }

    /// The device and the secrets of a file.
    fn read(path: &Path, key_id: KeyId) -> Result<(u64, Self)> {
        let bytes = read_secret(path)?;
        let file = LinearKeyFile::read(&bytes).map_err(KeysError::content(path))?;
        if digest_of(&file) != *file.digest {
            return Err(KeysError::Damaged(path.to_owned()));
        }
        if file.key_id != key_id {
            return Err(KeysError::other_key(path, file.key_id, key_id));
        }
        let secrets = Self {
            period: file.period,
            part: file.part,
            parts: file.parts,
            group: SecretKey::from_bytes(file.group),
            device: SecretKey::from_bytes(file.secret),
        };
        Ok((file.device, secrets))
    }

    /// Writes the secrets into a device's folder, in place of those of an earlier period.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, folder: &Path, key_id: KeyId, device: u64) -> Result<()> {
        let bytes = self.file(key_id, device);
        replace(&SystemDisk, &folder.join(name(self.part)), &bytes)
    }

    /// Writes the secrets into a new folder, in one of its own for the device.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save_into(
        &self,
        into: &NewFolder,
        folder: &str,
        key_id: KeyId,
        device: u64,
    ) -> Result<()> {
        into.folder(folder)?;
        let place = format!("{folder}/{}", name(self.part));
        into.write(&place, &self.file(key_id, device))
    }

    /// The content of the file.
    fn file(&self, key_id: KeyId, device: u64) -> SecretBytes {
        let mut file = LinearKeyFile {
            key_id,
            device,
            period: self.period,
            part: self.part,
            parts: self.parts,
            group: self.group.expose(),
            secret: self.device.expose(),
            digest: &[0; size::DIGEST],
        };
        let digest = digest_of(&file);
        file.digest = &digest;
        Zeroizing::new(file.write())
    }
}
