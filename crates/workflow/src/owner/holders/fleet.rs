//! The folders of server and devices of a key that several owners hold.

use std::path::Path;

use isopod_holders::check_held;
use isopod_keys::{
    read_public_key, save_public_key, HolderFolder, HolderKeys, KeysError, NewFolder, Passphrase,
    RegisterLock, PUBLIC_FILE, PUBLIC_FOLDER,
};

use crate::server::folder::INVITATION_FILE;
use crate::{Error, Result};

/// Writes `public` and a folder for each device, with numbers that were never given, and `server` with the first devices.
///
/// # Errors
/// [`Error::Keys`]; [`Error::Parameter`] before the ceremony ended; what `passphrase` returns.
pub fn write_fleet<E: From<KeysError> + From<Error>>(
    folder: &Path,
    devices: &[u64],
    into: &NewFolder,
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<bool, E> {
    let keys = finished(&HolderFolder::open(folder, passphrase)?)?;
    Ok(write(folder, &keys, devices, into)?)
}

fn write(folder: &Path, keys: &HolderKeys, devices: &[u64], into: &NewFolder) -> Result<bool> {
    let mut register = RegisterLock::open(folder, keys.key_id)?;
    let is_first = register.register().given().is_empty();
    register.give(devices)?;
    let blob = read_public_key(&folder.join(PUBLIC_FILE), Some(keys.key_id))?;
    into.folder(PUBLIC_FOLDER)?;
    save_public_key(into, PUBLIC_FOLDER, &blob)?;
    if is_first {
        into.folder("server")?;
        keys.server_keys().save(into, "server")?;
        let invitation = format!("server/{INVITATION_FILE}");
        into.write(&invitation, &keys.invitation.write())?;
    }
    for &device in devices {
        let name = format!("device-{device}");
        into.folder(&name)?;
        keys.device_keys(device).save(into, &name, None)?;
    }
    Ok(is_first)
}

/// The keys of a holder whose ceremony ended.
///
/// # Errors
/// [`Error::Parameter`] before, and after the holder ended the share.
pub(super) fn finished(folder: &HolderFolder) -> Result<HolderKeys> {
    let unfinished = || {
        let problem = "the ceremony of this folder has not ended; allowed is a folder in which isopod owner finish made the key";
        Error::parameter("keys", problem)
    };
    let keys = folder.keys()?.ok_or_else(unfinished)?;
    check_held(&keys)?;
    Ok(keys)
}
