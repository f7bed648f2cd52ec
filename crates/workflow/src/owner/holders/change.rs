//! Changes of the holders of one key, in the folder of one of them (`spec/owners.md`, section 5).

use std::path::Path;

use isopod_holders::{HoldersError, RefreshStep, Replacement, ReplacementStep};
use isopod_keys::{read_public_key, HolderFolder, HolderKeys, KeysError, Passphrase};
use isopod_wire::KeyId;

use crate::owner::holders::fleet::finished;
use crate::{Error, Result};

/// A file, and its place.
type Received = (String, Vec<u8>);
type Change<T> = std::result::Result<T, HoldersError>;

/// Goes on with a refresh as far as the files of the other holders allow; the old share is wiped only where that is agreed. Each
/// step may be repeated.
///
/// # Errors
/// [`Error::Holder`] names whose file does not fit; [`Error::Keys`], what `passphrase` returns.
pub fn refresh_shares<E: From<KeysError> + From<Error>>(
    folder: &Path,
    received: &[Received],
    is_agreed: bool,
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<RefreshStep, E> {
    changed(HolderFolder::open(folder, passphrase)?, |folder, keys| {
        isopod_holders::refresh_shares(folder, keys, received, is_agreed)
    })
}

/// Goes on with the replacement of a holder as far as the files of the other helpers allow. Each step may be repeated.
///
/// # Errors
/// [`Error::Holder`] names whose file does not fit; [`Error::Parameter`], [`Error::Owners`] for wrong helpers; [`Error::Keys`],
/// what `passphrase` returns.
pub fn replace_holder<E: From<KeysError> + From<Error>>(
    folder: &Path,
    replacement: &Replacement<'_>,
    received: &[Received],
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<ReplacementStep, E> {
    changed(HolderFolder::open(folder, passphrase)?, |folder, keys| {
        isopod_holders::replace_holder(folder, keys, replacement, received)
    })
}

/// Takes notices of others who ended their shares. Gives the names of those who still hold the key.
///
/// # Errors
/// [`Error::Holder`] for a notice that no holder of this key wrote; [`Error::Keys`], what `passphrase` returns.
pub fn note_ended<E: From<KeysError> + From<Error>>(
    folder: &Path,
    received: &[Received],
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<Vec<String>, E> {
    changed(HolderFolder::open(folder, passphrase)?, |folder, keys| {
        isopod_holders::note_ended(folder, keys, received)
    })
}

fn changed<T, E: From<Error>>(
    mut folder: HolderFolder,
    change: impl FnOnce(&mut HolderFolder, &mut HolderKeys) -> Change<T>,
) -> std::result::Result<T, E> {
    let mut keys = finished(&folder)?;
    Ok(change(&mut folder, &mut keys).map_err(Error::from)?)
}

/// Wipes this holder's share, and leaves a notice for the others in the folder; gives its name. It may be repeated.
///
/// # Errors
/// [`Error::Keys`], what `passphrase` returns.
pub fn end_share<E: From<KeysError> + From<Error>>(
    folder: &Path,
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<String, E> {
    let mut folder = HolderFolder::open(folder, passphrase)?;
    let mut keys = match folder.keys()? {
        Some(keys) if keys.is_ended() => keys,
        _ => finished(&folder)?,
    };
    Ok(isopod_holders::end_share(&mut folder, &mut keys).map_err(Error::from)?)
}

/// Makes the keys of a newcomer from the pieces of all helpers and the public key of any holder or device. The count of
/// contributions goes on where those of the helpers together are, or where `anchors` say that it was.
///
/// # Errors
/// [`Error::Holder`] names whose piece does not fit; [`Error::Owners`] for too few pieces; [`Error::Keys`], what `passphrase`
/// returns.
pub fn take_over<E: From<KeysError> + From<Error>>(
    folder: &Path,
    public: &Path,
    received: &[Received],
    anchors: &Path,
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<(KeyId, u32), E> {
    let folder = HolderFolder::open(folder, passphrase)?;
    Ok(take(folder, (public, anchors), received)?)
}

fn take(
    mut folder: HolderFolder,
    (public, anchors): (&Path, &Path),
    received: &[Received],
) -> Result<(KeyId, u32)> {
    if let Some(keys) = folder.keys()? {
        return Ok((keys.key_id, keys.generation));
    }
    let keys = isopod_holders::take_over(folder.draft()?, received)?;
    let most = keys.invitation.queries;
    let counted = keys.used().max(folder.counted(&keys, anchors)?).min(most);
    let generation = keys.generation;
    let keys = keys.taken_over(generation, counted);
    let blob = read_public_key(public, Some(keys.key_id))?;
    folder.finish(&keys, &blob)?;
    Ok((keys.key_id, keys.generation))
}
