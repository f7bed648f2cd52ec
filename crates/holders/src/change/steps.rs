//! Files of a change that holders sent each other: read, checked against this holder's key, sorted by holder.

use std::collections::BTreeMap;

use isopod_keys::{seal_to, HolderIdentity, HolderKeys, SecretBytes};
use isopod_owners::Dealer;
use isopod_wire::codes::size;
use isopod_wire::{Change, ChangeStep, Invitation, SealedShare};
use zeroize::Zeroizing;

use crate::{HoldersError as Error, Result};

pub(super) type Digest = [u8; size::DIGEST];
/// A file, and its place.
pub(super) type Received = (String, Vec<u8>);
/// The step of each holder, with its shares.
type OfHolders<'a> = BTreeMap<u8, (Change, Vec<SealedShare<'a>>)>;

/// Steps of one kind, by the number of their holder.
pub(super) struct Steps<'a> {
    invitation: &'a Invitation,
    found: OfHolders<'a>,
}

impl<'a> Steps<'a> {
    /// Takes the files of this kind; one that is there twice changes nothing.
    ///
    /// # Errors
    /// [`Error::Wire`] for other bytes; [`Error::Holder`] for a step of another key, kind or generation, and for two that differ.
    pub(super) fn of_key(
        keys: &'a HolderKeys,
        received: &'a [Received],
        kinds: &[ChangeStep],
        kind: ChangeStep,
    ) -> Result<Self> {
        let mut steps = Self::new(&keys.invitation);
        for (place, bytes) in received {
            let (change, shares) = read(bytes, place)?;
            let name = steps.name(&change)?;
            let refuse = |problem: String| Err(Error::holder(&name, problem).at(place));
            if change.fingerprint != keys.fingerprint {
                return refuse(
                    "the file is of another key; allowed are files of this ceremony".to_owned(),
                );
            }
            if !kinds.contains(&change.step) {
                return refuse("the file is of another kind of change; allowed are those that this command asks for".to_owned());
            }
            if change.generation != keys.generation {
                return refuse(format!(
                    "the file is of generation {}; allowed is {}, at which this folder is",
                    change.generation, keys.generation
                ));
            }
            if change.step == kind {
                steps.insert(change, shares)?;
            }
        }
        Ok(steps)
    }

    fn new(invitation: &'a Invitation) -> Self {
        let found = OfHolders::new();
        Self { invitation, found }
    }

    /// Takes the pieces for a newcomer, who knows no key yet.
    ///
    /// # Errors
    /// Those of [`Steps::of_key`].
    pub(super) fn of_newcomer(
        invitation: &'a Invitation,
        received: &'a [Received],
    ) -> Result<Self> {
        let mut steps = Self::new(invitation);
        for (place, bytes) in received {
            let (change, shares) = read(bytes, place)?;
            if change.step != ChangeStep::Given {
                let problem =
                    "the file is no piece of a share; allowed are the files piece-* of the helpers";
                return Err(Error::holder(&steps.name(&change)?, problem.to_owned()).at(place));
            }
            steps.insert(change, shares)?;
        }
        Ok(steps)
    }

    /// Takes a step. Shares are sealed anew when a file is written again.
    pub(super) fn insert(&mut self, change: Change, shares: Vec<SealedShare<'a>>) -> Result<()> {
        let name = self.name(&change)?;
        match self.found.get(&change.holder) {
            Some((known, _)) if known != &change => {
                let problem = "two files differ; allowed is one of this step".to_owned();
                Err(Error::holder(&name, problem))
            }
            Some((_, known)) if !known.is_empty() => Ok(()),
            _ => {
                self.found.insert(change.holder, (change, shares));
                Ok(())
            }
        }
    }

    fn name(&self, change: &Change) -> Result<String> {
        let name = self.invitation.name(change.holder);
        match name.is_empty() {
            true => {
                let most = self.invitation.holders.len();
                let problem = format!("nobody has this number; allowed are 1 to {most}");
                Err(Error::holder(&format!("holder {}", change.holder), problem))
            }
            false => Ok(name.to_owned()),
        }
    }

    /// The steps in the order of their holders.
    pub(super) fn all(&self) -> impl Iterator<Item = &Change> {
        self.found.values().map(|(change, _)| change)
    }

    /// Names of those among `wanted` who sent nothing.
    pub(super) fn missing(&self, wanted: &[u8]) -> Vec<String> {
        let missing = wanted
            .iter()
            .filter(|number| !self.found.contains_key(number));
        missing
            .map(|&number| self.invitation.name(number).to_owned())
            .collect()
    }

    /// Opens what a holder sealed for this one: the bytes behind what binds it, which are as many as wanted.
    ///
    /// # Errors
    /// [`Error::Holder`].
    pub(super) fn open(
        &self,
        identity: &HolderIdentity,
        (from, to): (u8, u8),
        wanted: impl Fn(usize) -> bool,
    ) -> Result<SecretBytes> {
        let name = self.invitation.name(from);
        let refuse = |problem: &str| Error::holder(name, problem.to_owned());
        let Some((change, shares)) = self.found.get(&from) else {
            return Err(refuse("sent nothing"));
        };
        let sealed = shares.iter().find(|share| {
            (share.announcements, share.holder, share.receiver) == (change.digest, from, to)
        });
        let sealed = sealed
            .ok_or_else(|| refuse("sent nothing for this holder; let the file be sent again"))?;
        let opened = identity.open(sealed.sealed);
        let opened = opened.map_err(|error| refuse(&error.to_string()))?;
        let head = [&change.digest[..], &[from, to]].concat();
        match opened.strip_prefix(&head[..]) {
            Some(body) if wanted(body.len()) => Ok(Zeroizing::new(body.to_vec())),
            _ => Err(refuse(
                "what is sealed is for another holder or step; allowed is what this step says",
            )),
        }
    }
}

fn read<'a>(bytes: &'a [u8], place: &str) -> Result<(Change, Vec<SealedShare<'a>>)> {
    Change::read(bytes).map_err(|error| Error::Wire(error).at(place))
}

/// A step of this holder in the present generation.
pub(super) fn step_of(keys: &HolderKeys, step: ChangeStep, digest: Digest) -> Change {
    Change {
        fingerprint: keys.fingerprint,
        generation: keys.generation,
        step,
        holder: keys.holder,
        digest,
    }
}

/// The bytes of a step, with what it seals for each receiver.
pub(super) fn sealed_step(change: &Change, bodies: &[(u8, &str, SecretBytes)]) -> Result<Vec<u8>> {
    let mut sealed = Vec::new();
    for (receiver, recipient, body) in bodies {
        let head = [&change.digest[..], &[change.holder, *receiver]].concat();
        let mut plaintext = Zeroizing::new(Vec::with_capacity(head.len() + body.len()));
        plaintext.extend_from_slice(&head);
        plaintext.extend_from_slice(body);
        sealed.push((*receiver, seal_to(&[recipient], &plaintext)?));
    }
    let shares = sealed.iter().map(|(receiver, sealed)| SealedShare {
        announcements: change.digest,
        holder: change.holder,
        receiver: *receiver,
        sealed,
    });
    Ok(change.write(&shares.collect::<Vec<_>>()))
}

/// This holder as the one who deals, from its seed of changes.
pub(super) fn dealer<'a>(keys: &'a HolderKeys, seed: &'a [u8; size::HOLDER_SEED]) -> Dealer<'a> {
    Dealer {
        fingerprint: &keys.fingerprint,
        generation: keys.generation,
        holder: keys.holder,
        seed,
    }
}
