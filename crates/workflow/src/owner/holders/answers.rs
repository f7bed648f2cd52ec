//! Answers that several owners open together (`spec/owners.md`, section 3).

use std::path::Path;

use isopod_device::Decryptor;
use isopod_keys::{seal_to, zero_key_blob, HolderFolder, HolderKeys, KeysError, Passphrase};
use isopod_linear::{Machine, Ring};
use isopod_owners::{combine, contribute, unpack_polynomial, Answering, Circuit, Plan};
use isopod_wire::codes::size;
use isopod_wire::{AnySet, Contribution, EncryptedResult, Invitation};
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::owner::decryption::{read, slots};
use crate::owner::holders::fleet::finished;
use crate::owner::opened::Opened;
use crate::request::descriptor::JobName;
use crate::request::job::Request;
use crate::request::several_owners::{check_job, check_name};
use crate::{Error, Result, Results};

/// A holder with an answer of the server.
pub struct HolderAnswer {
    folder: HolderFolder,
    keys: HolderKeys,
    results: Results,
    digest: [u8; size::DIGEST],
    plans: Vec<Plan>,
    /// Whether the request that was answered is known, and allowed.
    is_asked: bool,
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
        let circuit = Circuit::new(&keys.invitation)?;
        let plan = |result| allowed(&keys, result).and_then(|()| Ok(circuit.plan(result)?));
        let plans = of_slots(&results).iter().map(plan);
        Ok(Self {
            plans: plans.collect::<Result<_>>()?,
            digest: Sha3_256::digest(bytes).into(),
            folder,
            keys,
            results,
            is_asked: false,
        })
    }

    /// The answer to this request.
    ///
    /// # Errors
    /// [`Error::OtherRequest`] for the answer to another one; [`Error::Parameter`] for what the invitation does not allow.
    pub fn of_request(self, request: &Request) -> Result<Self> {
        check_job(&self.keys.invitation, &request.job)?;
        let set = AnySet::Rns(self.keys.invitation.params);
        self.results.check_request(request, set)?;
        Ok(Self {
            is_asked: true,
            ..self
        })
    }

    /// The holder's keys.
    pub fn keys(&self) -> &HolderKeys {
        &self.keys
    }

    /// The server's answer.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Bytes of values that each result takes in a contribution, and the error of its values.
    pub fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// Numbers of holders with these names.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that is not invited; [`Error::Owners`] for another number of holders than the threshold.
    pub fn answering(&self, names: &[String]) -> Result<Answering> {
        let answering = numbers(&self.keys.invitation, "with", names)?;
        let current = self.keys.current();
        let ended = answering
            .numbers()
            .iter()
            .find(|number| !current.contains(number));
        match ended {
            None => Ok(answering),
            Some(&number) => {
                let name = self.keys.invitation.name(number);
                let problem = format!(
                    "{name} ended this key; allowed are {}",
                    self.names(&current)
                );
                Err(Error::parameter("with", problem))
            }
        }
    }

    /// Counts, and only then makes the contribution, encrypted to all who answer.
    ///
    /// # Errors
    /// [`Error::Parameter`] if this holder does not answer, and for weights of an unknown request; [`Error::Keys`] without room in the count; [`Error::Owners`].
    pub fn contribute(&mut self, answering: &Answering, anchors: &Path) -> Result<Vec<u8>> {
        let holder = self.keys.holder;
        if !answering.numbers().contains(&holder) {
            let name = self.keys.invitation.name(holder);
            let problem =
                format!("{name} holds this folder and is not named; allowed are sets with {name}");
            return Err(Error::parameter("with", problem));
        }
        if self.results.job_name() == Some(JobName::Weighted) && !self.is_asked {
            let problem =
                "missing; allowed is the request that was answered, which says the weights";
            return Err(Error::parameter("request", problem));
        }
        let set = self.keys.invitation.params;
        let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
        let share = unpack_polynomial(&ring, "share", &self.keys.share)?;
        let results = of_slots(&self.results);
        self.folder
            .charge(&mut self.keys, anchors, results.len() as u64)?;
        let mut items = Zeroizing::new(Vec::new());
        for (index, (result, plan)) in results.iter().zip(&self.plans).enumerate() {
            let contribution = Contribution {
                key_id: self.keys.key_id,
                holder,
                generation: self.keys.generation,
                answering: answering.numbers().to_vec(),
                answer: self.digest,
                index: index as u32,
                total: results.len() as u32,
                primes: plan.primes as u16,
                bits: plan.bits as u8,
                values: contribute(result, plan, &share, (answering, holder))?,
            };
            items.extend_from_slice(&Zeroizing::new(contribution.write()));
        }
        let recipient = |&number: &u8| self.keys.recipients.get(usize::from(number) - 1);
        let recipients = answering.numbers().iter().filter_map(recipient);
        let recipients: Vec<&str> = recipients.map(String::as_str).collect();
        Ok(seal_to(&recipients, &items)?)
    }

    /// Opens the answer with the contributions of all who answer, this holder's among them.
    ///
    /// # Errors
    /// [`Error::Holder`] names whose contribution does not fit; [`Error::Owners`] for too few, and for what does not open;
    /// [`Error::Contradiction`], [`Error::Device`].
    pub fn combine(&self, sealed: &[Vec<u8>]) -> Result<Vec<Opened>> {
        let set = self.keys.invitation.params;
        let mut files = Vec::new();
        for sealed in sealed {
            let items = self.keys.identity.open(sealed)?;
            files.push(Contribution::read(&items, set.ring_degree)?);
        }
        self.check(&files)?;
        let blob = zero_key_blob(set, &self.keys.key_id);
        let mut decryptor = Decryptor::new(&blob)?;
        let results = of_slots(&self.results).iter().zip(&self.plans).enumerate();
        results
            .map(|(at, (result, plan))| {
                let contributions: Vec<&Contribution> =
                    files.iter().map(|file| &file[at]).collect();
                slots(at, &mut decryptor, &combine(result, plan, &contributions)?)
            })
            .collect()
    }

    /// Refuses contributions that are not of this answer, one of each holder who answers.
    fn check(&self, files: &[Vec<Contribution>]) -> Result<()> {
        let total = self.plans.len();
        let mut numbers = Vec::new();
        for file in files {
            let Some(first) = file.first() else {
                return Err(Error::holder(
                    "a contribution",
                    "holds nothing; allowed is one for each result".to_owned(),
                ));
            };
            let name = self.keys.invitation.name(first.holder);
            let refuse = |problem: String| Err(Error::holder(name, problem));
            let wanted = (0..total as u32).map(|index| Contribution {
                index,
                total: total as u32,
                ..header(first)
            });
            if first.key_id != self.keys.key_id {
                return refuse(
                    "the contribution is of another key; allowed is one of this ceremony"
                        .to_owned(),
                );
            }
            if first.generation != self.keys.generation {
                return refuse(format!(
                    "the contribution is of generation {}; allowed is {}, that of this folder: refreshed shares open nothing with older \
                     ones",
                    first.generation, self.keys.generation
                ));
            }
            if first.answer != self.digest {
                return refuse("the contribution is to another answer; allowed is one to these results, byte by byte".to_owned());
            }
            if !file.iter().map(header).eq(wanted) {
                return refuse(format!("the contribution is not whole; allowed is one for each of the {total} results, in order"));
            }
            let others = files.iter().filter_map(|file| file.first());
            if others
                .clone()
                .any(|other| other.answering != first.answering)
            {
                return refuse(format!(
                    "the contribution is for {}; allowed are equal sets of holders in all",
                    self.names(&first.answering)
                ));
            }
            numbers.push(first.holder);
        }
        let answering = Answering::new(&self.keys.invitation, numbers)?;
        match files.first().and_then(|file| file.first()) {
            Some(first) if answering.numbers() != first.answering => Err(Error::parameter(
                "contribution",
                format!(
                    "those of {}; allowed are those of {}",
                    self.names(answering.numbers()),
                    self.names(&first.answering)
                ),
            )),
            _ => Ok(()),
        }
    }

    fn names(&self, numbers: &[u8]) -> String {
        let names = numbers
            .iter()
            .map(|&number| self.keys.invitation.name(number));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The numbers of holders by their names, as many as the threshold.
///
/// # Errors
/// [`Error::Parameter`] for a name that is not invited; [`Error::Owners`] for another number of holders.
pub(super) fn numbers(
    invitation: &Invitation,
    field: &'static str,
    names: &[String],
) -> Result<Answering> {
    let number = |name: &String| {
        let unknown = || {
            let all = invitation.holders.join(", ");
            Error::parameter(field, format!("{name} is no holder; allowed are {all}"))
        };
        invitation.number(name).ok_or_else(unknown)
    };
    let numbers: Vec<u8> = names.iter().map(number).collect::<Result<_>>()?;
    Ok(Answering::new(invitation, numbers)?)
}

/// A contribution without its values, bits and primes.
fn header(contribution: &Contribution) -> Contribution {
    Contribution {
        values: Vec::new(),
        answering: contribution.answering.clone(),
        primes: 0,
        bits: 0,
        ..*contribution
    }
}

/// The results, which [`read`] made of the one scheme that keys of several owners have.
fn of_slots(results: &Results) -> &[EncryptedResult] {
    match results {
        Results::Rns(results) => results,
        Results::Tfhe(_) | Results::Pads(_) => &[],
    }
}

/// Refuses what the invitation does not allow.
fn allowed(keys: &HolderKeys, result: &EncryptedResult) -> Result<()> {
    let provenance = &result.provenance;
    let (job, frames) = (&provenance.job, provenance.frames);
    match JobName::from_name(job) {
        Some(job) => check_name(job)?,
        None => {
            let problem = format!("{job}; allowed is a job of this version");
            return Err(Error::parameter("job", problem));
        }
    }
    if result.rounded.is_some() {
        let problem = "of rounded coefficients; allowed for several owners are slots";
        return Err(Error::parameter("layout", problem));
    }
    let most = u64::from(keys.invitation.frames);
    if frames > most {
        let problem =
            format!("{frames}; allowed are at most {most} in an answer, as the invitation says");
        return Err(Error::parameter("frames", problem));
    }
    Ok(())
}
