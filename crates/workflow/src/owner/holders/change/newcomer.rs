//! The newcomer's side of a replacement: from pieces to a share.

use std::path::Path;

use isopod_holders::announce;
use isopod_keys::{
    read_public_key, EndedCeremony, HolderFolder, HolderKeys, KeysError, Passphrase, SecretBytes,
};
use isopod_linear::{Machine, Ring};
use isopod_owners::{add, pack_polynomial, replacement_session, unpack_polynomial, Answering};
use isopod_wire::codes::size;
use isopod_wire::KeyId;
use zeroize::Zeroizing;

use crate::owner::holders::change::steps::{Received, Steps};
use crate::{Error, Result};

/// Bytes behind the residues of a piece, before the recipients.
const FACTS: usize = 2 * size::LINK_KEY + size::KEY_ID + 8;

/// Makes the keys of a newcomer from the pieces of all helpers and the public key of any holder or device.
///
/// # Errors
/// [`Error::Holder`] names whose piece does not fit; [`Error::Parameter`] for a folder that holds a key already; [`Error::Owners`]
/// for too few pieces; [`Error::Keys`], what `passphrase` returns.
pub fn take_over<E: From<KeysError> + From<Error>>(
    folder: &Path,
    public: &Path,
    received: &[Received],
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<(KeyId, u32), E> {
    Ok(take(
        &HolderFolder::open(folder, passphrase)?,
        public,
        received,
    )?)
}

fn take(folder: &HolderFolder, public: &Path, received: &[Received]) -> Result<(KeyId, u32)> {
    if let Some(keys) = folder.keys()? {
        return Ok((keys.key_id, keys.generation));
    }
    let draft = folder.draft()?;
    let steps = Steps::of_newcomer(&draft.invitation, received)?;
    let numbers = steps.all().map(|piece| piece.holder).collect();
    let helpers = Answering::new(&draft.invitation, numbers)?;
    let (_, own) = announce(&draft)?;
    let mut joined: Option<Joined> = None;
    for piece in steps.all() {
        let name = draft.invitation.name(piece.holder);
        let key = (&piece.fingerprint, piece.generation);
        if piece.digest != replacement_session(key, &own, &helpers) {
            let problem = "gave a piece to another newcomer, of another generation, or with other helpers; allowed are the pieces of \
                           one replacement";
            return Err(Error::holder(name, problem.to_owned()));
        }
        let set = draft.invitation.params;
        let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
        let bits: usize = ring.moduli().iter().map(|one| one.bits() as usize).sum();
        let residues = bits * ring.degree() / 8;
        let body = steps.open(&draft.identity, (piece.holder, draft.holder), |length| {
            length > residues + FACTS
        })?;
        let (residues, facts) = body.split_at(residues);
        let polynomial = unpack_polynomial(&ring, "share", residues)?;
        match &mut joined {
            None => {
                joined = Some(Joined {
                    fingerprint: piece.fingerprint,
                    generation: piece.generation,
                    facts: Zeroizing::new(facts.to_vec()),
                    share: pack_polynomial(&ring, &polynomial),
                });
            }
            Some(joined) => joined.add(&ring, (name, polynomial, facts))?,
        }
    }
    let Some(joined) = joined else {
        return Err(Error::parameter(
            "in",
            "no pieces; allowed are those of all helpers",
        ));
    };
    let keys = joined.keys(draft)?;
    let blob = read_public_key(public, Some(keys.key_id))?;
    folder.finish(&keys, &blob)?;
    Ok((keys.key_id, keys.generation))
}

/// Pieces so far.
struct Joined {
    fingerprint: [u8; size::DIGEST],
    generation: u32,
    facts: SecretBytes,
    share: SecretBytes,
}

impl Joined {
    fn add(
        &mut self,
        ring: &Ring,
        (name, polynomial, facts): (&str, isopod_owners::Polynomial, &[u8]),
    ) -> Result<()> {
        let count = FACTS - 8..FACTS;
        let others = |facts: &[u8]| [&facts[..count.start], &facts[count.end..]].concat();
        if Zeroizing::new(others(facts)) != Zeroizing::new(others(&self.facts)) {
            let problem = "has another key or other recipients than the helpers before; allowed are equal ones".to_owned();
            return Err(Error::holder(name, problem));
        }
        let used = used(facts).max(used(&self.facts));
        self.facts[count].copy_from_slice(&used.to_le_bytes());
        let mut share = unpack_polynomial(ring, "share", &self.share)?;
        add(ring, &mut share, &polynomial);
        self.share = pack_polynomial(ring, &share);
        Ok(())
    }

    /// The keys: the count of contributions is the largest of those of the helpers.
    fn keys(self, draft: isopod_keys::HolderDraft) -> Result<HolderKeys> {
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
            share: self.share,
            link_and_master,
        };
        Ok(HolderKeys::new(draft, ended).taken_over(self.generation, used(&self.facts)))
    }
}

fn used(facts: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&facts[FACTS - 8..FACTS]);
    u64::from_le_bytes(bytes)
}
