//! Answers that several owners open together (`spec/owners.md`, section 3).

use isopod_device::expand_mask;
use isopod_keys::{seal_to, HolderKeys, KeysError};
use isopod_linear::{Machine, Ring};
use isopod_owners::{
    combine, contribute, unpack_polynomial, Answering, Circuit, Contributor, MaskedResult,
    OwnersError, Plan, Polynomial,
};
use isopod_wire::codes::size;
use isopod_wire::{
    Contribution, EncryptedResult, Invitation, LinearTag, Suite, JOBS_OF_OWNERS, WEIGHTED_JOB,
};
use sha3::{Digest as _, Sha3_256};
use zeroize::Zeroizing;

use crate::{HoldersError as Error, Result};

type PairKey = Zeroizing<[u8; size::PAIR_KEY]>;

/// A holder with an answer of the server. Its results are given to each call, authentic, whole and in order.
pub struct Answer {
    keys: HolderKeys,
    digest: [u8; size::DIGEST],
    plans: Vec<Plan>,
    /// Whether the request that was answered is known, and allowed.
    is_asked: bool,
    /// This holder's pads of each result, if the holders share linear tags.
    pads: Vec<LinearTag>,
}

impl Answer {
    /// Takes the results that were read from `bytes`, and are authentic.
    ///
    /// # Errors
    /// [`Error::Parameter`] for results that are not one whole evaluation under this key, and for what the invitation does not
    /// allow; [`Error::Owners`] for a result without room for the noise.
    pub fn new(keys: HolderKeys, results: &[EncryptedResult], bytes: &[u8]) -> Result<Self> {
        whole(&keys, results)?;
        let circuit = Circuit::new(&keys.invitation)?;
        let plan = |result| allowed(&keys, result).and_then(|()| Ok(circuit.plan(result)?));
        Ok(Self {
            plans: results.iter().map(plan).collect::<Result<_>>()?,
            digest: Sha3_256::digest(bytes).into(),
            keys,
            is_asked: false,
            pads: Vec::new(),
        })
    }

    /// The answer to a request that the holder saw, so that its weights are known.
    pub fn asked(self) -> Self {
        Self {
            is_asked: true,
            ..self
        }
    }

    /// Adds the sum of this holder's pads of each result to contributions from now on.
    pub fn give_pads(&mut self, pads: Vec<LinearTag>) {
        self.pads = pads;
    }

    /// The holder's keys.
    pub fn keys(&self) -> &HolderKeys {
        &self.keys
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

    /// Lets `charge` count as many contributions as there are results, durably, and only then makes them, encrypted to all who
    /// answer.
    ///
    /// # Errors
    /// [`Error::Parameter`] if this holder does not answer, if a board has the share, and for weights of a request that the
    /// holder did not see; [`Error::Keys`] of `charge`; [`Error::Owners`].
    pub fn contribute(
        &mut self,
        results: &[EncryptedResult],
        answering: &Answering,
        charge: impl FnOnce(&mut HolderKeys, u64) -> std::result::Result<(), KeysError>,
    ) -> Result<Vec<u8>> {
        self.check_own(answering)?;
        if self.keys.board().is_some() {
            return Err(on_board());
        }
        self.check_weights(results)?;
        let set = self.keys.invitation.params;
        let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
        let share = unpack_polynomial(&ring, "share", &self.keys.share)?;
        let keys = answering.pairs(self.keys.holder).into_iter();
        let keys = keys.map(|other| Ok((other, self.keys.pair_key(other)?)));
        let keys: Vec<_> = keys.collect::<Result<_>>()?;
        charge(&mut self.keys, results.len() as u64)?;
        let each = results.iter().zip(&self.plans).zip(0..);
        let values = each.map(|((result, plan), index)| {
            let contributor = Contributor {
                answering,
                holder: self.keys.holder,
                share: &share,
                masks: &self.masks(answering, index, &keys)?,
            };
            Ok(contribute(result, plan, &contributor)?)
        });
        let values = values.collect::<Result<_>>()?;
        self.sealed(answering, values)
    }

    /// Lets `charge` count what the holder's board contributed to each result, and only then makes the contribution of it.
    ///
    /// # Errors
    /// [`Error::Parameter`] if this holder does not answer; [`Error::Keys`] of `charge`.
    pub fn contribute_values(
        &mut self,
        answering: &Answering,
        values: Vec<Vec<u128>>,
        charge: impl FnOnce(&mut HolderKeys) -> std::result::Result<(), KeysError>,
    ) -> Result<Vec<u8>> {
        self.check_own(answering)?;
        charge(&mut self.keys)?;
        self.sealed(answering, values)
    }

    /// The masks of a result with the holders of these keys.
    fn masks(
        &self,
        answering: &Answering,
        index: u32,
        keys: &[(u8, PairKey)],
    ) -> Result<Vec<(u8, Polynomial)>> {
        let masked = MaskedResult {
            answer: &self.digest,
            index,
            generation: self.keys.generation,
            answering: answering.numbers(),
        };
        let mask = |(other, key): &(u8, PairKey)| {
            let seed = masked.mask_seed(key);
            let mask = expand_mask(self.keys.invitation.params, Suite::Chacha20, &seed[..])?;
            Ok((*other, Zeroizing::new(mask)))
        };
        keys.iter().map(mask).collect()
    }

    /// Refuses holders who answer without this one.
    fn check_own(&self, answering: &Answering) -> Result<()> {
        let holder = self.keys.holder;
        if !answering.numbers().contains(&holder) {
            let name = self.keys.invitation.name(holder);
            let problem =
                format!("{name} holds this folder and is not named; allowed are sets with {name}");
            return Err(Error::parameter("with", problem));
        }
        Ok(())
    }

    /// Refuses weights of a request that the holder did not see.
    fn check_weights(&self, results: &[EncryptedResult]) -> Result<()> {
        let is_weighted = results.iter().any(|one| one.provenance.job == WEIGHTED_JOB);
        if is_weighted && !self.is_asked {
            let problem =
                "missing; allowed is the request that was answered, which says the weights";
            return Err(Error::parameter("request", problem));
        }
        Ok(())
    }

    /// Values for each result, encrypted to all who answer.
    fn sealed(&self, answering: &Answering, values: Vec<Vec<u128>>) -> Result<Vec<u8>> {
        let mut items = Zeroizing::new(Vec::new());
        for (index, (values, plan)) in values.into_iter().zip(&self.plans).enumerate() {
            let contribution = Contribution {
                key_id: self.keys.key_id,
                holder: self.keys.holder,
                generation: self.keys.generation,
                answering: answering.numbers().to_vec(),
                answer: self.digest,
                index: index as u32,
                total: self.plans.len() as u32,
                primes: plan.primes as u16,
                pads: self.pads.get(index).copied(),
                bits: plan.bits as u8,
                values,
            };
            items.extend_from_slice(&Zeroizing::new(contribution.write()));
        }
        let recipient = |&number: &u8| self.keys.recipients.get(usize::from(number) - 1);
        let recipients = answering.numbers().iter().filter_map(recipient);
        let recipients: Vec<&str> = recipients.map(String::as_str).collect();
        Ok(seal_to(&recipients, &items)?)
    }

    /// Opens the results with the contributions of all who answer, this holder's among them: results that a key of zeros reads.
    /// Where just the holders answer whose answers this one verifies, their linear tags are hidden by this holder's pads alone;
    /// elsewhere they have none.
    ///
    /// # Errors
    /// [`Error::Holder`] names whose contribution does not fit; [`Error::Owners`] for too few, and for what does not open.
    pub fn combine(
        &self,
        results: &[EncryptedResult],
        sealed: &[Vec<u8>],
        verified: &[u8],
    ) -> Result<Vec<EncryptedResult>> {
        let set = self.keys.invitation.params;
        let mut files = Vec::new();
        for sealed in sealed {
            let items = self.keys.identity.open(sealed)?;
            files.push(Contribution::read(&items, set.ring_degree)?);
        }
        self.check(&files)?;
        let each = results.iter().zip(&self.plans).enumerate();
        each.map(|(at, (result, plan))| {
            let contributions: Vec<&Contribution> = files.iter().map(|file| &file[at]).collect();
            let opened = combine(result, plan, &contributions);
            let opened = opened.map_err(|error| self.named(error))?;
            let linear_tag = match contributions.first() {
                Some(first) if first.answering == verified => {
                    self.revealed_tag(result, &contributions)?
                }
                _ => None,
            };
            Ok(EncryptedResult {
                linear_tag,
                ..opened
            })
        })
        .collect()
    }

    /// The linear tag of a result without the pads of the other holders.
    fn revealed_tag(
        &self,
        result: &EncryptedResult,
        contributions: &[&Contribution],
    ) -> Result<Option<LinearTag>> {
        let Some(mut tag) = result.linear_tag else {
            return Ok(None);
        };
        for other in contributions {
            if other.holder == self.keys.holder {
                continue;
            }
            let revealed = other.pads.and_then(|pads| tag.plus(pads, -1));
            tag = revealed.ok_or_else(|| {
                let problem = "the contribution has no pads of this period; allowed is one with those of the tag keys that this \
                               holder gave devices";
                let name = self.keys.invitation.name(other.holder);
                Error::holder(name, problem.to_owned())
            })?;
        }
        Ok(Some(tag))
    }

    /// The error with the name of the holder in place of the number.
    fn named(&self, error: OwnersError) -> Error {
        match error {
            OwnersError::Contribution { holder, problem } => Error::holder(
                self.keys.invitation.name(holder),
                format!("contribution: {problem}"),
            ),
            error => Error::Owners(error),
        }
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
            self.check_source(first)?;
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

    /// Refuses a contribution of another key, generation or answer.
    fn check_source(&self, first: &Contribution) -> Result<()> {
        let own = self.keys.generation;
        let problem = if first.key_id != self.keys.key_id {
            "the contribution is of another key; allowed is one of this ceremony".to_owned()
        } else if first.generation != own {
            format!(
                "the contribution is of generation {}; allowed is {own}, that of this folder: refreshed shares open nothing with \
                 older ones",
                first.generation
            )
        } else if first.answer != self.digest {
            "the contribution is to another answer; allowed is one to these results, byte by byte"
                .to_owned()
        } else {
            return Ok(());
        };
        let name = self.keys.invitation.name(first.holder);
        Err(Error::holder(name, problem))
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
pub fn numbers(
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

/// A contribution without its values, pads, bits and primes.
fn header(contribution: &Contribution) -> Contribution {
    Contribution {
        values: Vec::new(),
        answering: contribution.answering.clone(),
        pads: None,
        primes: 0,
        bits: 0,
        ..*contribution
    }
}

/// A holder's keys whose share is on a board.
pub fn on_board() -> Error {
    let problem =
        "the share of this folder is on a board; allowed is --from-board with what the board wrote";
    Error::parameter("keys", problem)
}

/// Refuses results that are not those of one evaluation under this key, all and in order.
fn whole(keys: &HolderKeys, results: &[EncryptedResult]) -> Result<()> {
    let refuse = |at: usize, problem: &str| {
        let allowed = "allowed are all results of one evaluation, in order, under this key";
        Err(Error::parameter(
            "results",
            format!("result {at} {problem}; {allowed}"),
        ))
    };
    let Some(first) = results.first().map(|result| &result.provenance) else {
        return refuse(0, "is missing");
    };
    for (at, result) in results.iter().enumerate() {
        let found = &result.provenance;
        if result.key_id != keys.key_id || result.params.set_id != keys.invitation.params.set_id {
            return refuse(at, "is of another key");
        }
        let is_of_run = found.run == first.run
            && found.sequence == first.sequence
            && found.job == first.job
            && found.request == first.request
            && found.packing == first.packing;
        if !is_of_run {
            return refuse(at, "is of another evaluation");
        }
        if (found.index as usize, found.total as usize) != (at, results.len()) {
            return refuse(at, "is not in its place, or others are missing");
        }
    }
    Ok(())
}

/// Refuses what the invitation does not allow.
fn allowed(keys: &HolderKeys, result: &EncryptedResult) -> Result<()> {
    let provenance = &result.provenance;
    let (job, frames) = (&provenance.job, provenance.frames);
    if !JOBS_OF_OWNERS.contains(&job.as_str()) || result.rounded.is_some() {
        let problem = format!(
            "{job}; allowed for several owners are sum, mean and weighted of slots, which need no evaluation keys"
        );
        return Err(Error::parameter("job", problem));
    }
    let most = u64::from(keys.invitation.frames);
    if frames > most {
        let problem =
            format!("{frames}; allowed are at most {most} in an answer, as the invitation says");
        return Err(Error::parameter("frames", problem));
    }
    Ok(())
}
