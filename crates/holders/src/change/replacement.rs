//! A lost holder is replaced: as many others as the threshold give the newcomer pieces of the lost share.

use isopod_keys::{seal_to, HolderKeys, HolderPlace, SecretBytes};
use isopod_linear::{Machine, Ring};
use isopod_owners::{pack_polynomial, replacement_session, unpack_polynomial, Answering, Helper};
use isopod_wire::codes::size;
use isopod_wire::{Announcement, ChangeStep};
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::answers::numbers;
use crate::change::steps::{dealer, sealed_step, step_of, Digest, Received, Steps};
use crate::held::check_share;
use crate::{HoldersError as Error, Result};

/// The announcement of a newcomer, and the helpers, of this holder's side.
pub struct Replacement<'a> {
    /// The newcomer's announcement.
    pub announcement: &'a [u8],
    /// Names of the helpers, as many as the threshold.
    pub helpers: &'a [String],
    /// Whether this holder heard from the newcomer that the announcement is theirs.
    pub is_agreed: bool,
}

/// How far a replacement is, on the side of those who stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplacementStep {
    /// Nothing happened: the digest of this holder's announcement is to be compared first.
    Asked(String, Digest),
    /// Contributions go to the newcomer from now on; this holder does not help.
    Noted(String),
    /// Seeds of masks are in the folder, under this name; those of these helpers are missing.
    Masked(String, Vec<String>),
    /// The piece for the newcomer is in the folder, under this name.
    Given(String),
}

/// Goes on with the replacement of a holder as far as the files of the other helpers allow, each with its place. Each step may be
/// repeated.
///
/// # Errors
/// [`Error::Holder`] names whose file does not fit; [`Error::Parameter`], [`Error::Owners`] for wrong helpers, and for keys
/// without a share; [`Error::Keys`].
pub fn replace_holder(
    place: &mut dyn HolderPlace,
    keys: &mut HolderKeys,
    replacement: &Replacement<'_>,
    received: &[Received],
) -> Result<ReplacementStep> {
    check_share(keys)?;
    let newcomer = Announcement::read(replacement.announcement)?;
    let lost = newcomer.holder;
    let name = checked(keys, &newcomer)?;
    if !replacement.is_agreed {
        let digest = Sha3_256::digest(replacement.announcement).into();
        return Ok(ReplacementStep::Asked(name, digest));
    }
    let helpers = numbers(&keys.invitation, "with", replacement.helpers)?;
    if helpers.numbers().contains(&lost) {
        let problem = format!("{name} is replaced; allowed are helpers who hold a share");
        return Err(Error::parameter("with", problem));
    }
    let is_helper = helpers.numbers().contains(&keys.holder);
    let is_known = !keys.replace_recipient(lost, &newcomer.recipient)?;
    let is_begun = !is_helper || !keys.begin_change()?;
    if !is_known || !is_begun {
        place.keep(keys)?;
    }
    if !is_helper {
        return Ok(ReplacementStep::Noted(name));
    }
    let given = Given {
        announcement: replacement.announcement,
        newcomer: &newcomer,
        name: &name,
        helpers: &helpers,
    };
    help(place, keys, &given, received)
}

/// A newcomer who is agreed on, and the helpers.
struct Given<'a> {
    announcement: &'a [u8],
    newcomer: &'a Announcement,
    name: &'a str,
    helpers: &'a Answering,
}

/// Gives the newcomer a piece, once the masks of all helpers with lower numbers are there.
fn help(
    place: &mut dyn HolderPlace,
    keys: &HolderKeys,
    given: &Given<'_>,
    received: &[Received],
) -> Result<ReplacementStep> {
    let Given {
        announcement,
        newcomer,
        name,
        helpers,
    } = *given;
    let key = (&keys.fingerprint, keys.generation);
    let session = replacement_session(key, announcement, helpers);
    let own = keys.invitation.name(keys.holder);
    let (masks, given) = (format!("masks-{name}-{own}"), format!("piece-{name}-{own}"));
    mask(place, keys, &masks, (&session, helpers))?;
    let steps = Steps::of_key(keys, received, &[ChangeStep::Masked], ChangeStep::Masked)?;
    if let Some(other) = steps.all().find(|other| other.digest != session) {
        let problem = "the file is for another replacement; allowed is one of this newcomer and these helpers".to_owned();
        return Err(Error::holder(keys.invitation.name(other.holder), problem));
    }
    let lower = helpers.numbers().iter().copied();
    let lower: Vec<u8> = lower.filter(|&other| other < keys.holder).collect();
    let missing = steps.missing(&lower);
    if !missing.is_empty() {
        return Ok(ReplacementStep::Masked(masks, missing));
    }
    let seeds = seeds(keys, &steps, (&session, helpers))?;
    let helper = Helper {
        session: &session,
        helpers,
        holder: keys.holder,
        lost: newcomer.holder,
    };
    let residues = own_piece(keys, &helper, &seeds)?;
    let change = step_of(keys, ChangeStep::Given, session);
    let body = facts(keys, &residues);
    let bodies = [(newcomer.holder, &newcomer.recipient[..], body)];
    place.write(&given, &sealed_step(&change, &bodies)?)?;
    Ok(ReplacementStep::Given(given))
}

/// The name of the holder whom a newcomer replaces; refuses one of another ceremony, and this holder itself.
fn checked(keys: &HolderKeys, newcomer: &Announcement) -> Result<String> {
    let name = keys.invitation.name(newcomer.holder);
    let refuse = |problem: &str| Err(Error::holder(name, problem.to_owned()));
    let invitation: Digest = Sha3_256::digest(keys.invitation.write()).into();
    if newcomer.invitation != invitation || name.is_empty() {
        return refuse("the announcement is of another ceremony; allowed is one of isopod owner join for this invitation");
    }
    if newcomer.holder == keys.holder {
        return refuse("holds this folder; allowed is the announcement of a lost holder");
    }
    let others = (1u8..).zip(&keys.recipients);
    let is_known = |(number, recipient): (u8, &String)| {
        number != newcomer.holder && recipient == &newcomer.recipient
    };
    if others.into_iter().any(is_known) {
        return refuse("announced the recipient of another holder; allowed is a fresh one");
    }
    // One that is no recipient is refused before it is kept.
    seal_to(&[&newcomer.recipient], &[])?;
    if keys.next().is_some() {
        return refuse("a refresh is under way; allowed once it is over");
    }
    Ok(name.to_owned())
}

/// Seeds of the masks with helpers of higher numbers, written to the folder.
fn mask(
    place: &mut dyn HolderPlace,
    keys: &HolderKeys,
    name: &str,
    (session, helpers): (&Digest, &Answering),
) -> Result<()> {
    let seed = keys.change_seed()?;
    let dealer = dealer(keys, &seed);
    let higher = helpers
        .numbers()
        .iter()
        .filter(|&&other| other > keys.holder);
    let bodies = higher.map(|&other| {
        let recipient = &keys.recipients[usize::from(other) - 1][..];
        let seed = dealer.pair_seed(session, other);
        (other, recipient, SecretBytes::new(seed.to_vec()))
    });
    let bodies: Vec<_> = bodies.collect();
    let change = step_of(keys, ChangeStep::Masked, *session);
    Ok(place.write(name, &sealed_step(&change, &bodies)?)?)
}

/// The seeds of the masks with all other helpers, by their numbers.
fn seeds(
    keys: &HolderKeys,
    steps: &Steps<'_>,
    (session, helpers): (&Digest, &Answering),
) -> Result<Vec<(u8, Zeroizing<[u8; size::HOLDER_SEED]>)>> {
    let own = keys.change_seed()?;
    let dealer = dealer(keys, &own);
    let others = helpers
        .numbers()
        .iter()
        .filter(|&&other| other != keys.holder);
    others
        .map(|&other| {
            if other > keys.holder {
                return Ok((other, dealer.pair_seed(session, other)));
            }
            let body = steps.open(&keys.identity, (other, keys.holder), |length| {
                length == size::HOLDER_SEED
            })?;
            let mut seed = Zeroizing::new([0; size::HOLDER_SEED]);
            seed.copy_from_slice(&body);
            Ok((other, seed))
        })
        .collect()
}

fn own_piece(
    keys: &HolderKeys,
    helper: &Helper<'_>,
    seeds: &[(u8, Zeroizing<[u8; size::HOLDER_SEED]>)],
) -> Result<SecretBytes> {
    let set = keys.invitation.params;
    let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
    let share = unpack_polynomial(&ring, "share", &keys.share)?;
    Ok(pack_polynomial(&ring, &helper.piece(&ring, &share, seeds)?))
}

/// The residues, and everything that holders share, for the newcomer.
fn facts(keys: &HolderKeys, residues: &[u8]) -> SecretBytes {
    let recipients = keys.recipients.join(",");
    let mut body = Zeroizing::new(Vec::with_capacity(residues.len() + recipients.len() + 128));
    body.extend_from_slice(residues);
    body.extend_from_slice(keys.link.expose());
    body.extend_from_slice(keys.device_master.expose());
    body.extend_from_slice(&keys.key_id);
    body.extend_from_slice(&keys.used().to_le_bytes());
    body.extend_from_slice(recipients.as_bytes());
    body
}
