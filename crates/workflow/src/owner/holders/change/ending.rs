//! The end of a holder's share: it is wiped, and the others hear of it.

use std::path::Path;

use isopod_keys::{HolderFolder, HolderKeys, KeysError, Passphrase};
use isopod_wire::codes::hash_label;
use isopod_wire::{Change, ChangeStep};
use sha3::{Digest as _, Sha3_256};

use crate::owner::holders::change::steps::{Digest, Received};
use crate::owner::holders::fleet::finished;
use crate::{Error, Result};

/// Wipes this holder's share, and leaves a notice for the others in the folder; gives its name. The folder opens nothing more.
///
/// # Errors
/// [`Error::Keys`], what `passphrase` returns.
pub fn end_share<E: From<KeysError> + From<Error>>(
    folder: &Path,
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<String, E> {
    let folder = HolderFolder::open(folder, passphrase)?;
    let keys = folder.keys()?.ok_or_else(|| {
        Error::parameter(
            "keys",
            "the ceremony of this folder has not ended; allowed is a holder's folder with a key",
        )
    })?;
    Ok(end(&folder, keys)?)
}

fn end(folder: &HolderFolder, mut keys: HolderKeys) -> Result<String> {
    let notice = Change {
        fingerprint: keys.fingerprint,
        generation: keys.generation,
        step: ChangeStep::Ended,
        holder: keys.holder,
        digest: digest(
            &keys,
            (keys.generation, keys.holder),
            &keys.identity.recipient(),
        ),
    };
    let name = format!("ended-{}", keys.invitation.name(keys.holder));
    folder.write(&name, &notice.write(&[]))?;
    folder.end(&mut keys)?;
    Ok(name)
}

/// Takes notices of others who ended their shares: nothing is sealed for them from now on, and nobody waits for them. Gives the
/// names of those who still hold the key.
///
/// # Errors
/// [`Error::Holder`] for a notice that no holder of this key wrote; [`Error::Keys`], what `passphrase` returns.
pub fn note_ended<E: From<KeysError> + From<Error>>(
    folder: &Path,
    received: &[Received],
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<Vec<String>, E> {
    let folder = HolderFolder::open(folder, passphrase)?;
    let keys = finished(&folder)?;
    Ok(note(&folder, keys, received)?)
}

fn note(folder: &HolderFolder, mut keys: HolderKeys, received: &[Received]) -> Result<Vec<String>> {
    for (place, bytes) in received {
        let (notice, _) = Change::read(bytes).map_err(|error| Error::Wire(error).at(place))?;
        let name = keys.invitation.name(notice.holder).to_owned();
        let recipient = keys.recipients.get(usize::from(notice.holder) - 1);
        let recipient = recipient.cloned().unwrap_or_default();
        if recipient.is_empty() && !name.is_empty() {
            continue;
        }
        let wanted = digest(&keys, (notice.generation, notice.holder), &recipient);
        let is_of = notice.fingerprint == keys.fingerprint
            && notice.step == ChangeStep::Ended
            && notice.digest == wanted;
        if !is_of {
            let problem = "the file is no notice that a holder of this key ended the share; allowed are files ended-*".to_owned();
            return Err(Error::holder(&name, problem).at(place));
        }
        folder.replace_recipient(&mut keys, (notice.holder, ""))?;
    }
    let current = keys.current();
    let names = current
        .iter()
        .map(|&number| keys.invitation.name(number).to_owned());
    Ok(names.collect())
}

/// Whoever has the link key can make it: the holders and the server.
fn digest(keys: &HolderKeys, (generation, holder): (u32, u8), recipient: &str) -> Digest {
    Sha3_256::new()
        .chain_update(hash_label::OWNERS_END)
        .chain_update(keys.link.expose())
        .chain_update(keys.fingerprint)
        .chain_update(generation.to_le_bytes())
        .chain_update([holder])
        .chain_update(recipient)
        .finalize()
        .into()
}
