//! A device's folder: its frame key, also as a C header for its firmware, and by choice the secret key.

use std::path::Path;

use isopod_wire::codes::size;
use isopod_wire::{Authenticator, DeviceKeyFile, Digested as _, KeyId, Receipt, Relation, Tag};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::files::{digest_of, read_secret};
use crate::firmware::c_header::{c_header, DeviceSecret};
use crate::new_folder::NewFolder;
use crate::secret::{SecretBytes, SecretKey};

/// The device's key file.
const FRAME_FILE: &str = "frame.key";
/// The secret key's blob, for a device that encrypts with it.
const SECRET_FILE: &str = "secret.key";
/// Its compact form, not transformed, which packets need.
const COMPACT_FILE: &str = "compact.key";
/// The key of a device's pads.
const PAD_FILE: &str = "pad.key";
/// Frame key and secret key as C arrays.
const HEADER_FILE: &str = "isopod_keys.h";

/// The key with which a device authenticates its frames. Not Debug, not Clone.
pub struct DeviceKeys {
    key_id: KeyId,
    device: u64,
    key: SecretKey,
}

impl DeviceKeys {
    pub(crate) fn new(key_id: KeyId, device: u64, key: SecretKey) -> Self {
        Self {
            key_id,
            device,
            key,
        }
    }

    /// Opens a device's folder.
    ///
    /// Errors: a file that others may read, or that is not a device's key file; [`KeysError::Damaged`].
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FRAME_FILE);
        let bytes = read_secret(&path)?;
        let file = DeviceKeyFile::read(&bytes).map_err(KeysError::content(&path))?;
        if digest_of(&file) != *file.digest {
            return Err(KeysError::Damaged(path));
        }
        let key = SecretKey::from_bytes(file.key);
        Ok(Self::new(file.key_id, file.device, key))
    }

    /// Name of the key pair of a device's folder; None for a folder without a device's key file, such as that of a public key.
    ///
    /// Errors: those of [`DeviceKeys::open`].
    pub fn key_id_in(folder: &Path) -> Result<Option<KeyId>> {
        if folder.join(FRAME_FILE).symlink_metadata().is_err() {
            return Ok(None);
        }
        Ok(Some(Self::open(folder)?.key_id))
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

    /// The secret key's blob before any transform in a device's folder, unverified; for packets.
    ///
    /// Errors: those of [`DeviceKeys::secret_blob`].
    pub fn compact_blob(folder: &Path) -> Result<SecretBytes> {
        let path = folder.join(COMPACT_FILE);
        match path.symlink_metadata() {
            Ok(_) => read_secret(&path),
            Err(_) => Self::secret_blob(folder),
        }
    }

    /// The key of the device's pads, if its folder has one: its identity is not verified, and its packets are refused if it is
    /// another device's.
    ///
    /// Errors: [`KeysError::File`], or a file that others may read; [`KeysError::Damaged`] for one of another length.
    pub fn pad_key(folder: &Path) -> Result<Option<SecretKey>> {
        let path = folder.join(PAD_FILE);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let bytes = read_secret(&path)?;
        let key: &[u8; size::PAD_KEY] = match bytes[..].try_into() {
            Ok(key) => key,
            Err(_) => return Err(KeysError::Damaged(path)),
        };
        Ok(Some(SecretKey::from_bytes(key)))
    }

    /// Writes key file and C header into `folder` of a new folder. `secret` is the secret key, only by choice.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(
        &self,
        into: &NewFolder,
        folder: &str,
        secret: Option<DeviceSecret<'_>>,
    ) -> Result<()> {
        let place = |name: &str| format!("{folder}/{name}");
        let mut file = DeviceKeyFile {
            key_id: self.key_id,
            device: self.device,
            key: self.key.expose(),
            digest: &[0; size::DIGEST],
        };
        let digest = digest_of(&file);
        file.digest = &digest;
        into.write(&place(FRAME_FILE), &Zeroizing::new(file.write()))?;
        for (form, bytes) in secret.into_iter().flat_map(DeviceSecret::forms) {
            into.write(&place(&format!("{form}.key")), bytes)?;
        }
        let header = Zeroizing::new(c_header(self.device, &self.key, secret));
        into.write(&place(HEADER_FILE), header.as_bytes())
    }

    /// Name of the key pair whose public key the device encrypts with.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Device number.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Reads a receipt for this device.
    ///
    /// Errors: those of [`Receipt::open`].
    pub fn open_receipt(&self, bytes: &[u8]) -> isopod_wire::Result<Receipt> {
        self.key.open_receipt(self.device, bytes)
    }

    /// Frame key.
    pub fn key(&self) -> &SecretKey {
        &self.key
    }
}

impl Authenticator for DeviceKeys {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Device(self.device) && self.key.verify(nonce, message, tag)
    }
}
