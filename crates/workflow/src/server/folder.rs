//! The server's side: its folder, which never holds a secret key.

use std::path::{Path, PathBuf};

use isopod_keys::{
    read_bounded, revoke, LastDevice, Replay, Revocation, Revoked, SecretKey, ServerKeys,
    EVALUATION_KEYS_FILE,
};
use isopod_wire::{
    AnySet, Authentic, Authenticator, Envelope, FrameId, KeyId, Outcome, Relation, Tag,
};

use crate::item_reader::authenticate;
use crate::{Error, Result};

/// Most bytes of evaluation keys, and of any item of the format.
const MOST_BYTES: u64 = 2 << 30;

/// A server's folder. It checks every device's frames, computes on them, and seals results for the owner.
pub struct Server {
    keys: ServerKeys,
    revoked: Revoked,
    folder: PathBuf,
}

impl Server {
    /// Opens the folder that `isopod keygen` wrote for the server. Evaluation keys stay on disk until a job needs them.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub fn open(folder: &Path) -> Result<Self> {
        let keys = ServerKeys::open(folder)?;
        Ok(Self {
            revoked: Revoked::read(folder, keys.key_id())?,
            keys,
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

    /// A receipt for the device of a frame.
    pub fn receipt(&self, frame: FrameId, outcome: Outcome) -> Vec<u8> {
        self.keys.receipt(frame, outcome)
    }

    /// The devices that were revoked when the folder was opened.
    pub fn revoked(&self) -> &Revoked {
        &self.revoked
    }

    /// Refuses a frame of a device that was revoked when the folder was opened; an answer reads the list once more as its frames
    /// are entered. Of frames in a row the last one decides for all.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub fn check_device(&self, frame: FrameId) -> Result<()> {
        Ok(self.revoked.check(frame)?)
    }

    /// Revokes devices, all or none, durably and at once; frames up to the newest that entered an answer stay valid by choice.
    ///
    /// # Errors
    /// [`Error::Keys`], and then nothing changed.
    pub fn revoke(&self, devices: &[u64], keep_earlier: bool) -> Result<Vec<Revocation>> {
        Ok(revoke(&self.folder, self.key_id(), devices, keep_earlier)?)
    }

    /// The refusal of an item of another key pair.
    pub(crate) fn other_key(&self, item: &'static str, found: KeyId) -> Error {
        let wanted = self.key_id();
        Error::OtherKey {
            item,
            found,
            wanted,
        }
    }

    /// The keys for many tags in one thread.
    pub(crate) fn remembering(&self) -> LastDevice<'_> {
        self.keys.remembering()
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
            .map_err(Error::from)
            .and_then(|envelope| authenticate(envelope, self, self.key_id()))
            .and_then(|item| parse(&item));
        parsed.map_err(|error| error.at(path.display()))
    }

    /// Refuses evaluation keys of another key pair.
    pub(crate) fn check_pair(&self, key_id: KeyId, set: AnySet) -> Result<()> {
        if (key_id, set) == (self.key_id(), self.set()) {
            return Ok(());
        }
        Err(self.other_key("file of evaluation keys", key_id))
    }
}

impl Authenticator for Server {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        self.keys.verify(relation, nonce, message, tag)
    }
}
