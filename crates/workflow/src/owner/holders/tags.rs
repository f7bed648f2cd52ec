//! Linear tags of several owners (`spec/owners.md`, section 7): keys for devices, and the pads of one holder.

use std::path::Path;

use isopod_keys::{HolderFolder, HolderKeys, HolderTags, KeysError, NewFolder, Passphrase};
use isopod_owners::Answering;
use isopod_verify::Period;
use isopod_wire::{EncryptedResult, LinearTag};

use crate::owner::holders::fleet::finished;
use crate::owner::verification::tag_keys::{TagPeriod, TagPeriodChoice};
use crate::owner::verification::{pads_of, unverified, Verifier};
use crate::request::job::Request;
use crate::{Error, Result};

/// Keys of linear tags that one holder gives: by whom answers are verified, and what for.
pub struct HolderTagKeys<'a> {
    /// Names of those who answer, as many as the threshold.
    pub with: &'a [String],
    /// The one of them who verifies.
    pub verifier: &'a str,
    /// Numbers of devices.
    pub devices: &'a [u64],
    /// Their period.
    pub period: TagPeriodChoice,
}

impl HolderTagKeys<'_> {
    /// Writes a folder `device-ID` for each device into a new one, and keeps in the holder's folder whose answers are verified.
    ///
    /// # Errors
    /// [`Error::Parameter`] before the ceremony ended, for a set of real numbers, and for holders who do not answer together
    /// with this one; [`Error::Keys`]; what `passphrase` returns.
    pub fn give<E: From<KeysError> + From<Error>>(
        &self,
        folder: &Path,
        into: &NewFolder,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<TagPeriod, E> {
        let folder = HolderFolder::open(folder, passphrase)?;
        let keys = finished(&folder)?;
        Ok(self.write(&folder, &keys, into)?)
    }

    fn write(
        &self,
        folder: &HolderFolder,
        keys: &HolderKeys,
        into: &NewFolder,
    ) -> Result<TagPeriod> {
        let (mut tags, before) = (self.agreed(keys)?, folder.tags(keys)?);
        let is_same =
            |old: &HolderTags| (old.verifier, &old.answering) == (tags.verifier, &tags.answering);
        let same = before.as_ref().filter(|old| is_same(old));
        if let (Some(old), None, TagPeriodChoice::Present) = (&before, same, self.period) {
            let names = old.answering.iter().map(|&one| keys.invitation.name(one));
            let problem = format!(
                "the present period is of {}, verified by {}; allowed are these, or a period that begins (--next-period)",
                names.collect::<Vec<_>>().join(", "),
                keys.invitation.name(old.verifier)
            );
            return Err(Error::parameter("with", problem));
        }
        let given = TagPeriod::chosen(&mut folder.linear_account(keys)?, self.period)?;
        tags.since = same.map_or(given.period, |old| old.since);
        folder.keep_tags(keys, &tags)?;
        for &device in self.devices {
            let name = format!("device-{device}");
            let secrets = tags.secrets(keys, device, (given.group, given.period));
            secrets.save_into(into, &name, keys.key_id, device)?;
        }
        Ok(given)
    }

    fn agreed(&self, keys: &HolderKeys) -> Result<HolderTags> {
        let invitation = &keys.invitation;
        if invitation.params.plain_modulus.is_none() {
            let problem = "a set of real numbers; allowed are sets of integers (bfv-...)";
            return Err(Error::parameter("keys", problem));
        }
        let answering = isopod_holders::numbers(invitation, "with", self.with)?;
        let own = invitation.name(keys.holder);
        if !answering.numbers().contains(&keys.holder) {
            let problem =
                format!("{own} holds this folder and is not named; allowed are sets with {own}");
            return Err(Error::parameter("with", problem));
        }
        let verifier = invitation.number(self.verifier);
        let verifier = verifier.filter(|number| answering.numbers().contains(number));
        let verifier = verifier.ok_or_else(|| {
            let problem = format!(
                "{} does not answer; allowed are {}",
                self.verifier,
                self.with.join(", ")
            );
            Error::parameter("verifier", problem)
        })?;
        Ok(HolderTags {
            verifier,
            answering: answering.numbers().to_vec(),
            since: 0,
        })
    }
}

/// The sum of a holder's pads of each result, if all who answer share its tags. The verifier's stay here: with the pads of all,
/// the others would find the point of the tags.
///
/// # Errors
/// [`Error::Unverified`] for a tag that no pads of this holder hide; [`Error::Keys`].
pub(crate) fn own_pads(
    (folder, keys): (&HolderFolder, &HolderKeys),
    results: &[EncryptedResult],
    answering: &Answering,
    request: Option<&Request>,
) -> Result<Option<Vec<LinearTag>>> {
    let are_shared =
        |tags: &HolderTags| tags.answering == answering.numbers() && tags.verifier != keys.holder;
    let Some(tags) = folder.tags(keys)?.filter(are_shared) else {
        return Ok(None);
    };
    let (account, master) = (folder.linear_account(keys)?, keys.linear_master());
    let mut pads = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let Some(tag) = result.linear_tag else {
            return Ok(None);
        };
        let period = account.period_of(tag);
        let period = period.ok_or_else(|| unverified(at, "a tag of a period that is not yet"))?;
        if period < tags.since {
            return Ok(None);
        }
        let keys = Period::new(&master, account.group(period), period);
        let sum = pads_of(result, request, &keys);
        pads.push(sum.map_err(|problem| unverified(at, problem))?);
    }
    Ok(Some(pads))
}

/// The holders whose answers this one verifies, and the verifier; None if it is another holder.
///
/// # Errors
/// [`Error::Keys`].
pub(crate) fn verifier(
    folder: &HolderFolder,
    keys: &HolderKeys,
) -> Result<Option<(Vec<u8>, Verifier)>> {
    let tags = folder.tags(keys)?;
    let Some(tags) = tags.filter(|tags| tags.verifier == keys.holder) else {
        return Ok(None);
    };
    let verifier = Verifier {
        account: folder.linear_account(keys)?,
        master: keys.linear_master(),
        grid: None,
    };
    Ok(Some((tags.answering, verifier)))
}
