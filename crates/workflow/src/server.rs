//! The server's side: its folder, which never holds a secret key.

use std::path::{Path, PathBuf};

use isopod_keys::{read_bounded, Replay, SecretKey, ServerKeys, EVALUATION_KEYS_FILE};
use isopod_wire::{AnySet, Authentic, Authenticator, Envelope, KeyId, Relation, Tag, WireError};

use crate::{Error, Result};

/// Most bytes of evaluation keys, and of any item of the format.
const MOST_BYTES: u64 = 2 << 30;

/// A server's folder. It checks every device's frames, computes on them, and seals results for the owner.
pub struct Server {
    keys: ServerKeys,
    folder: PathBuf,
}

impl Server {
    /// Opens the folder that `isopod keygen` wrote for the server. Evaluation keys stay on disk until a job needs them.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub fn open(folder: &Path) -> Result<Self> {
        Ok(Self {
            keys: ServerKeys::open(folder)?,
            folder: folder.to_owned(),
        })
    }

    /// Parameter set of the key pair.
    pub fn set(&self) -> AnySet {
        self.keys.params()
    }

    /// Name of the key pair.
    pub fn key_id(&self) -> KeyId {
        self.keys.key_id()
    }

    /// The memory of frames that were seen, and of the answers they entered.
    pub(crate) fn replay(&self) -> Replay {
        Replay::new(&self.folder, self.key_id())
    }

    /// The key that seals results.
    pub(crate) fn link(&self) -> &SecretKey {
        self.keys.link()
    }

    /// Path of the evaluation keys, if the set has any.
    pub(crate) fn evaluation_file(&self) -> PathBuf {
        self.folder.join(EVALUATION_KEYS_FILE)
    }

    /// Applies `parse` to the evaluation keys, authenticated by the link key.
    pub(crate) fn evaluation_keys<T>(
        &self,
        parse: impl FnOnce(&Authentic<Envelope<'_>>) -> Result<T>,
    ) -> Result<T> {
        let path = self.evaluation_file();
        let bytes = read_bounded(&path, MOST_BYTES)?;
        let parsed = Envelope::read_only(&bytes)
            .and_then(|envelope| envelope.authenticate(self))
            .map_err(Error::from)
            .and_then(|item| parse(&item));
        parsed.map_err(|error| error.at(path.display()))
    }

    /// Refuses evaluation keys of another key pair.
    pub(crate) fn check_pair(&self, key_id: KeyId, set: AnySet) -> Result<()> {
        if (key_id, set) == (self.key_id(), self.set()) {
            return Ok(());
        }
        Err(WireError::Mismatch { field: "key" }.into())
    }
}

impl Authenticator for Server {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        self.keys.verify(relation, nonce, message, tag)
    }
}
