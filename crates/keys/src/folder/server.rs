//! The server's folder: keys that check every device and seal results, but cannot read them.

use std::cell::RefCell;
use std::path::Path;

use isopod_wire::{
    AnySet, Authenticator, FrameId, KeyId, Outcome, Receipt, Relation, ServerKeyFile, Tag,
};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::files::read_secret;
use crate::fleet::Revoked;
use crate::new_folder::NewFolder;
use crate::replay::Replay;
use crate::secret::SecretKey;

/// The server's key file.
pub const SERVER_FILE: &str = "server.key";
/// The evaluation keys in the same folder, if the set has key switching.
pub const EVALUATION_KEYS_FILE: &str = "evaluation.keys";

/// Secrets that the server holds. Not Debug, not Clone.
pub struct ServerKeys {
    params: AnySet,
    key_id: KeyId,
    link: SecretKey,
    device_master: SecretKey,
}

impl ServerKeys {
    pub(crate) fn from_secrets(
        params: AnySet,
        key_id: KeyId,
        link: SecretKey,
        device_master: SecretKey,
    ) -> Self {
        Self {
            params,
            key_id,
            link,
            device_master,
        }
    }

    /// Opens the server's folder.
    ///
    /// Errors: a file that others may read, or that is not a server's key file.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(SERVER_FILE);
        let bytes = read_secret(&path)?;
        let file = ServerKeyFile::read(&bytes).map_err(KeysError::content(&path))?;
        let (link, device_master) = (
            SecretKey::from_bytes(file.link),
            SecretKey::from_bytes(file.device_master),
        );
        Ok(Self::from_secrets(
            file.params,
            file.key_id,
            link,
            device_master,
        ))
    }

    /// Writes the key file, an empty memory of frames and an empty list of revoked devices into `folder` of a new folder.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, into: &NewFolder, folder: &str) -> Result<()> {
        let (params, key_id) = (self.params, self.key_id);
        let (link, device_master) = (self.link.expose(), self.device_master.expose());
        let bytes = Zeroizing::new(
            ServerKeyFile {
                params,
                key_id,
                link,
                device_master,
            }
            .write(),
        );
        into.write(&format!("{folder}/{SERVER_FILE}"), &bytes)?;
        Revoked::save(into, folder, key_id)?;
        Replay::save(into, folder, key_id)
    }

    /// Parameter set of the key pair.
    pub fn params(&self) -> AnySet {
        self.params
    }

    /// Name of the key pair.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The key of one device.
    pub fn device_key(&self, device: u64) -> SecretKey {
        self.device_master.device_key(device)
    }

    /// A receipt for the device of the frame.
    pub fn receipt(&self, frame: FrameId, outcome: Outcome) -> Vec<u8> {
        let key_id = self.key_id;
        let receipt = Receipt {
            key_id,
            frame,
            outcome,
        };
        self.device_key(frame.device).receipt(&receipt)
    }

    /// The key shared with the owner; seals results.
    pub fn link(&self) -> &SecretKey {
        &self.link
    }
}

/// The server's keys, with the key of the device whose tag was verified last: the parts of a frame follow each other.
pub struct LastDevice<'a> {
    keys: &'a ServerKeys,
    last: RefCell<Option<(u64, SecretKey)>>,
}

impl ServerKeys {
    /// The keys for many tags in one thread.
    pub fn remembering(&self) -> LastDevice<'_> {
        LastDevice {
            keys: self,
            last: RefCell::new(None),
        }
    }
}

impl Authenticator for LastDevice<'_> {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        let Relation::Device(device) = relation else {
            return self.keys.verify(relation, nonce, message, tag);
        };
        let mut last = self.last.borrow_mut();
        let key = match last.take() {
            Some((of, key)) if of == device => key,
            _ => self.keys.device_master.device_key(device),
        };
        let verified = key.verify(nonce, message, tag);
        *last = Some((device, key));
        verified
    }
}

impl Authenticator for ServerKeys {
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
