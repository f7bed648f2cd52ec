//! A device's folder.

use std::path::Path;

use isopod_wire::{Authenticator, DeviceKeyFile, Relation, Tag};
use zeroize::Zeroizing;

use crate::files::{read_secret, NewFolder};
use crate::{KeysError, Result, SecretKey};

/// The device's key file.
const FRAME_FILE: &str = "frame.key";
/// The public key's blob.
const PUBLIC_FILE: &str = "public.key";
/// Both as C arrays.
const HEADER_FILE: &str = "isopod_keys.h";

/// What a device authenticates its frames with. Not Debug, not Clone.
pub struct DeviceKeys {
    device: u64,
    key: SecretKey,
}

impl DeviceKeys {
    pub(crate) fn new(device: u64, key: SecretKey) -> Self {
        Self { device, key }
    }

    /// Opens a device's folder and returns the public key's blob, unverified, beside the key.
    ///
    /// Errors: a file that others may read, or that is not a device's key file.
    pub fn open(folder: &Path) -> Result<(Self, Vec<u8>)> {
        let path = folder.join(FRAME_FILE);
        let bytes = read_secret(&path)?;
        let file = DeviceKeyFile::read(&bytes).map_err(KeysError::content(&path))?;
        let keys = Self::new(file.device, SecretKey::from_bytes(file.key));
        let path = folder.join(PUBLIC_FILE);
        let blob = std::fs::read(&path).map_err(KeysError::file(&path))?;
        Ok((keys, blob))
    }

    /// Writes key file, public key and C header into `folder` of a new folder.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, into: &NewFolder, folder: &str, public_blob: &[u8]) -> Result<()> {
        let file = DeviceKeyFile {
            device: self.device,
            key: self.key.expose(),
        };
        into.write(
            &format!("{folder}/{FRAME_FILE}"),
            &Zeroizing::new(file.write()),
        )?;
        into.write(&format!("{folder}/{PUBLIC_FILE}"), public_blob)?;
        let header = Zeroizing::new(crate::c_header(self, public_blob));
        into.write(&format!("{folder}/{HEADER_FILE}"), header.as_bytes())
    }

    /// Which device.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Its key.
    pub fn key(&self) -> &SecretKey {
        &self.key
    }
}

impl Authenticator for DeviceKeys {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Device(self.device) && self.key.verify(nonce, message, tag)
    }
}
