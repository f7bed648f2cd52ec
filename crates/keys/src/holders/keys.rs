//! Content of a holder's key file, during the ceremony and after it.

use std::path::Path;

use isopod_wire::codes::{hash_label, size};
use isopod_wire::{
    Authenticator, HolderDraftFile, HolderKeyFile, Invitation, KeyId, Relation, Tag,
};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
#[cfg(feature = "folders")]
use crate::folder::device::DeviceKeys;
#[cfg(feature = "folders")]
use crate::folder::server::ServerKeys;
use crate::holders::identity::{point, HolderIdentity};
use crate::secret::{random, SecretBytes, SecretKey};

/// A holder before the ceremony ends. Not Debug, not Clone.
pub struct HolderDraft {
    /// The agreement of the holders.
    pub invitation: Invitation,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// To which shares are encrypted.
    pub identity: HolderIdentity,
    /// Hides the commitment.
    pub blind: Zeroizing<[u8; size::BLIND]>,
    /// Seed of the holder's part of the key.
    pub seed: Zeroizing<[u8; size::HOLDER_SEED]>,
}

/// Keys of a holder. Not Debug, not Clone.
pub struct HolderKeys {
    /// The agreement of the holders.
    pub invitation: Invitation,
    /// Digest of the ceremony.
    pub fingerprint: [u8; size::DIGEST],
    /// Name of the key.
    pub key_id: KeyId,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// To which contributions are encrypted.
    pub identity: HolderIdentity,
    /// Recipients of all holders, in order.
    pub recipients: Vec<String>,
    /// Packed share of the secret key; the transport key where a board has the share.
    pub share: SecretBytes,
    /// Key shared with the server.
    pub link: SecretKey,
    /// Key that device keys are derived from.
    pub device_master: SecretKey,
    /// How often the shares were refreshed.
    pub generation: u32,
    /// Contributions made.
    pub(crate) used: u64,
    /// Seed of what this holder deals in a change.
    change: Option<Zeroizing<[u8; size::HOLDER_SEED]>>,
    /// Transcript of a refresh and the packed share after it.
    next: SecretBytes,
}

/// Everything that a holder gains in a ceremony.
pub struct EndedCeremony {
    /// Digest of the ceremony.
    pub fingerprint: [u8; size::DIGEST],
    /// Name of the key.
    pub key_id: KeyId,
    /// Recipients of all holders, in order.
    pub recipients: Vec<String>,
    /// Packed share of the secret key.
    pub share: SecretBytes,
    /// Link key and device master, one after the other.
    pub link_and_master: Zeroizing<[u8; 2 * size::LINK_KEY]>,
}

impl HolderDraft {
    /// Draws what a holder needs.
    ///
    /// Errors: [`KeysError::Entropy`].
    pub fn random(invitation: Invitation, holder: u8) -> Result<Self> {
        Ok(Self {
            invitation,
            holder,
            identity: HolderIdentity::random(),
            blind: Zeroizing::new(random()?),
            seed: Zeroizing::new(random()?),
        })
    }

    /// Reads the content of a key file at a path, which errors name.
    ///
    /// Errors: [`KeysError::Content`], [`KeysError::Identity`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let file = HolderDraftFile::read(bytes).map_err(KeysError::content(path))?;
        let invitation = Invitation::read(file.invitation).map_err(KeysError::content(path))?;
        Ok(Self {
            invitation,
            holder: file.holder,
            identity: HolderIdentity::parse(file.identity)?,
            blind: Zeroizing::new(*file.blind),
            seed: Zeroizing::new(*file.seed),
        })
    }

    /// The content of the key file.
    pub fn file(&self) -> SecretBytes {
        let identity = self.identity.text();
        let file = HolderDraftFile {
            invitation: &self.invitation.write(),
            holder: self.holder,
            identity: &identity,
            blind: &self.blind,
            seed: &self.seed,
        };
        Zeroizing::new(file.write())
    }
}

impl HolderKeys {
    /// Keys that have contributed to nothing.
    pub fn new(draft: HolderDraft, ended: EndedCeremony) -> Self {
        let [link, device_master] = [0, size::LINK_KEY].map(|at| {
            let mut key = Zeroizing::new([0; size::LINK_KEY]);
            key.copy_from_slice(&ended.link_and_master[at..at + size::LINK_KEY]);
            SecretKey::from_bytes(&key)
        });
        Self {
            invitation: draft.invitation,
            fingerprint: ended.fingerprint,
            key_id: ended.key_id,
            holder: draft.holder,
            identity: draft.identity,
            recipients: ended.recipients,
            share: ended.share,
            link,
            device_master,
            generation: 0,
            used: 0,
            change: None,
            next: SecretBytes::default(),
        }
    }

    /// Keys of a holder who took over the number of a lost one, with shares of this generation and contributions made by then.
    pub fn taken_over(self, generation: u32, used: u64) -> Self {
        Self {
            generation,
            used,
            ..self
        }
    }

    /// Reads the content of a key file at a path, which errors name.
    ///
    /// Errors: [`KeysError::Content`], [`KeysError::Identity`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let file = HolderKeyFile::read(bytes).map_err(KeysError::content(path))?;
        let invitation = Invitation::read(file.invitation).map_err(KeysError::content(path))?;
        Ok(Self {
            invitation,
            fingerprint: *file.fingerprint,
            key_id: file.key_id,
            holder: file.holder,
            identity: HolderIdentity::parse(file.identity)?,
            recipients: file.recipients.split(',').map(str::to_owned).collect(),
            share: Zeroizing::new(file.share.to_vec()),
            link: SecretKey::from_bytes(file.link),
            device_master: SecretKey::from_bytes(file.device_master),
            generation: file.generation,
            used: file.used,
            change: file.change.copied().map(Zeroizing::new),
            next: Zeroizing::new(file.next.to_vec()),
        })
    }

    /// The content of the key file.
    pub fn file(&self) -> SecretBytes {
        let identity = self.identity.text();
        let file = HolderKeyFile {
            invitation: &self.invitation.write(),
            fingerprint: &self.fingerprint,
            key_id: self.key_id,
            holder: self.holder,
            identity: &identity,
            recipients: &self.recipients.join(","),
            share: &self.share,
            link: self.link.expose(),
            device_master: self.device_master.expose(),
            used: self.used,
            generation: self.generation,
            change: self.change.as_deref(),
            next: &self.next,
        };
        Zeroizing::new(file.write())
    }

    /// Contributions made so far.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Whether the share was wiped, so that this holder opens nothing more.
    pub fn is_ended(&self) -> bool {
        self.share.is_empty()
    }

    /// Numbers of the holders who did not end their shares, ascending.
    pub fn current(&self) -> Vec<u8> {
        let numbered = (1..).zip(&self.recipients);
        let current = numbered.filter(|(_, recipient)| !recipient.is_empty());
        current.map(|(number, _)| number).collect()
    }

    /// The key that this holder and the one with another number share (`spec/owners.md`, section 3).
    ///
    /// Errors: [`KeysError::Recipient`] if nobody else has the number, or whoever had it ended the key.
    pub fn pair_key(&self, other: u8) -> Result<Zeroizing<[u8; size::PAIR_KEY]>> {
        let recipient = usize::from(other).checked_sub(1);
        let recipient = recipient.and_then(|at| self.recipients.get(at));
        let recipient = recipient.ok_or(KeysError::Recipient)?;
        let shared = self.identity.agree(recipient)?;
        let mut ends = [
            (self.holder, point(&self.identity.recipient())?),
            (other, point(recipient)?),
        ];
        ends.sort_unstable();
        let mut hash = Shake256::default();
        hash.update(hash_label::OWNERS_PAIR_KEY);
        hash.update(&self.fingerprint);
        for (number, point) in ends {
            hash.update(&[number]);
            hash.update(&point);
        }
        hash.update(shared.as_bytes());
        let mut key = Zeroizing::new([0; size::PAIR_KEY]);
        hash.finalize_xof().read(key.as_mut());
        Ok(key)
    }

    /// Seed of what this holder deals in a change.
    ///
    /// Errors: [`KeysError::NoChange`] outside of one.
    pub fn change_seed(&self) -> Result<Zeroizing<[u8; size::HOLDER_SEED]>> {
        self.change.clone().ok_or(KeysError::NoChange)
    }

    /// Draws the seed of a change, unless one is under way. Whether it was drawn now, and is to be kept.
    ///
    /// Errors: [`KeysError::Entropy`].
    pub fn begin_change(&mut self) -> Result<bool> {
        let is_new = self.change.is_none();
        if is_new {
            self.change = Some(Zeroizing::new(random()?));
        }
        Ok(is_new)
    }

    /// Keeps the packed share after a refresh beside the one before it, with the transcript.
    pub fn prepare(&mut self, transcript: &[u8; size::DIGEST], share: &[u8]) {
        let mut next = Zeroizing::new(Vec::with_capacity(transcript.len() + share.len()));
        next.extend_from_slice(transcript);
        next.extend_from_slice(share);
        self.next = next;
    }

    /// Ends a refresh: the prepared share takes the place of the one before it, which is wiped with the seed.
    ///
    /// Errors: [`KeysError::NoChange`] if none is prepared.
    pub fn refresh(&mut self) -> Result<()> {
        let (_, share) = self.next().ok_or(KeysError::NoChange)?;
        self.share = Zeroizing::new(share.to_vec());
        self.generation += 1;
        self.change = None;
        self.next = SecretBytes::default();
        Ok(())
    }

    /// Seals for another recipient of a holder from now on, or for none with an empty text. Whether that is a change.
    ///
    /// Errors: [`KeysError::Recipient`] for a number that no holder has.
    pub fn replace_recipient(&mut self, holder: u8, recipient: &str) -> Result<bool> {
        let at = usize::from(holder).wrapping_sub(1);
        let place = self.recipients.get_mut(at).ok_or(KeysError::Recipient)?;
        let is_new = place != recipient;
        recipient.clone_into(place);
        Ok(is_new)
    }

    /// Wipes the share and all that a change left.
    pub fn end(&mut self) {
        self.share = SecretBytes::default();
        self.change = None;
        self.next = SecretBytes::default();
    }

    /// Transcript of a refresh and the packed share after it, once they are known.
    pub fn next(&self) -> Option<([u8; size::DIGEST], &[u8])> {
        let (transcript, share) = self.next.split_first_chunk()?;
        Some((*transcript, share))
    }

    /// Counts contributions, where `least` of them are known to be made. Whoever calls it keeps the new content of the file
    /// before any of them is given away.
    ///
    /// Errors: [`KeysError::Behind`] at a path for an old copy of the file; [`KeysError::SharesUsedUp`].
    pub fn charge(&mut self, path: &Path, least: u64, contributions: u64) -> Result<()> {
        let (found, declared) = (self.used, self.invitation.queries);
        if found < least {
            let path = path.to_owned();
            return Err(KeysError::Behind { path, found, least });
        }
        let used = found.checked_add(contributions);
        self.used = used
            .filter(|&used| used <= declared)
            .ok_or(KeysError::SharesUsedUp {
                declared,
                used: found,
                wanted: contributions,
            })?;
        Ok(())
    }

    /// The key shared with the board that has the share; None while this folder has it.
    pub fn board(&self) -> Option<SecretKey> {
        let key = self.share.as_slice().try_into().ok()?;
        Some(SecretKey::from_bytes(key))
    }

    /// The keys that the server may hold.
    #[cfg(feature = "folders")]
    pub fn server_keys(&self) -> ServerKeys {
        let copy = |key: &SecretKey| SecretKey::from_bytes(key.expose());
        let set = isopod_wire::AnySet::Rns(self.invitation.params);
        ServerKeys::from_secrets(
            set,
            self.key_id,
            copy(&self.link),
            copy(&self.device_master),
        )
    }

    /// The keys that one device may hold.
    #[cfg(feature = "folders")]
    pub fn device_keys(&self, device: u64) -> DeviceKeys {
        DeviceKeys::new(self.key_id, device, self.device_master.device_key(device))
    }
}

impl Authenticator for HolderKeys {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Link && self.link.verify(nonce, message, tag)
    }
}
