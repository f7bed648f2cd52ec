//! Refresh of all shares: every holder deals a sharing of zero to all, and the old shares are wiped.

use isopod_keys::{HolderKeys, HolderPlace};
use isopod_linear::{Machine, Ring};
use isopod_owners::{add, change_digest, pack_polynomial, unpack_polynomial, Polynomial};
use isopod_wire::{Change, ChangeStep};
use zeroize::Zeroizing;

use crate::change::steps::{dealer, sealed_step, step_of, Digest, Received, Steps};
use crate::held::check_share;
use crate::{HoldersError as Error, Result};

/// Files of a refresh.
const KINDS: [ChangeStep; 2] = [ChangeStep::Dealt, ChangeStep::Confirmed];

/// How far a refresh is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefreshStep {
    /// The sharing of zero is in the folder, under this name; those of these holders are missing.
    Dealt(String, Vec<String>),
    /// The new share is durable, beside the old one, and the confirmation is in the folder, under this name; those of these
    /// holders are missing. The digest of all sharings is equal for all holders.
    Confirmed(String, Vec<String>, Digest),
    /// The old share is wiped. The generation of the new one.
    Refreshed(u32),
}

/// Goes on with a refresh as far as the files of the other holders allow, each with its place; the old share is wiped only where
/// that is agreed. Each step may be repeated.
///
/// # Errors
/// [`Error::Holder`] names whose file does not fit; [`Error::Parameter`] for keys without a share; [`Error::Keys`].
pub fn refresh_shares(
    place: &mut dyn HolderPlace,
    keys: &mut HolderKeys,
    received: &[Received],
    is_agreed: bool,
) -> Result<RefreshStep> {
    check_share(keys)?;
    if keys.begin_change()? {
        place.keep(keys)?;
    }
    let name = |what: &str| {
        let (next, own) = (keys.generation + 1, keys.invitation.name(keys.holder));
        format!("{what}-{next}-{own}")
    };
    let (dealt, confirmed) = (name("refresh"), name("refreshed"));
    let missing = prepare(place, keys, received, &dealt)?;
    let Some((digest, _)) = keys.next() else {
        return Ok(RefreshStep::Dealt(dealt, missing));
    };
    let missing = confirm(place, keys, received, (&confirmed, digest))?;
    if !missing.is_empty() || !is_agreed {
        return Ok(RefreshStep::Confirmed(confirmed, missing, digest));
    }
    keys.refresh()?;
    place.keep(keys)?;
    Ok(RefreshStep::Refreshed(keys.generation))
}

/// Deals, and with the sharings of all others keeps the next share. Gives the names of those whose sharing is missing.
fn prepare(
    place: &mut dyn HolderPlace,
    keys: &mut HolderKeys,
    received: &[Received],
    name: &str,
) -> Result<Vec<String>> {
    let own = deal(place, keys, name)?;
    let prepared = {
        let mut dealt = Steps::of_key(keys, received, &KINDS, ChangeStep::Dealt)?;
        dealt.insert(own, Vec::new())?;
        let missing = dealt.missing(&keys.current());
        if keys.next().is_some() || !missing.is_empty() {
            return Ok(missing);
        }
        next(keys, &dealt, &keys.current())?
    };
    let (digest, share) = prepared;
    keys.prepare(&digest, &share);
    place.keep(keys)?;
    Ok(Vec::new())
}

/// Confirms the digest of all sharings. Gives the names of those whose confirmation is missing.
fn confirm(
    place: &mut dyn HolderPlace,
    keys: &HolderKeys,
    received: &[Received],
    (name, digest): (&str, Digest),
) -> Result<Vec<String>> {
    let own = step_of(keys, ChangeStep::Confirmed, digest);
    if !place.has(name) {
        place.write(name, &own.write(&[]))?;
    }
    let mut confirmed = Steps::of_key(keys, received, &KINDS, ChangeStep::Confirmed)?;
    if let Some(other) = confirmed.all().find(|other| other.digest != digest) {
        let problem =
            "confirmed a refresh of other files; allowed is one of those that all holders have"
                .to_owned();
        return Err(Error::holder(keys.invitation.name(other.holder), problem));
    }
    confirmed.insert(own, Vec::new())?;
    Ok(confirmed.missing(&keys.current()))
}

fn ring(keys: &HolderKeys) -> Result<Ring> {
    let set = keys.invitation.params;
    Ok(Ring::new(set, set.data_primes.len(), Machine::best())?)
}

/// This holder's sharing of zero, written to the folder once.
fn deal(place: &mut dyn HolderPlace, keys: &HolderKeys, name: &str) -> Result<Change> {
    let seed = keys.change_seed()?;
    let (ring, dealer) = (ring(keys)?, dealer(keys, &seed));
    let change = step_of(keys, ChangeStep::Dealt, dealer.commitment());
    if place.has(name) {
        return Ok(change);
    }
    let mut bodies = Vec::new();
    for receiver in keys
        .current()
        .into_iter()
        .filter(|&other| other != keys.holder)
    {
        let zero = dealer.zero(&ring, keys.invitation.threshold, receiver)?;
        let recipient = &keys.recipients[usize::from(receiver) - 1][..];
        bodies.push((receiver, recipient, pack_polynomial(&ring, &zero)));
    }
    place.write(name, &sealed_step(&change, &bodies)?)?;
    Ok(change)
}

/// The digest of all sharings, and the packed share that they make of this one.
fn next(
    keys: &HolderKeys,
    dealt: &Steps<'_>,
    holders: &[u8],
) -> Result<(Digest, Zeroizing<Vec<u8>>)> {
    let strangers: Vec<&Change> = dealt
        .all()
        .filter(|one| !holders.contains(&one.holder))
        .collect();
    if let Some(stranger) = strangers.first() {
        let problem = "ended this key; allowed are files of those who hold it".to_owned();
        return Err(Error::holder(
            keys.invitation.name(stranger.holder),
            problem,
        ));
    }
    let commitments = dealt
        .all()
        .flat_map(|one| std::iter::once(one.holder).chain(one.digest));
    let commitments: Vec<u8> = commitments.collect();
    let key = (&keys.fingerprint, keys.generation);
    let digest = change_digest(ChangeStep::Confirmed, key, &commitments);
    let (ring, seed) = (ring(keys)?, keys.change_seed()?);
    let mut share = unpack_polynomial(&ring, "share", &keys.share)?;
    let own = dealer(keys, &seed).zero(&ring, keys.invitation.threshold, keys.holder)?;
    add(&ring, &mut share, &own);
    for &from in holders.iter().filter(|&&from| from != keys.holder) {
        let wanted = |length| length == keys.share.len();
        let body = dealt.open(&keys.identity, (from, keys.holder), wanted)?;
        let zero: Polynomial = unpack_polynomial(&ring, "share", &body)?;
        add(&ring, &mut share, &zero);
    }
    Ok((digest, pack_polynomial(&ring, &share)))
}
