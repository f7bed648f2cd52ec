//! The newcomer's side of a replacement: from pieces to a share.

use isopod_keys::{EndedCeremony, HolderDraft, HolderKeys, SecretBytes};
use isopod_linear::{Machine, Ring};
use isopod_owners::{
    add, pack_polynomial, replacement_session, unpack_polynomial, Answering, Polynomial,
};
use isopod_wire::codes::size;
use isopod_wire::{Change, KeyId};
use zeroize::Zeroizing;

use crate::ceremony::announce;
use crate::change::steps::{Received, Steps};
use crate::{HoldersError as Error, Result};

/// Bytes behind the residues of a piece, before the recipients.
const FACTS: usize = 2 * size::LINK_KEY + size::KEY_ID + 8;

/// Makes the keys of a newcomer from the pieces of all helpers. The count of contributions goes on where those of the helpers
/// together are.
///
/// # Errors
/// [`Error::Holder`] names whose piece does not fit; [`Error::Owners`] for too few pieces.
pub fn take_over(draft: HolderDraft, received: &[Received]) -> Result<HolderKeys> {
    let steps = Steps::of_newcomer(&draft.invitation, received)?;
    check_session(&draft, &steps)?;
    let set = draft.invitation.params;
    let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
    let mut joined: Option<Joined> = None;
    for piece in steps.all() {
        let (polynomial, facts) = opened(&ring, &draft, (&steps, piece.holder))?;
        match &mut joined {
            None => {
                joined = Some(Joined {
                    fingerprint: piece.fingerprint,
                    generation: piece.generation,
                    facts,
                    share: polynomial,
                });
            }
            Some(joined) => {
                joined.add(
                    &ring,
                    draft.invitation.name(piece.holder),
                    (&polynomial, &facts),
                )?;
            }
        }
    }
    let Some(joined) = joined else {
        let problem = "no pieces; allowed are those of all helpers";
        return Err(Error::parameter("in", problem));
    };
    let (counted, generation) = (used(&joined.facts), joined.generation);
    let most = draft.invitation.queries;
    let keys = joined.keys(&ring, draft)?;
    Ok(keys.taken_over(generation, counted.min(most)))
}

/// Refuses pieces that are not of one replacement, by this newcomer and all helpers.
fn check_session(draft: &HolderDraft, steps: &Steps<'_>) -> Result<()> {
    let numbers = steps.all().map(|piece| piece.holder).collect();
    let helpers = Answering::new(&draft.invitation, numbers)?;
    let (_, own) = announce(draft)?;
    let is_other = |piece: &&Change| {
        let key = (&piece.fingerprint, piece.generation);
        piece.digest != replacement_session(key, &own, &helpers)
    };
    match steps.all().find(is_other) {
        None => Ok(()),
        Some(piece) => {
            let problem = "gave a piece to another newcomer, of another generation, or with other helpers; allowed are pieces \
                           of one replacement";
            let name = draft.invitation.name(piece.holder);
            Err(Error::holder(name, problem.to_owned()))
        }
    }
}

/// The residues of a piece, and what comes with them.
fn opened(
    ring: &Ring,
    draft: &HolderDraft,
    (steps, holder): (&Steps<'_>, u8),
) -> Result<(Polynomial, SecretBytes)> {
    let bits: usize = ring.moduli().iter().map(|one| one.bits() as usize).sum();
    let residues = bits * ring.degree() / 8;
    let body = steps.open(&draft.identity, (holder, draft.holder), |length| {
        length > residues + FACTS
    })?;
    let (residues, facts) = body.split_at(residues);
    let polynomial = unpack_polynomial(ring, "share", residues)?;
    Ok((polynomial, Zeroizing::new(facts.to_vec())))
}

/// Pieces so far.
struct Joined {
    fingerprint: [u8; size::DIGEST],
    generation: u32,
    facts: SecretBytes,
    share: Polynomial,
}

impl Joined {
    fn add(
        &mut self,
        ring: &Ring,
        name: &str,
        (polynomial, facts): (&Polynomial, &[u8]),
    ) -> Result<()> {
        let count = FACTS - 8..FACTS;
        let others =
            |facts: &[u8]| Zeroizing::new([&facts[..count.start], &facts[count.end..]].concat());
        if others(facts) != others(&self.facts) {
            let problem = "has another key or other recipients than the helpers before; allowed are equal ones";
            return Err(Error::holder(name, problem.to_owned()));
        }
        let used = used(facts).saturating_add(used(&self.facts));
        self.facts[count].copy_from_slice(&used.to_le_bytes());
        add(ring, &mut self.share, polynomial);
        Ok(())
    }

    /// The keys, without a count.
    fn keys(self, ring: &Ring, draft: HolderDraft) -> Result<HolderKeys> {
        let mut link_and_master = Zeroizing::new([0; 2 * size::LINK_KEY]);
        link_and_master.copy_from_slice(&self.facts[..2 * size::LINK_KEY]);
        let mut key_id = KeyId::default();
        key_id.copy_from_slice(&self.facts[2 * size::LINK_KEY..2 * size::LINK_KEY + size::KEY_ID]);
        let recipients = String::from_utf8_lossy(&self.facts[FACTS..]).into_owned();
        let recipients: Vec<String> = recipients.split(',').map(str::to_owned).collect();
        if recipients.len() != draft.invitation.holders.len() {
            let problem = "another number of recipients; allowed is one for each holder";
            return Err(Error::parameter("in", problem));
        }
        let ended = EndedCeremony {
            fingerprint: self.fingerprint,
            key_id,
            recipients,
            share: pack_polynomial(ring, &self.share),
            link_and_master,
        };
        Ok(HolderKeys::new(draft, ended))
    }
}

fn used(facts: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&facts[FACTS - 8..FACTS]);
    u64::from_le_bytes(bytes)
}
