//! The ceremony in which several owners make one key (`spec/owners.md`, section 1).

use isopod_device::expand_mask;
use isopod_keys::{joint_public_blob, seal_to, EndedCeremony, HolderDraft, SecretBytes};
use isopod_linear::{Machine, Ring};
use isopod_owners::{
    add, commitment, joint_public, mask_seed, pack_polynomial, unpack_polynomial, Circuit,
    HolderPart,
};
use isopod_wire::codes::size;
use isopod_wire::{Announcement, KeyId, Opening, SealedShare, Suite};
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::received::Received;
use crate::{HoldersError as Error, Result};

type Digest = [u8; size::DIGEST];

/// Bytes of a sealed share before the residues: which announcements, giver and receiver.
const SHARE_HEAD: usize = size::DIGEST + 2;

/// How far a ceremony is.
pub enum Step {
    /// Announcements of these holders are missing.
    Announcements(Vec<String>),
    /// The holder's opening, to be sent; those of these holders are missing.
    Openings(Vec<u8>, Vec<String>),
    /// The key is made: the holder's opening, what the holder gains, and the blob of the public key.
    Finished(Vec<u8>, Box<EndedCeremony>, Vec<u8>),
}

/// A holder in a ceremony: what all know, and the own part.
struct Ceremony<'a> {
    draft: &'a HolderDraft,
    invitation: Digest,
    ring: Ring,
    mask_seed: [u8; size::MASK_SEED],
    mask: Vec<Vec<u64>>,
}

/// Begins a ceremony as the first holder, or joins one: the announcement, and what the noise allows.
///
/// # Errors
/// [`Error::Owners`] for a set without room; [`Error::Wire`] for an invitation that none has.
pub fn announce(draft: &HolderDraft) -> Result<(Circuit, Vec<u8>)> {
    draft.invitation.check()?;
    let circuit = Circuit::new(&draft.invitation)?;
    let announcement = Ceremony::of(draft)?.announcement()?;
    Ok((circuit, announcement.write()))
}

/// Goes on with a ceremony as far as the files of the other holders allow, each with its place. It may be repeated: openings are
/// equal up to the encryption of their shares, so the first one is kept and sent.
///
/// # Errors
/// [`Error::Holder`] names whose file does not fit; [`Error::At`] says which file.
pub fn go_on(draft: &HolderDraft, received: &[(String, Vec<u8>)]) -> Result<Step> {
    let ceremony = Ceremony::of(draft)?;
    let own = ceremony.announcement()?.write();
    let mut files = Received::new(&draft.invitation);
    files.take(&own)?;
    for (place, bytes) in received {
        files.take(bytes).map_err(|error| error.at(place))?;
    }
    let missing = files.without_announcement();
    if !missing.is_empty() {
        return Ok(Step::Announcements(missing));
    }
    let public = ceremony.part()?.packed_public(&ceremony.mask)?;
    let own = ceremony.opening(&files, &public)?;
    files.take(&own)?;
    let missing = files.without_opening();
    if !missing.is_empty() {
        return Ok(Step::Openings(own.clone(), missing));
    }
    let (blob, key_id, fingerprint) = ceremony.public(&files)?;
    let (share, link_and_master) = ceremony.shares(&files)?;
    let ended = EndedCeremony {
        fingerprint,
        key_id,
        recipients: files.recipients(),
        share,
        link_and_master,
    };
    Ok(Step::Finished(own.clone(), Box::new(ended), blob))
}

impl<'a> Ceremony<'a> {
    fn of(draft: &'a HolderDraft) -> Result<Self> {
        let set = draft.invitation.params;
        let invitation = Sha3_256::digest(draft.invitation.write()).into();
        let mask_seed = mask_seed(&invitation);
        Ok(Self {
            ring: Ring::new(set, set.data_primes.len(), Machine::best())?,
            mask: expand_mask(set, Suite::Chacha20, &mask_seed)?,
            draft,
            invitation,
            mask_seed,
        })
    }

    fn part(&self) -> Result<HolderPart<'_>> {
        let who = (&self.invitation, self.draft.holder);
        Ok(HolderPart::derive(&self.ring, who, &self.draft.seed)?)
    }

    fn announcement(&self) -> Result<Announcement> {
        let public = self.part()?.packed_public(&self.mask)?;
        let who = (&self.invitation, self.draft.holder);
        Ok(Announcement {
            invitation: self.invitation,
            holder: self.draft.holder,
            recipient: self.draft.identity.recipient(),
            commitment: commitment(who, &self.draft.blind, &public),
        })
    }

    /// The opening, with a share for each other holder.
    fn opening(&self, files: &Received<'_>, public: &[u8]) -> Result<Vec<u8>> {
        let (digest, part) = (files.digest(), self.part()?);
        let mut sealed = Vec::new();
        for (receiver, recipient) in (1u8..).zip(files.recipients()) {
            if receiver == self.draft.holder {
                continue;
            }
            let share = part.share(self.draft.invitation.threshold, receiver)?;
            let residues = pack_polynomial(&self.ring, &share);
            let room = SHARE_HEAD + residues.len() + 2 * size::LINK_KEY;
            let mut plaintext = Zeroizing::new(Vec::with_capacity(room));
            plaintext.extend_from_slice(&digest);
            plaintext.extend_from_slice(&[self.draft.holder, receiver]);
            plaintext.extend_from_slice(&residues);
            if self.draft.holder == 1 {
                plaintext.extend_from_slice(part.link_and_master().as_ref());
            }
            sealed.push((receiver, seal_to(&[&recipient], &plaintext)?));
        }
        let shares = sealed.iter().map(|(receiver, sealed)| SealedShare {
            announcements: digest,
            holder: self.draft.holder,
            receiver: *receiver,
            sealed,
        });
        let opening = Opening {
            announcements: digest,
            holder: self.draft.holder,
            blind: *self.draft.blind,
            public,
        };
        Ok(opening.write(&shares.collect::<Vec<_>>()))
    }

    /// The packed share of the secret key, with link key and device master.
    fn shares(
        &self,
        files: &Received<'_>,
    ) -> Result<(SecretBytes, Zeroizing<[u8; 2 * size::LINK_KEY]>)> {
        let (me, invitation) = (self.draft.holder, &self.draft.invitation);
        let part = self.part()?;
        let mut sum = part.share(invitation.threshold, me)?;
        let mut link = part.link_and_master();
        let packed = pack_polynomial(&self.ring, &sum).len();
        for from in (1..=invitation.holders.len() as u8).filter(|&from| from != me) {
            let name = invitation.name(from);
            let refuse = |problem: &str| Error::holder(name, problem.to_owned());
            let plaintext = self.draft.identity.open(files.share((from, me))?);
            let plaintext = plaintext.map_err(|error| refuse(&error.to_string()))?;
            let wanted = [&files.digest()[..], &[from, me]].concat();
            let Some(body) = plaintext.strip_prefix(&wanted[..]) else {
                return Err(refuse(
                    "the share is for another holder or ceremony; allowed is one of this opening",
                ));
            };
            let keys = if from == 1 { 2 * size::LINK_KEY } else { 0 };
            if body.len() != packed + keys {
                return Err(refuse(
                    "the share has another length; allowed is one under the set of the invitation",
                ));
            }
            let (residues, keys) = body.split_at(packed);
            add(
                &self.ring,
                &mut sum,
                &unpack_polynomial(&self.ring, "share", residues)?,
            );
            if from == 1 {
                link.copy_from_slice(keys);
            }
        }
        Ok((pack_polynomial(&self.ring, &sum), link))
    }

    /// The blob of the public key, its name, and the fingerprint of the ceremony.
    fn public(&self, files: &Received<'_>) -> Result<(Vec<u8>, KeyId, Digest)> {
        let openings = files.openings()?;
        let mut hash = Sha3_256::new_with_prefix(files.digest());
        let mut parts = Vec::new();
        for opening in openings {
            hash.update(opening.blind);
            hash.update(opening.public);
            parts.push(unpack_polynomial(&self.ring, "public", opening.public)?);
        }
        let pk0 = joint_public(&self.ring, &parts);
        let set = self.draft.invitation.params;
        let (blob, key_id) = joint_public_blob(set, &self.mask_seed, [&pk0, &self.mask]);
        Ok((blob, key_id, hash.finalize().into()))
    }
}
