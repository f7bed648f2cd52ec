//! A device's folder.

use std::path::Path;

use isopod_wire::{Authenticator, DeviceKeyFile, Relation, Tag};
use zeroize::Zeroizing;

use crate::files::{read_secret, NewFolder, SecretBytes};
use crate::{KeysError, Result, SecretKey};

/// The device's key file.
const FRAME_FILE: &str = "frame.key";
/// The public key's blob.
const PUBLIC_FILE: &str = "public.key";
/// The secret key's blob, for a device that encrypts with it.
const SECRET_FILE: &str = "secret.key";
/// All of them as C arrays.
const HEADER_FILE: &str = "isopod_keys.h";

/// The keys that a device encrypts with, as blobs.
pub struct DeviceBlobs<'a> {
    /// The public key.
    pub public: &'a [u8],
    /// The secret key, only by explicit choice: whoever opens the device then reads all that was encrypted.
    pub secret: Option<&'a [u8]>,
}

/// What a device authenticates its frames with. Not Debug, not Clone.
pub struct DeviceKeys {
    device: u64,
    key: SecretKey,
}

impl DeviceKeys {
    pub(crate) fn new(device: u64, key: SecretKey) -> Self {
        Self { device, key }
    }

    /// Opens a device's folder.
    ///
    /// Errors: a file that others may read, or that is not a device's key file.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FRAME_FILE);
        let bytes = read_secret(&path)?;
        let file = DeviceKeyFile::read(&bytes).map_err(KeysError::content(&path))?;
        Ok(Self::new(file.device, SecretKey::from_bytes(file.key)))
    }

    /// The public key's blob in a device's folder, unverified.
    ///
    /// Errors: [`KeysError::File`].
    pub fn public_blob(folder: &Path) -> Result<Vec<u8>> {
        let path = folder.join(PUBLIC_FILE);
        std::fs::read(&path).map_err(KeysError::file(&path))
    }

    /// The secret key's blob in a device's folder, unverified; only there by choice.
    ///
    /// Errors: [`KeysError::File`], or a file that others may read.
    pub fn secret_blob(folder: &Path) -> Result<SecretBytes> {
        read_secret(&folder.join(SECRET_FILE))
    }

    /// Writes key file, key blobs and C header into `folder` of a new folder.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, into: &NewFolder, folder: &str, blobs: &DeviceBlobs<'_>) -> Result<()> {
        let file = DeviceKeyFile {
            device: self.device,
            key: self.key.expose(),
        };
        into.write(
            &format!("{folder}/{FRAME_FILE}"),
            &Zeroizing::new(file.write()),
        )?;
        into.write(&format!("{folder}/{PUBLIC_FILE}"), blobs.public)?;
        if let Some(secret) = blobs.secret {
            into.write(&format!("{folder}/{SECRET_FILE}"), secret)?;
        }
        let header = Zeroizing::new(crate::c_header(self, blobs));
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
