//! The server's side: its folder, which never holds a secret key.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use isopod_keys::{
    read_bounded, revoke, LastDevice, Replay, Revocation, Revoked, SecretKey, ServerKeys,
    EVALUATION_KEYS_FILE,
};
use isopod_lattigo::Backend;
use isopod_packet::{PacketError, Registry, Windows};
use isopod_seal::Parameters;
use isopod_wire::codes::limit::INVITATION_BYTES;
use isopod_wire::{
    AnySet, Authentic, Authenticator, DeviceAuthenticator, DeviceItem, Envelope, FrameId,
    Invitation, KeyId, Outcome, ParameterSet, Relation, StoredPacket, Tag, WireError,
};

use crate::item_reader::authenticate;
use crate::request::job::{Job, Request};
use crate::request::several_owners::check_job;
use crate::{Error, Result};

/// The invitation that several owners agreed on, in the folders of holders and of the server.
pub const INVITATION_FILE: &str = "invitation";
/// Most bytes of evaluation keys, and of any item of the format.
const MOST_BYTES: u64 = 2 << 30;

/// A server's folder. It checks every device's frames, computes on them, and seals results for the owner.
pub struct Server {
    keys: ServerKeys,
    revoked: Revoked,
    registry: Registry,
    folder: PathBuf,
    /// The agreement of several owners, who hold the key together.
    owners: Option<Invitation>,
    /// Program that bootstraps merged frames, one job after the other.
    pub(super) backend: Option<Mutex<Backend>>,
}

/// The keys for many tags in one thread: that of the device that was asked for last, and those of contexts.
pub(crate) struct DeviceTags<'a> {
    keys: LastDevice<'a>,
    server: &'a Server,
}

impl Server {
    /// Opens the folder that `isopod keygen` wrote for the server. Evaluation keys stay on disk until a job needs them.
    ///
    /// # Errors
    /// [`Error::Keys`]; [`Error::Packet`] for contexts that cannot be read.
    pub fn open(folder: &Path) -> Result<Self> {
        let keys = ServerKeys::open(folder)?;
        Ok(Self {
            revoked: Revoked::read(folder, keys.key_id())?,
            registry: Registry::open(isopod_disk::system(), folder, &keys)?,
            keys,
            owners: read_invitation(&folder.join(INVITATION_FILE))?,
            folder: folder.to_owned(),
            backend: None,
        })
    }

    /// Checks all of a request that needs no frames, under the set and for the owners of the key.
    ///
    /// # Errors
    /// Those of [`Request::check`] and [`Server::check_owners`].
    pub fn check_request(&self, request: &Request) -> Result<()> {
        request.check(self.set())?;
        self.check_owners(&request.job)
    }

    /// Refuses a job whose result several owners do not open, where several hold the key.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub(crate) fn check_owners(&self, job: &Job) -> Result<()> {
        match &self.owners {
            Some(invitation) => check_job(invitation, job),
            None => Ok(()),
        }
    }

    /// The numbers of the set, and of the owners of the key.
    pub(crate) fn parameters(&self, set: &ParameterSet) -> Parameters {
        let owners = self
            .owners
            .as_ref()
            .map_or(1, |invitation| invitation.holders.len());
        Parameters {
            owners: owners as u32,
            ..set.into()
        }
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

    /// The name that a context announces, and its number.
    ///
    /// # Errors
    /// [`Error::Packet`] for one that cannot be registered.
    pub fn check_context(&self, item: &[u8]) -> Result<(FrameId, u8)> {
        let context = self.registry.contexts().check(&self.keys, item)?;
        Ok((context.announced(), context.number()))
    }

    /// Whether a context is authentic, whatever is registered.
    pub fn accepts_context(&self, item: &[u8]) -> bool {
        let checked = self.registry.contexts().check(&self.keys, item);
        !matches!(checked, Err(PacketError::Wire(_) | PacketError::OtherKey))
    }

    /// Registers the context of a device's packets, durably, or learns from the announcement of a known one where the device is.
    /// The caller refuses revoked devices.
    ///
    /// # Errors
    /// [`Error::Packet`], and then nothing changed.
    pub fn register_context(&self, item: &[u8]) -> Result<()> {
        self.registry.register(&self.keys, item)?;
        Ok(())
    }

    /// Where a device is by its announcements.
    pub fn announced(&self, device: u64) -> Windows {
        self.registry.contexts().announced(device)
    }

    /// The item of a packet as it is stored, with its whole name in these windows.
    ///
    /// # Errors
    /// [`Error::Packet`].
    pub fn name_packet(&self, device: u64, packet: &[u8], windows: Windows) -> Result<Vec<u8>> {
        let name = self.registry.contexts().name(device, packet, windows)?;
        let key_id = self.key_id();
        let stored = StoredPacket {
            key_id,
            name,
            packet,
        };
        Ok(stored.encode())
    }

    /// Bytes of the file of contexts that are damaged.
    pub fn damaged_contexts(&self) -> u64 {
        self.registry.damaged()
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
    pub(crate) fn remembering(&self) -> DeviceTags<'_> {
        DeviceTags {
            keys: self.keys.remembering(),
            server: self,
        }
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

/// The invitation in a server's folder, if several owners hold the key.
fn read_invitation(path: &Path) -> Result<Option<Invitation>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let bytes = read_bounded(path, INVITATION_BYTES as u64)?;
    let invitation = Invitation::read(&bytes).map_err(Error::from);
    invitation
        .map(Some)
        .map_err(|error| error.at(path.display()))
}

impl Authenticator for Server {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        self.keys.verify(relation, nonce, message, tag)
    }
}

impl DeviceAuthenticator for Server {
    fn open_packet<'a>(
        &self,
        name: FrameId,
        packet: &'a [u8],
    ) -> isopod_wire::Result<DeviceItem<'a>> {
        let opened = self.registry.contexts().open(name, packet);
        match opened {
            // Another process may have registered it. A file that cannot be read has no more contexts for now.
            Err(WireError::UnknownContext { .. })
                if self.registry.refresh(&self.keys).unwrap_or(false) =>
            {
                self.registry.contexts().open(name, packet)
            }
            opened => opened,
        }
    }
}

impl Authenticator for DeviceTags<'_> {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        self.keys.verify(relation, nonce, message, tag)
    }
}

impl DeviceAuthenticator for DeviceTags<'_> {
    fn open_packet<'a>(
        &self,
        name: FrameId,
        packet: &'a [u8],
    ) -> isopod_wire::Result<DeviceItem<'a>> {
        self.server.open_packet(name, packet)
    }
}
