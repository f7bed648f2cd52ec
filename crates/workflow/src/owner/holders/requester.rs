//! Who asks a server: an owner, or a holder of a key that several hold.

use std::path::Path;

use isopod_keys::{HolderFolder, KeysError, Passphrase};
use isopod_wire::{AnySet, Invitation, KeyId};

use crate::owner::holders::fleet::finished;
use crate::request::several_owners::check_job;
use crate::{Error, Owner, Request, Result};

/// The part of the folder of an owner or a holder that a request to a server needs.
pub struct Requester {
    set: AnySet,
    key_id: KeyId,
    invitation: Option<Invitation>,
}

impl Requester {
    /// Reads the folder of an owner or a holder.
    ///
    /// # Errors
    /// [`Error::Keys`]; [`Error::Parameter`] before a holder's ceremony ended; what `passphrase` returns.
    pub fn open<E: From<KeysError> + From<Error>>(
        folder: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E> {
        if HolderFolder::is_at(folder) {
            let keys = finished(&HolderFolder::open(folder, passphrase)?)?;
            return Ok(Self {
                set: AnySet::Rns(keys.invitation.params),
                key_id: keys.key_id,
                invitation: Some(keys.invitation),
            });
        }
        let owner = Owner::open(folder, passphrase)?;
        Ok(Self {
            set: owner.set(),
            key_id: owner.keys().key_id(),
            invitation: None,
        })
    }

    /// Parameter set of the key pair.
    pub fn set(&self) -> AnySet {
        self.set
    }

    /// The file of a request.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a job that an invitation does not allow; those of [`Request::to_json`].
    pub fn file(&self, request: &Request) -> Result<String> {
        if let Some(invitation) = &self.invitation {
            check_job(invitation, &request.job)?;
        }
        request.to_json(self.set, self.key_id)
    }
}
