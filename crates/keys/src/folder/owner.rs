//! The owner's folder, the only place where results can be read.

use std::path::Path;

use isopod_wire::{AnySet, Authenticator, KeyBlob, KeyId, OwnerKeyFile, Relation, Sharing, Tag};
use zeroize::Zeroizing;

use crate::blob::verify_secret;
use crate::error::{KeysError, Result};
use crate::folder::device::DeviceKeys;
use crate::folder::server::ServerKeys;
use crate::linear::secrets::LinearMaster;
use crate::new_folder::NewFolder;
use crate::pad_master::PadMaster;
use crate::protection::file::{self, ProtectedFile, Protection};
use crate::protection::passphrase::Passphrase;
use crate::secret::SecretBytes;
use crate::secret::SecretKey;

/// The owner's key file under a passphrase.
pub const OWNER_FILE_ENCRYPTED: &str = "owner.key.age";
/// The owner's key file in the clear.
pub const OWNER_FILE: &str = "owner.key";

/// Keys of the owner. Not Debug, not Clone.
pub struct OwnerKeys {
    params: AnySet,
    key_id: KeyId,
    blob: SecretBytes,
    link: SecretKey,
    device_master: SecretKey,
    sharing: Sharing,
}

impl OwnerKeys {
    /// Adds a fresh link key and device master to a secret-key blob: kind 3 of CKKS and BFV, kind 19 of TFHE, or a pad master.
    ///
    /// Errors: a blob that does not verify, or [`KeysError::Entropy`].
    pub fn new(blob: SecretBytes) -> Result<Self> {
        let (params, key_id) = check_blob(&blob, Path::new("secret key"))?;
        Ok(Self {
            params,
            key_id,
            blob,
            link: SecretKey::random()?,
            device_master: SecretKey::random()?,
            sharing: Sharing::default(),
        })
    }

    /// Opens the owner's folder; `passphrase` is called only if the file is encrypted.
    ///
    /// Errors: a file that others may read, that does not open, or that is not an owner's key file.
    pub fn open<E>(
        folder: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E>
    where
        E: From<KeysError>,
    {
        let opened = Self::open_protected(folder, passphrase)?;
        Ok(opened.keys)
    }

    /// Opens the owner's folder like [`OwnerKeys::open`] and keeps all that is needed to write the file again.
    pub(crate) fn open_protected<E>(
        folder: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<OpenedOwner, E>
    where
        E: From<KeysError>,
    {
        let missing = || KeysError::NoOwnerKey(folder.to_owned());
        let opened = ProtectedFile::open(folder, OWNER_FILE, passphrase)?;
        let (file, bytes) = opened.ok_or_else(missing)?;
        let keys = Self::parse(&file.path, &bytes)?;
        Ok(OpenedOwner { keys, file })
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let file = OwnerKeyFile::read(bytes).map_err(KeysError::content(path))?;
        let (params, key_id) = check_blob(file.blob, path)?;
        if (params, key_id) != (file.params, file.key_id) {
            return Err(KeysError::other_key(path, key_id, file.key_id));
        }
        Ok(Self {
            params,
            key_id,
            blob: Zeroizing::new(file.blob.to_vec()),
            link: SecretKey::from_bytes(file.link),
            device_master: SecretKey::from_bytes(file.device_master),
            sharing: file.sharing,
        })
    }

    /// Writes the key file into `folder` of a new folder.
    ///
    /// Errors: [`KeysError::File`], [`KeysError::Encrypt`].
    pub fn save(&self, into: &NewFolder, folder: &str, protection: &Protection) -> Result<()> {
        file::save(into, (folder, OWNER_FILE), self.file(), protection)
    }

    /// The bytes of the key file, not protected.
    pub(crate) fn file(&self) -> SecretBytes {
        let file = OwnerKeyFile {
            params: self.params,
            key_id: self.key_id,
            blob: &self.blob,
            link: self.link.expose(),
            device_master: self.device_master.expose(),
            sharing: self.sharing,
        };
        Zeroizing::new(file.write())
    }

    /// The declaration for publishing decryptions, and the number published.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    pub(crate) fn set_sharing(&mut self, sharing: Sharing) {
        self.sharing = sharing;
    }

    /// Parameter set of the key pair.
    pub fn params(&self) -> AnySet {
        self.params
    }

    /// Name of the key pair.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The verified blob of the secret key.
    pub fn secret_blob(&self) -> &[u8] {
        &self.blob
    }

    /// The key shared with the server; seals evaluation keys.
    pub fn link(&self) -> &SecretKey {
        &self.link
    }

    /// The key of a device's pads; None under other sets.
    pub fn pad_key(&self, device: u64) -> Option<SecretKey> {
        let master = PadMaster::of_blob(&self.blob)?;
        Some(master.device(device))
    }

    /// The key of linear tags; None under sets of TFHE and of pads.
    pub fn linear_master(&self) -> Option<LinearMaster> {
        let blob = KeyBlob::read(&self.blob).ok()?;
        Some(LinearMaster::of_payload(blob.payload))
    }

    /// The keys that the server may hold.
    pub fn server_keys(&self) -> ServerKeys {
        let copy = |key: &SecretKey| SecretKey::from_bytes(key.expose());
        ServerKeys::from_secrets(
            self.params,
            self.key_id,
            copy(&self.link),
            copy(&self.device_master),
        )
    }

    /// The keys that one device may hold.
    pub fn device_keys(&self, device: u64) -> DeviceKeys {
        DeviceKeys::new(self.key_id, device, self.device_master.device_key(device))
    }
}

/// Opened keys, and how their file is protected.
pub(crate) struct OpenedOwner {
    pub(crate) keys: OwnerKeys,
    pub(crate) file: ProtectedFile,
}

impl Authenticator for OwnerKeys {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        match relation {
            Relation::Link => self.link.verify(nonce, message, tag),
            Relation::Device(device) => self
                .device_master
                .device_key(device)
                .verify(nonce, message, tag),
        }
    }
}

fn check_blob(bytes: &[u8], path: &Path) -> Result<(AnySet, KeyId)> {
    verify_secret(bytes).map_err(|error| match error {
        KeysError::Blob(source) => KeysError::content(path)(source),
        other => other,
    })
}
