//! Results of one evaluation: whole, in order, of what was asked; and what is missing among the frames that entered.

use isopod_wire::{
    AnySet, EncryptedResult, Gap, Manifest, PackingId, PadResult, Provenance, TfheResult, WireError,
};

use crate::hash::sha3;
use crate::request::descriptor::JobName;
use crate::request::job::{Job, Request};
use crate::{Description, Error, Model, Result};

/// The results of one evaluation, in order; at least one.
pub enum Results {
    /// Results of CKKS or BFV.
    Rns(Vec<EncryptedResult>),
    /// Results of TFHE.
    Tfhe(Vec<TfheResult>),
    /// Results of pads.
    Pads(Vec<PadResult>),
}

/// Frames that entered, and those that are missing or twofold among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// Frames that entered; None if a result does not name them.
    pub manifest: Option<Manifest>,
    /// Sequences between frames of one device and epoch that did not enter.
    pub gaps: Vec<Gap>,
    /// Sequences that entered several results.
    pub duplicates: Vec<Gap>,
}

impl Results {
    /// Checks that results are those of one evaluation, all and in order, and name the frames that they say.
    pub(crate) fn check(self) -> Result<Self> {
        let all: Vec<&Provenance> = self.provenances().collect();
        for (at, provenance) in all.iter().enumerate() {
            check_run(at, provenance, all[0])?;
            check_order(at, &all)?;
            check_origin(at, provenance)?;
            check_outputs(at, &all, self.outputs())?;
        }
        let (found, total) = (all.len(), all[0].total);
        if (found as u64) < u64::from(total) {
            return Err(Error::Dropped { found, total });
        }
        Ok(self)
    }

    /// Provenance of each result, in order.
    pub fn provenances(&self) -> Box<dyn Iterator<Item = &Provenance> + '_> {
        match self {
            Self::Rns(results) => Box::new(results.iter().map(|result| &result.provenance)),
            Self::Tfhe(results) => Box::new(results.iter().map(|result| &result.provenance)),
            Self::Pads(results) => Box::new(results.iter().map(|result| &result.provenance)),
        }
    }

    /// Provenance of the first result; evaluation, request and job are the same in every one.
    pub fn provenance(&self) -> &Provenance {
        match self {
            Self::Rns(results) => &results[0].provenance,
            Self::Tfhe(results) => &results[0].provenance,
            Self::Pads(results) => &results[0].provenance,
        }
    }

    /// The job, as the server claims.
    pub fn job(&self) -> &str {
        &self.provenance().job
    }

    /// The job's name, if this version knows it.
    pub fn job_name(&self) -> Option<JobName> {
        JobName::from_name(self.job())
    }

    /// Results of each frame, one for every output of a model, or of all frames, one for every bin of a histogram, column of a
    /// variance or integer that readings may be, or of merged frames, one for every piece of the values of their readings: as
    /// many as the first one's frames have.
    pub fn outputs(&self) -> usize {
        let first = self.provenance().origin;
        let is_first = |provenance: &&Provenance| provenance.origin == first;
        let has_several = match (self.job_name(), self) {
            (
                Some(
                    job @ (JobName::Alarm
                    | JobName::Histogram
                    | JobName::Variance
                    | JobName::Table
                    | JobName::Minimum
                    | JobName::Maximum),
                ),
                Self::Rns(results),
            ) => job.takes_merged(AnySet::Rns(results[0].params)),
            (job, _) => job.is_some_and(JobName::takes_model),
        };
        match has_several {
            true => self.provenances().take_while(is_first).count(),
            false => 1,
        }
    }

    /// Whether they are pieces of the values of readings, in slots of a large ring, which are opened together.
    pub(crate) fn are_of_slots(&self) -> bool {
        match (self.job_name(), self) {
            (Some(job), Self::Rns(results)) if job.is_per_reading() || job.takes_model() => {
                job.takes_merged(AnySet::Rns(results[0].params))
            }
            _ => false,
        }
    }

    /// Whether they are how many readings there are of each integer, which tell the smallest or the largest one.
    pub(crate) fn are_occurrences(&self) -> bool {
        let job = self.job_name().filter(|job| job.is_of_occurrences());
        job.is_some() && matches!(self, Self::Rns(_))
    }

    /// Number of results.
    pub fn count(&self) -> usize {
        match self {
            Self::Rns(results) => results.len(),
            Self::Tfhe(results) => results.len(),
            Self::Pads(results) => results.len(),
        }
    }

    /// The results of CKKS or BFV.
    ///
    /// # Errors
    /// [`Error::OtherScheme`] for others.
    pub fn rns(self) -> Result<Vec<EncryptedResult>> {
        match self {
            Self::Rns(results) => Ok(results),
            _ => Err(Error::OtherScheme { item: "result" }),
        }
    }

    /// Refuses results that do not answer this request with its challenge.
    ///
    /// # Errors
    /// [`Error::OtherRequest`].
    pub fn check_request(&self, request: &Request, set: AnySet) -> Result<()> {
        let found = self.provenance();
        if found.request != request.digest(set) {
            return Err(Error::OtherRequest { field: "request" });
        }
        if found.challenge != request.challenge {
            return Err(Error::OtherRequest { field: "challenge" });
        }
        // Pieces of values in slots are as many as the ring that the server chose is larger, and integers as many as are within
        // the bound of the frames.
        let is_open = self.are_of_slots() || self.are_occurrences();
        if !is_open && self.outputs() != request.outputs(set) {
            return Err(Error::OtherRequest { field: "outputs" });
        }
        Ok(())
    }

    /// Refuses results that are not of this model.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check_model(&self, model: &Model, set: AnySet) -> Result<()> {
        let is_of = |job: fn(Model) -> Job| {
            let request = |unnamed_columns| Request {
                unnamed_columns,
                ..Request::new(job(model.clone()))
            };
            let digests = [false, true].map(|unnamed| request(unnamed).digest(set));
            let are_whole = self.are_of_slots() || self.outputs() == model.outputs.len();
            digests.contains(&self.provenance().request) && are_whole
        };
        match self.job_name().and_then(Job::of_model).is_some_and(is_of) {
            true => Ok(()),
            false => {
                let problem = format!(
                    "the results of {} are not of this one; allowed is the file that the server computed",
                    self.job()
                );
                Err(Error::parameter("model", problem))
            }
        }
    }

    /// Refuses results that are not of the described columns.
    ///
    /// # Errors
    /// [`Error::OtherPacking`].
    pub fn check_packing(&self, description: &Description) -> Result<()> {
        match self.provenance().packing == Some(description.packing()) {
            true => Ok(()),
            false => Err(Error::OtherPacking),
        }
    }

    /// Reports missing and repeated frames among those that entered.
    pub fn missing(&self) -> Missing {
        let mut missing = Missing::default();
        let mut union = Some(Manifest::default());
        for provenance in self.provenances().step_by(self.outputs()) {
            let joined = union.as_ref().zip(provenance.manifest.as_ref());
            union = match joined.map(|(union, manifest)| union.union(manifest)) {
                Some(Ok(joined)) => Some(joined),
                Some(Err(error)) => {
                    missing.duplicates.extend(twofold(&error));
                    union
                }
                None => None,
            };
        }
        missing.gaps = union.iter().flat_map(Manifest::gaps).collect();
        missing.manifest = union;
        missing
    }
}

fn twofold(error: &WireError) -> Option<Gap> {
    match *error {
        WireError::Overlap {
            device,
            epoch,
            first,
            last,
        } => Some(Gap {
            device,
            epoch,
            first,
            last,
        }),
        _ => None,
    }
}

/// Fields that all results of an evaluation share.
fn check_run(at: usize, found: &Provenance, first: &Provenance) -> Result<()> {
    let packing = |provenance: &Provenance| -> Option<PackingId> { provenance.packing };
    let fields = [
        ("run", found.run == first.run),
        ("sequence", found.sequence == first.sequence),
        ("job", found.job == first.job),
        ("request", found.request == first.request),
        ("challenge", found.challenge == first.challenge),
        ("total", found.total == first.total),
        ("packing", packing(found) == packing(first)),
    ];
    match fields.iter().find(|(_, equal)| !equal) {
        None => Ok(()),
        Some((field, _)) => Err(Error::SeveralRuns { at, field }),
    }
}

fn check_order(at: usize, all: &[&Provenance]) -> Result<()> {
    let (found, total) = (all[at].index, all[at].total);
    if found as usize == at {
        return Ok(());
    }
    let is_before = all[..at].iter().any(|other| other.index == found);
    let is_behind = all[at..].iter().any(|other| other.index as usize == at);
    let problem = match (is_before, is_behind) {
        (true, _) => "repeated",
        (_, true) => "swapped",
        _ => "missing",
    };
    Err(Error::Order {
        at,
        found,
        total,
        problem,
    })
}

/// The results of a frame follow each other, and every frame has as many.
fn check_outputs(at: usize, all: &[&Provenance], outputs: usize) -> Result<()> {
    let first = at - at % outputs;
    let is_whole = first + outputs <= all[0].total as usize;
    if is_whole && all[at].origin == all[first].origin {
        return Ok(());
    }
    let problem = format!("not that of result {first}; allowed are {outputs} results of each frame, one for every output");
    Err(Error::Contradiction {
        at,
        field: "origin",
        problem,
    })
}

fn check_origin(at: usize, provenance: &Provenance) -> Result<()> {
    let Some(manifest) = &provenance.manifest else {
        return Ok(());
    };
    if sha3(&[], &manifest.encode()) == provenance.origin {
        return Ok(());
    }
    let problem = "not that of the manifest; allowed is its SHA3-256".to_owned();
    Err(Error::Contradiction {
        at,
        field: "origin",
        problem,
    })
}
