//! A device's folder: its frame key, its key blobs, and both as a C header for its firmware.

use std::path::Path;

use isopod_wire::codes::size;
use isopod_wire::{Authenticator, DeviceKeyFile, Relation, Tag};
use sha3::{Digest, Sha3_256};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::files::{read_bounded, read_secret, NewFolder, SecretBytes, MOST_SECRET_BYTES};
use crate::header::{c_header, DeviceBlobs};
use crate::secret::SecretKey;

/// The device's key file.
const FRAME_FILE: &str = "frame.key";
/// The public key's blob.
const PUBLIC_FILE: &str = "public.key";
/// The secret key's blob, for a device that encrypts with it.
const SECRET_FILE: &str = "secret.key";
/// Frame key and blobs as C arrays.
const HEADER_FILE: &str = "isopod_keys.h";

/// The key with which a device authenticates its frames. Not Debug, not Clone.
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
    /// Errors: a file that others may read, or that is not a device's key file; [`KeysError::Damaged`].
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FRAME_FILE);
        let bytes = read_secret(&path)?;
        let file = DeviceKeyFile::read(&bytes).map_err(KeysError::content(&path))?;
        if digest(&file) != *file.digest {
            return Err(KeysError::Damaged(path));
        }
        Ok(Self::new(file.device, SecretKey::from_bytes(file.key)))
    }

    /// The public key's blob in a device's folder, unverified.
    ///
    /// Errors: [`KeysError::File`].
    pub fn public_blob(folder: &Path) -> Result<Vec<u8>> {
        let path = folder.join(PUBLIC_FILE);
        Ok(std::mem::take(&mut *read_bounded(
            &path,
            MOST_SECRET_BYTES,
        )?))
    }

    /// Whether the folder holds a secret key.
    pub fn has_secret_key(folder: &Path) -> bool {
        folder.join(SECRET_FILE).symlink_metadata().is_ok()
    }

    /// The secret key's blob in a device's folder, unverified; present only by choice.
    ///
    /// Errors: [`KeysError::File`], or a file that others may read.
    pub fn secret_blob(folder: &Path) -> Result<SecretBytes> {
        read_secret(&folder.join(SECRET_FILE))
    }

    /// Writes key file, key blobs and C header into `folder` of a new folder.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, into: &NewFolder, folder: &str, blobs: &DeviceBlobs<'_>) -> Result<()> {
        let mut file = DeviceKeyFile {
            device: self.device,
            key: self.key.expose(),
            digest: &[0; size::DIGEST],
        };
        let digest = digest(&file);
        file.digest = &digest;
        into.write(
            &format!("{folder}/{FRAME_FILE}"),
            &Zeroizing::new(file.write()),
        )?;
        into.write(&format!("{folder}/{PUBLIC_FILE}"), blobs.public)?;
        if let Some(secret) = blobs.secret {
            into.write(&format!("{folder}/{SECRET_FILE}"), secret)?;
        }
        let header = Zeroizing::new(c_header(self.device, &self.key, blobs));
        into.write(&format!("{folder}/{HEADER_FILE}"), header.as_bytes())
    }

    /// Device number.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Frame key.
    pub fn key(&self) -> &SecretKey {
        &self.key
    }
}

/// The digest that a key file ends in.
fn digest(file: &DeviceKeyFile<'_>) -> [u8; size::DIGEST] {
    Sha3_256::digest(&*Zeroizing::new(file.hashed())).into()
}

impl Authenticator for DeviceKeys {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Device(self.device) && self.key.verify(nonce, message, tag)
    }
}
