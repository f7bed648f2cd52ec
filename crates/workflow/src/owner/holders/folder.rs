//! The folder of one of several owners: where the steps of `isopod-holders` keep what they need (`spec/owners.md`).

use std::path::Path;

use isopod_device::Decryptor;
use isopod_holders::{announce, go_on, Answer, HoldersError, Step};
use isopod_keys::{
    zero_key_blob, HolderDraft, HolderFolder, HolderKeys, HolderPlace, KeysError, NewFolder,
    Passphrase, Protection,
};
use isopod_owners::{Answering, Circuit, Plan};
use isopod_wire::codes::size;
use isopod_wire::{AnySet, EncryptedResult, Invitation, KeyId};

use crate::owner::decryption::{read, slots};
use crate::owner::holders::board;
use crate::owner::holders::fleet::finished;
use crate::owner::holders::tags::{own_pads, verifier};
use crate::owner::opening::opened::Opened;
use crate::owner::verification::Verified;
use crate::request::several_owners::check_job;
use crate::server::folder::INVITATION_FILE;
use crate::{Error, Request, Result, Results};

/// How far a ceremony is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CeremonyStep {
    /// Announcements of these holders are missing.
    Announcements(Vec<String>),
    /// The opening is in the folder, under this name; those of these holders are missing.
    Openings(String, Vec<String>),
    /// The key is made.
    Finished(KeyId, [u8; size::DIGEST]),
}

/// Begins a ceremony as the first holder, or joins one, in a new folder: key file, invitation and announcement.
///
/// # Errors
/// [`Error::Owners`] for a set without room; [`Error::Wire`] for an invitation that none has; [`Error::Keys`].
pub fn join_ceremony(
    (invitation, holder): (Invitation, u8),
    into: &NewFolder,
    protection: &Protection,
) -> Result<Circuit> {
    let draft = HolderDraft::random(invitation, holder)?;
    let (circuit, announcement) = announce(&draft)?;
    HolderFolder::save(into, &draft, protection)?;
    into.write(INVITATION_FILE, &draft.invitation.write())?;
    let name = format!("announcement-{}", draft.invitation.name(holder));
    into.write(&name, &announcement)?;
    Ok(circuit)
}

/// Goes on with a ceremony as far as the files of the other holders allow, each with its place. Each step may be repeated.
///
/// # Errors
/// [`Error::Holder`] names whose file does not fit; [`Error::Keys`], what `passphrase` returns.
pub fn continue_ceremony<E: From<KeysError> + From<Error>>(
    folder: &Path,
    received: &[(String, Vec<u8>)],
    passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
) -> std::result::Result<CeremonyStep, E> {
    let mut folder = HolderFolder::open(folder, passphrase)?;
    if let Some(keys) = folder.keys()? {
        return Ok(CeremonyStep::Finished(keys.key_id, keys.fingerprint));
    }
    Ok(step(&mut folder, received)?)
}

fn step(folder: &mut HolderFolder, received: &[(String, Vec<u8>)]) -> Result<CeremonyStep> {
    let draft = folder.draft()?;
    let name = format!("opening-{}", draft.invitation.name(draft.holder));
    match go_on(&draft, received)? {
        Step::Announcements(missing) => Ok(CeremonyStep::Announcements(missing)),
        Step::Openings(opening, missing) => {
            keep(folder, &name, &opening)?;
            Ok(CeremonyStep::Openings(name, missing))
        }
        Step::Finished(opening, ended, blob) => {
            keep(folder, &name, &opening)?;
            let keys = HolderKeys::new(draft, *ended);
            folder.finish(&keys, &blob)?;
            Ok(CeremonyStep::Finished(keys.key_id, keys.fingerprint))
        }
    }
}

/// Writes an opening unless there is one, which may be sent already.
fn keep(folder: &mut HolderFolder, name: &str, opening: &[u8]) -> Result<()> {
    match folder.has(name) {
        true => Ok(()),
        false => Ok(folder.write(name, opening)?),
    }
}

/// A holder with an answer of the server.
pub struct HolderAnswer {
    folder: HolderFolder,
    results: Results,
    answer: Answer,
    request: Option<Request>,
}

impl HolderAnswer {
    /// Opens a holder's folder, and reads and authenticates the results in `bytes`.
    ///
    /// # Errors
    /// The errors of [`crate::Owner::read`]; [`Error::Parameter`] for what the invitation does not allow; [`Error::Owners`] for a
    /// result without room for the noise; what `passphrase` returns.
    pub fn open<E: From<KeysError> + From<Error>>(
        folder: &Path,
        bytes: &[u8],
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E> {
        let folder = HolderFolder::open(folder, passphrase)?;
        let keys = finished(&folder)?;
        Ok(Self::read(folder, keys, bytes)?)
    }

    fn read(folder: HolderFolder, keys: HolderKeys, bytes: &[u8]) -> Result<Self> {
        let own = (keys.key_id, AnySet::Rns(keys.invitation.params));
        let results = read(&keys, own, bytes)?;
        let answer = Answer::new(keys, of_slots(&results), bytes)?;
        Ok(Self {
            folder,
            results,
            answer,
            request: None,
        })
    }

    /// The answer to this request.
    ///
    /// # Errors
    /// [`Error::OtherRequest`] for the answer to another one; [`Error::Parameter`] for what the invitation does not allow.
    pub fn of_request(self, request: &Request) -> Result<Self> {
        let invitation = &self.keys().invitation;
        check_job(invitation, &request.job)?;
        self.results
            .check_request(request, AnySet::Rns(invitation.params))?;
        Ok(Self {
            answer: self.answer.asked(),
            request: Some(request.clone()),
            ..self
        })
    }

    /// The holder's keys.
    pub fn keys(&self) -> &HolderKeys {
        self.answer.keys()
    }

    /// The server's answer.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Bytes of values that each result takes in a contribution, and the error of its values.
    pub fn plans(&self) -> &[Plan] {
        self.answer.plans()
    }

    /// Numbers of holders with these names.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that is not invited; [`Error::Owners`] for another number of holders than the threshold.
    pub fn answering(&self, names: &[String]) -> Result<Answering> {
        Ok(self.answer.answering(names)?)
    }

    /// Counts, and only then makes the contribution, encrypted to all who answer.
    ///
    /// # Errors
    /// [`Error::Parameter`] if this holder does not answer, and for weights of an unknown request; [`Error::Keys`] without room
    /// in the count; [`Error::Owners`].
    pub fn contribute(&mut self, answering: &Answering, anchors: &Path) -> Result<Vec<u8>> {
        self.give_pads(answering)?;
        let Self {
            folder,
            results,
            answer,
            ..
        } = self;
        let charge = |keys: &mut HolderKeys, count| folder.charge(keys, anchors, count);
        Ok(answer.contribute(of_slots(results), answering, charge)?)
    }

    /// Counts what the holder's board contributed to each result, and only then makes the contribution of it.
    ///
    /// # Errors
    /// [`Error::Parameter`] if this holder does not answer, if no board has the share, and for what the board did not make for
    /// these results and holders; [`Error::Keys`] without room in the count.
    pub fn contribute_from_board(
        &mut self,
        answering: &Answering,
        anchors: &Path,
        files: &[Vec<u8>],
    ) -> Result<Vec<u8>> {
        let results = of_slots(&self.results);
        let (values, count) = board::values(
            self.answer.keys(),
            (results, self.answer.plans()),
            answering,
            files,
        )?;
        self.give_pads(answering)?;
        let Self { folder, answer, .. } = self;
        let charge = |keys: &mut HolderKeys| {
            let new = count - keys.used();
            folder.charge(keys, anchors, new)
        };
        Ok(answer.contribute_values(answering, values, charge)?)
    }

    /// Lets contributions carry this holder's pads, where these holders share linear tags.
    fn give_pads(&mut self, answering: &Answering) -> Result<()> {
        let own = (&self.folder, self.answer.keys());
        let results = of_slots(&self.results);
        let pads = own_pads(own, results, answering, self.request.as_ref())?;
        self.answer.give_pads(pads.unwrap_or_default());
        Ok(())
    }

    /// Opens the answer with the contributions of all who answer, this holder's among them, and with the proof by linear tags
    /// where this holder verifies what they answer. A refusal is counted in the folder before it is returned.
    ///
    /// # Errors
    /// [`Error::Holder`] names whose contribution does not fit; [`Error::Owners`] for too few, and for what does not open;
    /// [`Error::Unverified`]; [`Error::Contradiction`], [`Error::Device`].
    pub fn combine(&self, sealed: &[Vec<u8>]) -> Result<(Vec<Opened>, Option<Verified>)> {
        let verifier = verifier(&self.folder, self.keys())?;
        let (verified, verifier) = verifier.unzip();
        let verified = verified.unwrap_or_default();
        let results = of_slots(&self.results);
        let results = self.answer.combine(results, sealed, &verified)?;
        let blob = zero_key_blob(self.keys().invitation.params, &self.keys().key_id);
        let mut decryptor = Decryptor::new(&blob)?;
        let each = results.iter().enumerate();
        let opened = each.map(|(at, result)| slots(at, &mut decryptor, result));
        let mut opened: Vec<Opened> = opened.collect::<Result<_>>()?;
        let has_tags = results.iter().any(|result| result.linear_tag.is_some());
        let verified = match verifier.filter(|_| has_tags) {
            Some(verifier) => verifier.verify(&results, &mut opened, self.request.as_ref())?,
            None => None,
        };
        Ok((opened, verified))
    }
}

/// The results, which [`read`] made of the one scheme that keys of several owners have.
fn of_slots(results: &Results) -> &[EncryptedResult] {
    match results {
        Results::Rns(results) => results,
        Results::Tfhe(_) | Results::Pads(_) => &[],
    }
}

impl From<HoldersError> for Error {
    fn from(error: HoldersError) -> Self {
        match error {
            HoldersError::Wire(error) => Self::Wire(error),
            HoldersError::Keys(error) => Self::Keys(error),
            HoldersError::Device(error) => Self::Device(error),
            HoldersError::Linear(error) => Self::Linear(error),
            HoldersError::Owners(error) => Self::Owners(error),
            HoldersError::Holder { holder, problem } => Self::Holder { holder, problem },
            HoldersError::Parameter { field, problem } => Self::Parameter { field, problem },
            HoldersError::At { place, source } => Self::from(*source).at(place),
        }
    }
}
