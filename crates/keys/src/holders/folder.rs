//! The folder of a holder: its key file, locked, and the count of contributions, kept once more outside of the folder.

use std::path::{Path, PathBuf};

use isopod_disk::{parent, SystemDisk};
use isopod_wire::codes::kind;
use isopod_wire::kind_of_owners;

use crate::error::{KeysError, Result};
use crate::files::{lock, replace};
use crate::fleet::{Register, REGISTER_FILE};
use crate::folder::public::PUBLIC_FILE;
use crate::holders::keys::{HolderDraft, HolderKeys};
use crate::holders::place::HolderPlace;
use crate::holders::tags::HolderTags;
use crate::linear::account::LinearAccount;
use crate::new_folder::NewFolder;
use crate::protection::file::{self, ProtectedFile, Protection};
use crate::protection::passphrase::Passphrase;
use crate::secret::SecretBytes;
use crate::state::anchor::Anchor;

/// The holder's key file, with the ending `.age` under a passphrase.
pub const HOLDER_FILE: &str = "holder.key";

/// A holder's folder, opened and locked.
pub struct HolderFolder {
    file: ProtectedFile,
    bytes: SecretBytes,
    _lock: Box<dyn Send + Sync>,
}

impl HolderFolder {
    /// Writes the key file of a holder who begins or joins a ceremony into a new folder.
    ///
    /// Errors: [`KeysError::File`], [`KeysError::Encrypt`].
    pub fn save(into: &NewFolder, draft: &HolderDraft, protection: &Protection) -> Result<()> {
        file::save(into, ("", HOLDER_FILE), draft.file(), protection)
    }

    /// Whether a folder is a holder's.
    pub fn is_at(folder: &Path) -> bool {
        ProtectedFile::is_at(folder, HOLDER_FILE)
    }

    /// Opens a holder's folder, and keeps others from using it meanwhile; `passphrase` is called only if the file is encrypted.
    ///
    /// Errors: [`KeysError::NoHolderKey`]; a file that others may read, or that does not open; what `passphrase` returns.
    pub fn open<E: From<KeysError>>(
        folder: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E> {
        let missing = || KeysError::NoHolderKey(folder.to_owned());
        if !folder.is_dir() {
            return Err(missing().into());
        }
        let _lock = lock(&SystemDisk, folder)?;
        let opened = ProtectedFile::open(folder, HOLDER_FILE, passphrase)?;
        let (file, bytes) = opened.ok_or_else(missing)?;
        Ok(Self { file, bytes, _lock })
    }

    /// The holder's keys; None before the ceremony ended.
    ///
    /// Errors: [`KeysError::Content`], [`KeysError::Identity`].
    pub fn keys(&self) -> Result<Option<HolderKeys>> {
        let kind = kind_of_owners(&self.bytes).map_err(KeysError::content(&self.file.path))?;
        match kind {
            kind::HOLDER_DRAFT => Ok(None),
            _ => HolderKeys::parse(&self.file.path, &self.bytes).map(Some),
        }
    }

    /// The holder's draft, before the ceremony ends.
    ///
    /// Errors: [`KeysError::Content`], [`KeysError::Identity`].
    pub fn draft(&self) -> Result<HolderDraft> {
        HolderDraft::parse(&self.file.path, &self.bytes)
    }

    /// Ends the ceremony: public key and register of devices appear, and the keys take the place of what was drawn for them.
    ///
    /// Errors: [`KeysError::File`], [`KeysError::Encrypt`]; then the draft is there still.
    pub fn finish(&mut self, keys: &HolderKeys, public_blob: &[u8]) -> Result<()> {
        self.write(PUBLIC_FILE, public_blob)?;
        self.write(REGISTER_FILE, &Register::new(keys.key_id).file())?;
        self.file.replace(keys.file())
    }

    /// Whose answers are verified; None before devices get keys of linear tags.
    ///
    /// Errors: [`KeysError::Record`] for a file that is damaged or another key's; [`KeysError::File`].
    pub fn tags(&self, keys: &HolderKeys) -> Result<Option<HolderTags>> {
        HolderTags::read(parent(&self.file.path), keys.key_id)
    }

    /// Keeps whose answers are verified, durably.
    ///
    /// Errors: [`KeysError::File`].
    pub fn keep_tags(&self, keys: &HolderKeys, tags: &HolderTags) -> Result<()> {
        tags.keep(parent(&self.file.path), keys.key_id)
    }

    /// The account of linear tags in the folder, to be used no longer than this.
    ///
    /// Errors: those of [`LinearAccount::open`].
    pub fn linear_account(&self, keys: &HolderKeys) -> Result<LinearAccount> {
        LinearAccount::open_locked(parent(&self.file.path), keys.key_id)
    }

    fn place(&self, name: &str) -> PathBuf {
        self.file.path.with_file_name(name)
    }

    /// Contributions that were counted outside of the folder, under this number of this key.
    ///
    /// Errors: [`KeysError::File`], [`KeysError::Record`].
    pub fn counted(&self, keys: &HolderKeys, anchors: &Path) -> Result<u64> {
        let folder = anchors.join(format!("holder-{}", keys.holder));
        Anchor::open(&folder, keys.key_id)?.used()
    }

    /// Counts contributions, durably: when this returns they may be given away. `anchors` is a folder outside of this one, of
    /// this machine and user, that keeps the count too.
    ///
    /// Errors: [`KeysError::Behind`] for an old copy of the folder; [`KeysError::SharesUsedUp`]; [`KeysError::File`],
    /// [`KeysError::Record`], [`KeysError::Encrypt`], and then none may be given away.
    pub fn charge(&self, keys: &mut HolderKeys, anchors: &Path, contributions: u64) -> Result<()> {
        let folder = anchors.join(format!("holder-{}", keys.holder));
        let anchor = Anchor::open(&folder, keys.key_id)?;
        keys.charge(&self.file.path, anchor.used()?, contributions)?;
        // The folder first: a crash in between leaves it ahead of the anchor, and never behind.
        self.file.replace(keys.file())?;
        anchor.raise(keys.used)
    }
}

impl HolderPlace for HolderFolder {
    fn keep(&mut self, keys: &HolderKeys) -> Result<()> {
        self.file.replace(keys.file())
    }

    fn has(&self, name: &str) -> bool {
        self.place(name).symlink_metadata().is_ok()
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        replace(&SystemDisk, &self.place(name), bytes)
    }
}
