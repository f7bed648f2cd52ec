//! Files that holders received from each other in a ceremony: sorted by holder, checked against what they agreed on.

use std::collections::BTreeMap;

use isopod_owners::commitment;
use isopod_wire::codes::{kind, size};
use isopod_wire::{kind_of_owners, Announcement, Invitation, Opening, SealedShare, WireError};
use sha3::{Digest as _, Sha3_256};

use crate::{HoldersError as Error, Result};

type Digest = [u8; size::DIGEST];

/// Kinds of files that holders send each other.
const FILES: &str = "53, 54 or 55, a file of a ceremony of several owners";

/// Files of a ceremony, by the number of their holder.
pub(crate) struct Received<'a> {
    invitation: &'a Invitation,
    announcements: BTreeMap<u8, Announcement>,
    openings: BTreeMap<u8, (Opening<'a>, Vec<SealedShare<'a>>)>,
}

impl<'a> Received<'a> {
    /// Nothing yet.
    pub(crate) fn new(invitation: &'a Invitation) -> Self {
        Self {
            invitation,
            announcements: BTreeMap::new(),
            openings: BTreeMap::new(),
        }
    }

    /// Takes a file of any kind of the ceremony; one that is there already changes nothing.
    ///
    /// # Errors
    /// [`Error::Wire`] for other files; [`Error::Holder`] for one of another ceremony, and for a second one that differs.
    pub(crate) fn take(&mut self, bytes: &'a [u8]) -> Result<()> {
        match kind_of_owners(bytes)? {
            kind::OWNERS_ANNOUNCEMENT => self.announce(Announcement::read(bytes)?),
            kind::OWNERS_OPENING => self.open(bytes),
            kind::OWNERS_INVITATION => {
                let other = Invitation::read(bytes)?;
                let is_this = &other == self.invitation;
                self.expect(
                    other.name(1),
                    is_this,
                    "the invitation is of another ceremony",
                )
            }
            found => Err(Error::Wire(WireError::UnknownKind {
                found,
                allowed: FILES,
            })),
        }
    }

    fn announce(&mut self, announcement: Announcement) -> Result<()> {
        let wanted: Digest = Sha3_256::digest(self.invitation.write()).into();
        let name = self.name(announcement.holder)?;
        let is_of = announcement.invitation == wanted;
        self.expect(&name, is_of, "the announcement is of another ceremony")?;
        let twice = |other: &Announcement| {
            other.recipient == announcement.recipient && other.holder != announcement.holder
        };
        let is_alone = !self.announcements.values().any(twice);
        self.expect(
            &name,
            is_alone,
            "another holder announced the same recipient",
        )?;
        let known = self.announcements.get(&announcement.holder);
        let is_same = known.is_none_or(|known| known == &announcement);
        self.expect(&name, is_same, "two announcements differ")?;
        self.announcements.insert(announcement.holder, announcement);
        Ok(())
    }

    fn open(&mut self, bytes: &'a [u8]) -> Result<()> {
        let (opening, shares) = Opening::read(bytes)?;
        let name = self.name(opening.holder)?;
        let known = self.openings.get(&opening.holder);
        let is_same = known.is_none_or(|(known, _)| known == &opening);
        self.expect(&name, is_same, "two openings differ")?;
        self.openings.insert(opening.holder, (opening, shares));
        Ok(())
    }

    /// The name of a holder; refuses a number that nobody has.
    fn name(&self, number: u8) -> Result<String> {
        let name = self.invitation.name(number);
        let most = self.invitation.holders.len();
        let problem = || format!("nobody has this number; allowed are 1 to {most}");
        match name.is_empty() {
            true => Err(Error::holder(&format!("holder {number}"), problem())),
            false => Ok(name.to_owned()),
        }
    }

    fn expect(&self, name: &str, holds: bool, problem: &str) -> Result<()> {
        match holds {
            true => Ok(()),
            false => Err(Error::holder(
                name,
                format!("{problem}; allowed are the files that each holder made for this invitation, once"),
            )),
        }
    }

    /// Names of holders whose announcement is missing.
    pub(crate) fn without_announcement(&self) -> Vec<String> {
        self.without(|number| self.announcements.contains_key(&number))
    }

    /// Names of holders whose opening is missing.
    pub(crate) fn without_opening(&self) -> Vec<String> {
        self.without(|number| self.openings.contains_key(&number))
    }

    fn without(&self, has: impl Fn(u8) -> bool) -> Vec<String> {
        let numbered = (1..).zip(&self.invitation.holders);
        let missing = numbered.filter(|&(number, _)| !has(number));
        missing.map(|(_, name)| name.clone()).collect()
    }

    /// Recipients of all holders who announced one, in order.
    pub(crate) fn recipients(&self) -> Vec<String> {
        let all = self.announcements.values();
        all.map(|one| one.recipient.clone()).collect()
    }

    /// SHA3-256 of the invitation and all announcements.
    pub(crate) fn digest(&self) -> Digest {
        let mut hash = Sha3_256::new_with_prefix(self.invitation.write());
        for announcement in self.announcements.values() {
            hash.update(announcement.write());
        }
        hash.finalize().into()
    }

    /// The openings in the order of their holders, each of which is what its holder committed to.
    ///
    /// # Errors
    /// [`Error::Holder`] names the holder.
    pub(crate) fn openings(&self) -> Result<Vec<&Opening<'a>>> {
        let (invitation, digest) = (
            Sha3_256::digest(self.invitation.write()).into(),
            self.digest(),
        );
        for (number, (opening, _)) in &self.openings {
            let name = self.name(*number)?;
            let is_of = opening.announcements == digest;
            self.expect(&name, is_of, "saw other announcements than these")?;
            let found = commitment((&invitation, *number), &opening.blind, opening.public);
            let wanted = self.announcements.get(number).map(|one| one.commitment);
            let is_committed = wanted == Some(found);
            self.expect(
                &name,
                is_committed,
                "opened another part of the key than was announced",
            )?;
        }
        Ok(self.openings.values().map(|(opening, _)| opening).collect())
    }

    /// The share that a holder sealed for another one.
    ///
    /// # Errors
    /// [`Error::Holder`] if there is none.
    pub(crate) fn share(&self, (from, to): (u8, u8)) -> Result<&'a [u8]> {
        let digest = self.digest();
        let of = self.openings.get(&from).map(|(_, shares)| shares);
        let found = of.into_iter().flatten().find(|share| {
            (share.announcements, share.holder, share.receiver) == (digest, from, to)
        });
        let missing = || {
            let problem = format!(
                "sent no share for {}; let the opening be sent again",
                self.invitation.name(to)
            );
            Error::holder(self.invitation.name(from), problem)
        };
        found.map(|share| share.sealed).ok_or_else(missing)
    }
}
