//! The count of published results, kept in the owner's key file, and never behind that of its machine.

use std::path::Path;

use isopod_disk::SystemDisk;
use isopod_wire::Sharing;

use crate::error::{KeysError, Result};
use crate::files::lock;
use crate::folder::owner::{OpenedOwner, OwnerKeys};
use crate::protection::passphrase::Passphrase;
use crate::state::anchor::Anchor;

/// The owner's keys, opened and locked for publishing decryptions, so that nobody else counts under them meanwhile.
pub struct SharingLedger {
    opened: OpenedOwner,
    anchor: Anchor,
    _lock: Box<dyn Send + Sync>,
}

impl SharingLedger {
    /// Opens the owner's folder as [`OwnerKeys::open`] does, and locks it. `anchors` is a folder outside of it, of this machine
    /// and user, that keeps the count too.
    ///
    /// Errors: those of [`OwnerKeys::open`]; [`KeysError::File`] if a folder cannot be locked; [`KeysError::Behind`] for an old
    /// copy of the folder; [`KeysError::Record`].
    pub fn open<E>(
        folder: &Path,
        anchors: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E>
    where
        E: From<KeysError>,
    {
        let _lock = lock(&SystemDisk, folder)?;
        let opened = OwnerKeys::open_protected(folder, passphrase)?;
        let anchor = Anchor::open(anchors, opened.keys.key_id())?;
        let (found, least) = (opened.keys.sharing().used, anchor.used()?);
        if found < least {
            let path = opened.file.path;
            return Err(KeysError::Behind { path, found, least }.into());
        }
        Ok(Self {
            opened,
            anchor,
            _lock,
        })
    }

    /// The keys.
    pub fn keys(&self) -> &OwnerKeys {
        &self.opened.keys
    }

    /// The declaration in force, the key's own or otherwise `declared`, with `results` more counted.
    ///
    /// Errors: [`KeysError::OtherDeclaration`]; [`KeysError::SharesUsedUp`] if `results` more are too many.
    pub fn check(&self, declared: Sharing, results: u64) -> Result<Sharing> {
        let held = self.opened.keys.sharing();
        let sharing = if held.queries == 0 { declared } else { held };
        same(
            "statistical_bits",
            declared.statistical_bits.into(),
            sharing.statistical_bits.into(),
        )?;
        same("queries", declared.queries, sharing.queries)?;
        let (declared, used) = (sharing.queries, sharing.used);
        match used.checked_add(results).filter(|&total| total <= declared) {
            Some(used) => Ok(Sharing { used, ..sharing }),
            None => Err(KeysError::SharesUsedUp {
                declared,
                used,
                wanted: results,
            }),
        }
    }

    /// Counts `results`, durably: when this returns they may be published.
    ///
    /// Errors: those of [`SharingLedger::check`]; [`KeysError::File`], [`KeysError::Encrypt`], and then none may be published.
    pub fn charge(&mut self, declared: Sharing, results: u64) -> Result<()> {
        let sharing = self.check(declared, results)?;
        self.opened.keys.set_sharing(sharing);
        // The folder first: a crash in between leaves it ahead of the anchor, and never behind.
        self.opened.file.replace(self.opened.keys.file())?;
        self.anchor.raise(sharing.used)
    }
}

fn same(field: &'static str, found: u64, declared: u64) -> Result<()> {
    if found == declared {
        return Ok(());
    }
    Err(KeysError::OtherDeclaration {
        field,
        found,
        declared,
    })
}
