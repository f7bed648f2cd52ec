//! Refresh of all shares: every holder deals a sharing of zero to all, and the old shares are wiped.

use std::path::Path;

use isopod_keys::{HolderFolder, HolderKeys, KeysError, Passphrase};
use isopod_linear::{Machine, Ring};
use isopod_owners::{add, change_digest, pack_polynomial, unpack_polynomial, Polynomial};
use isopod_wire::{Change, ChangeStep};
use zeroize::Zeroizing;

use crate::owner::holders::change::steps::{
    dealer, sealed_step, with_share, Digest, Received, Steps,
};
use crate::{Error, Result};

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
/// [`Error::Holder`] names whose file does not fit; [`Error::Keys`], what `passphrase` returns.
pub fn refresh_shares<E: From<KeysError> + From<Error>>(
    folder: &Path,
    received: &[Received],
    is_agreed: bool,
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<RefreshStep, E> {
    let folder = HolderFolder::open(folder, passphrase)?;
    let keys = with_share(&folder)?;
    Ok(step(&folder, keys, received, is_agreed)?)
}

fn step(
    folder: &HolderFolder,
    mut keys: HolderKeys,
    received: &[Received],
    is_agreed: bool,
) -> Result<RefreshStep> {
    folder.begin_change(&mut keys)?;
    let holders = keys.current();
    let name = |what: &str| {
        let (next, own) = (keys.generation + 1, keys.invitation.name(keys.holder));
        format!("{what}-{next}-{own}")
    };
    let (dealt_name, confirmed_name) = (name("refresh"), name("refreshed"));
    let digest = {
        let mut dealt = Steps::of_key(&keys, received, &KINDS, ChangeStep::Dealt)?;
        let own = deal(folder, &keys, &dealt_name)?;
        dealt.insert(own, Vec::new())?;
        let missing = dealt.missing(&holders);
        match keys.next() {
            Some((digest, _)) => digest,
            None if !missing.is_empty() => return Ok(RefreshStep::Dealt(dealt_name, missing)),
            None => {
                let (digest, share) = next(&keys, &dealt, &holders)?;
                folder.prepare(&mut keys, (digest, &share))?;
                digest
            }
        }
    };
    let own = step_of(&keys, ChangeStep::Confirmed, digest);
    if !folder.has(&confirmed_name) {
        folder.write(&confirmed_name, &own.write(&[]))?;
    }
    let mut confirmed = Steps::of_key(&keys, received, &KINDS, ChangeStep::Confirmed)?;
    if let Some(other) = confirmed.all().find(|other| other.digest != digest) {
        let problem =
            "confirmed a refresh of other files; allowed is one of those that all holders have"
                .to_owned();
        return Err(Error::holder(keys.invitation.name(other.holder), problem));
    }
    confirmed.insert(own, Vec::new())?;
    let missing = confirmed.missing(&holders);
    if !missing.is_empty() || !is_agreed {
        return Ok(RefreshStep::Confirmed(confirmed_name, missing, digest));
    }
    folder.refresh(&mut keys)?;
    Ok(RefreshStep::Refreshed(keys.generation))
}

fn step_of(keys: &HolderKeys, step: ChangeStep, digest: Digest) -> Change {
    Change {
        fingerprint: keys.fingerprint,
        generation: keys.generation,
        step,
        holder: keys.holder,
        digest,
    }
}

fn ring(keys: &HolderKeys) -> Result<Ring> {
    let set = keys.invitation.params;
    Ok(Ring::new(set, set.data_primes.len(), Machine::best())?)
}

/// This holder's sharing of zero, written to the folder once.
fn deal(folder: &HolderFolder, keys: &HolderKeys, name: &str) -> Result<Change> {
    let seed = keys.change_seed()?;
    let (ring, dealer) = (ring(keys)?, dealer(keys, &seed));
    let change = step_of(keys, ChangeStep::Dealt, dealer.commitment());
    if folder.has(name) {
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
    folder.write(name, &sealed_step(&change, &bodies)?)?;
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
