//! The end of a holder's share: it is wiped, and the others hear of it.

use isopod_keys::{HolderKeys, HolderPlace};
use isopod_wire::codes::hash_label;
use isopod_wire::{Change, ChangeStep};
use sha3::{Digest as _, Sha3_256};

use crate::change::steps::{step_of, Digest, Received};
use crate::held::check_held;
use crate::{HoldersError as Error, Result};

/// Leaves a notice for the others in the place, and wipes this holder's share; gives the name of the notice. The keys open
/// nothing more.
///
/// # Errors
/// [`Error::Keys`].
pub fn end_share(place: &mut dyn HolderPlace, keys: &mut HolderKeys) -> Result<String> {
    let own = (keys.generation, keys.holder);
    let digest = digest(keys, own, &keys.identity.recipient());
    let notice = step_of(keys, ChangeStep::Ended, digest);
    let name = format!("ended-{}", keys.invitation.name(keys.holder));
    place.write(&name, &notice.write(&[]))?;
    keys.end();
    place.keep(keys)?;
    Ok(name)
}

/// Takes notices of others who ended their shares: nothing is sealed for them from now on, and nobody waits for them. Gives the
/// names of those who still hold the key.
///
/// # Errors
/// [`Error::Holder`] for a notice that no holder of this key wrote; [`Error::Parameter`] for keys whose share ended;
/// [`Error::Keys`].
pub fn note_ended(
    place: &mut dyn HolderPlace,
    keys: &mut HolderKeys,
    received: &[Received],
) -> Result<Vec<String>> {
    check_held(keys)?;
    for (from, bytes) in received {
        let (notice, _) = Change::read(bytes).map_err(|error| Error::Wire(error).at(from))?;
        let name = keys.invitation.name(notice.holder).to_owned();
        let recipient = keys.recipients.get(usize::from(notice.holder) - 1);
        let recipient = recipient.cloned().unwrap_or_default();
        if recipient.is_empty() && !name.is_empty() {
            continue;
        }
        let wanted = digest(keys, (notice.generation, notice.holder), &recipient);
        let is_of = notice.fingerprint == keys.fingerprint
            && notice.step == ChangeStep::Ended
            && notice.digest == wanted;
        if !is_of {
            let problem = "the file is no notice that a holder of this key ended the share; allowed are files ended-*".to_owned();
            return Err(Error::holder(&name, problem).at(from));
        }
        if keys.replace_recipient(notice.holder, "")? {
            place.keep(keys)?;
        }
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
