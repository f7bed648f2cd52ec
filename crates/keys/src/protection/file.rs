//! Key files that lie inside an age file, unless their owner chose otherwise.

use std::path::{Path, PathBuf};

use isopod_disk::SystemDisk;
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::files::{read_secret, replace};
use crate::new_folder::NewFolder;
use crate::protection::passphrase::Passphrase;
use crate::secret::SecretBytes;

/// Ending of the name of an encrypted file.
const ENCRYPTED: &str = ".age";

/// Protection of a key file.
pub enum Protection {
    /// An age file.
    Passphrase(Passphrase),
    /// In the clear: whoever reads the file has the key.
    InsecurePlaintext,
}

/// Where a key file is, and how it is protected.
pub(crate) struct ProtectedFile {
    pub(crate) path: PathBuf,
    protection: Protection,
}

impl ProtectedFile {
    /// Reads `name`, or `name.age`, of a folder; `passphrase` is called only if the file is encrypted. None if there is neither.
    ///
    /// Errors: what `passphrase` returns; a file that others may read, or that does not open.
    pub(crate) fn open<E: From<KeysError>>(
        folder: &Path,
        name: &str,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Option<(Self, SecretBytes)>, E> {
        let places = [format!("{name}{ENCRYPTED}"), name.to_owned()].map(|name| folder.join(name));
        let Some(at) = places
            .iter()
            .position(|path| path.symlink_metadata().is_ok())
        else {
            return Ok(None);
        };
        let [encrypted, plain] = places;
        if at == 1 {
            let bytes = read_secret(&plain)?;
            let protection = Protection::InsecurePlaintext;
            let path = plain;
            return Ok(Some((Self { path, protection }, bytes)));
        }
        let bytes = read_secret(&encrypted)?;
        let passphrase = passphrase()?;
        let bytes = passphrase.decrypt(&encrypted, &bytes)?;
        let (path, protection) = (encrypted, Protection::Passphrase(passphrase));
        Ok(Some((Self { path, protection }, bytes)))
    }

    /// Whether `name` or `name.age` is in a folder.
    pub(crate) fn is_at(folder: &Path, name: &str) -> bool {
        let names = [format!("{name}{ENCRYPTED}"), name.to_owned()];
        names
            .iter()
            .any(|name| folder.join(name).symlink_metadata().is_ok())
    }

    /// Replaces the content. The caller holds the lock of the folder.
    ///
    /// Errors: [`KeysError::File`], [`KeysError::Encrypt`]; the old content is there still.
    pub(crate) fn replace(&self, bytes: SecretBytes) -> Result<()> {
        replace(
            &SystemDisk,
            &self.path,
            &protected(bytes, &self.protection)?,
        )
    }
}

/// Writes a key file `name`, or `name.age`, into `folder` of a new folder.
///
/// Errors: [`KeysError::File`], [`KeysError::Encrypt`].
pub(crate) fn save(
    into: &NewFolder,
    (folder, name): (&str, &str),
    bytes: SecretBytes,
    protection: &Protection,
) -> Result<()> {
    let ending = match protection {
        Protection::Passphrase(_) => ENCRYPTED,
        Protection::InsecurePlaintext => "",
    };
    let place = Path::new(folder).join(format!("{name}{ending}"));
    let place = place.to_string_lossy();
    into.write(&place, &protected(bytes, protection)?)
}

fn protected(bytes: SecretBytes, protection: &Protection) -> Result<SecretBytes> {
    match protection {
        Protection::Passphrase(passphrase) => passphrase.encrypt(&bytes).map(Zeroizing::new),
        Protection::InsecurePlaintext => Ok(bytes),
    }
}
