//! One of several owners: the ceremony in a folder, a look at an answer, contributions, opening.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use isopod_keys::{key_name, NewFolder, Passphrase, Protection};
use isopod_wire::{AnySet, Invitation, Manifest};
use isopod_workflow::{
    continue_ceremony, join_ceremony, spoken, write_fleet, CeremonyStep, Error, HolderAnswer,
    HolderTagKeys, TagPeriod, TagPeriodChoice,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error::{raised, refused};
use crate::keys::passphrase;
use crate::owner::{array, proof, Opened, Proof};
use crate::sets::{by_name, check_label};

/// The kind of files that a ceremony waits for, of whom, and which file is to be sent; at the end name and fingerprint of the
/// key.
type Stage = (
    Option<&'static str>,
    Vec<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

/// An agreement of the holders.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Agreement {
    holders: Vec<String>,
    threshold: u8,
    set: String,
    frames: u32,
    queries: u64,
    statistical_bits: u8,
}

/// Makes the folder of the first holder. Gives the error that opening adds to values, 0 for integers.
#[pyfunction]
pub fn begin_ceremony(
    py: Python<'_>,
    folder: PathBuf,
    agreed: Agreement,
    text: Option<String>,
) -> PyResult<f64> {
    let set = by_name(&agreed.set)?;
    check_label(set, "128")?;
    let AnySet::Rns(params) = set else {
        let problem = "allowed for several owners are sets of CKKS and BFV of at most 3 primes";
        return Err(refused("set", format!("{}; {problem}", agreed.set)));
    };
    let invitation = Invitation {
        params,
        ceremony: isopod_keys::random().map_err(raised)?,
        holders: agreed.holders,
        threshold: agreed.threshold,
        frames: agreed.frames,
        statistical_bits: agreed.statistical_bits,
        queries: agreed.queries,
    };
    py.detach(|| make(&folder, (invitation, 1), text))
}

/// Makes the folder of a holder who is invited.
#[pyfunction]
pub fn join(
    py: Python<'_>,
    folder: PathBuf,
    invitation: PyBackedBytes,
    name: &str,
    text: Option<String>,
) -> PyResult<f64> {
    let invitation = Invitation::read(&invitation).map_err(raised)?;
    let Some(number) = invitation.number(name) else {
        let all = invitation.holders.join(", ");
        return Err(refused("name", format!("{name}; invited are {all}")));
    };
    py.detach(|| make(&folder, (invitation, number), text))
}

fn make(folder: &Path, who: (Invitation, u8), text: Option<String>) -> PyResult<f64> {
    let protection = match text {
        Some(text) => Protection::Passphrase(passphrase(Some(text)).map_err(raised)?),
        None => Protection::InsecurePlaintext,
    };
    let new = NewFolder::new(folder).map_err(raised)?;
    let circuit = join_ceremony(who, &new, &protection).map_err(raised)?;
    new.publish().map_err(raised)?;
    Ok(circuit.least_error())
}

/// Keys of linear tags that a holder gives devices.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TagKeys {
    devices: Vec<u64>,
    answering: Vec<String>,
    verifier: String,
    next_period: bool,
    new_group: bool,
}

/// Makes a folder with this holder's keys of linear tags for devices; group and period.
#[pyfunction]
pub fn holder_tag_keys(
    py: Python<'_>,
    folder: PathBuf,
    keys: TagKeys,
    out: PathBuf,
    text: Option<String>,
) -> PyResult<(u32, u32)> {
    let wanted = HolderTagKeys {
        with: &keys.answering,
        verifier: &keys.verifier,
        devices: &keys.devices,
        period: TagPeriodChoice::new(keys.next_period, keys.new_group),
    };
    let given = py.detach(|| -> PyResult<TagPeriod> {
        let new = NewFolder::new(&out).map_err(raised)?;
        let given = wanted
            .give(&folder, &new, || existing(text))
            .map_err(raised)?;
        new.publish().map_err(raised)?;
        Ok(given)
    })?;
    Ok((given.group, given.period))
}

/// Files that came from the others.
pub(crate) fn owned(received: Vec<(String, PyBackedBytes)>) -> Vec<(String, Vec<u8>)> {
    let received = received.into_iter();
    received
        .map(|(place, bytes)| (place, bytes.to_vec()))
        .collect()
}

/// The passphrase of a holder's folder, for errors of the workflow.
pub(crate) fn existing(text: Option<String>) -> Result<Passphrase, Error> {
    Ok(passphrase(text)?)
}

/// Goes on with a ceremony, with files that came from the others, each with its place.
#[pyfunction]
pub fn finish(
    py: Python<'_>,
    folder: PathBuf,
    received: Vec<(String, PyBackedBytes)>,
    text: Option<String>,
) -> PyResult<Stage> {
    py.detach(|| {
        let received = owned(received);
        let step = continue_ceremony(&folder, &received, || existing(text)).map_err(raised)?;
        Ok(match step {
            CeremonyStep::Announcements(names) => (Some("announcements"), names, None, None, None),
            CeremonyStep::Openings(file, names) => {
                (Some("openings"), names, Some(file), None, None)
            }
            CeremonyStep::Finished(key_id, fingerprint) => {
                let (key, spoken) = (key_name(&key_id), spoken(&fingerprint));
                (None, Vec::new(), None, Some(key), Some(spoken))
            }
        })
    })
}

/// Makes the folders of server and devices; whether the server's was made.
#[pyfunction]
pub fn write_devices(
    py: Python<'_>,
    folder: PathBuf,
    devices: Vec<u64>,
    out: PathBuf,
    text: Option<String>,
) -> PyResult<bool> {
    py.detach(|| {
        let new = NewFolder::new(&out).map_err(raised)?;
        let with_server = write_fleet(&folder, &devices, &new, || existing(text));
        let with_server = with_server.map_err(raised)?;
        new.publish().map_err(raised)?;
        Ok(with_server)
    })
}

/// A holder with an answer of the server. The folder is locked as long as it lives.
#[pyclass(frozen, module = "isopod._isopod")]
pub struct Asked {
    answer: Mutex<HolderAnswer>,
}

#[pymethods]
impl Asked {
    /// Opens a holder's folder, and reads and authenticates an answer.
    #[new]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        results: PyBackedBytes,
        text: Option<String>,
    ) -> PyResult<Self> {
        let opened = py.detach(|| HolderAnswer::open(&folder, &results, || existing(text)));
        let answer = Mutex::new(opened.map_err(raised)?);
        Ok(Self { answer })
    }

    /// Job; results, frames and devices; contributions made and allowed; the error of values.
    #[allow(clippy::type_complexity, reason = "a tuple for Python, named there")]
    fn facts(
        &self,
    ) -> (
        String,
        (usize, Option<u64>, Option<Vec<u64>>),
        (u64, u64),
        f64,
    ) {
        let answer = self.lock();
        let manifest = answer.results().missing().manifest;
        let devices = |manifest: &Manifest| {
            let ranges = manifest.ranges().iter();
            let mut devices: Vec<u64> = ranges.map(|range| range.device).collect();
            devices.dedup();
            devices
        };
        let errors = answer.plans().iter().map(|plan| plan.error);
        (
            answer.results().job().to_owned(),
            (
                answer.results().count(),
                manifest.as_ref().map(Manifest::count),
                manifest.as_ref().map(devices),
            ),
            (answer.keys().used(), answer.keys().invitation.queries),
            errors.fold(0.0, f64::max),
        )
    }

    /// Counts, and only then makes the contribution.
    fn contribute(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Vec<u8>> {
        py.detach(|| {
            let mut answer = self.lock();
            let answering = answer.answering(&names).map_err(raised)?;
            let anchors = isopod_cli::anchors().map_err(|error| refused("anchors", error))?;
            answer.contribute(&answering, &anchors).map_err(raised)
        })
    }

    /// Opens the answer: its number, the results, and their proof.
    fn combine(
        &self,
        py: Python<'_>,
        sealed: Vec<PyBackedBytes>,
    ) -> PyResult<(u64, Vec<Opened>, Option<Proof>)> {
        let (sequence, opened, verified) = py.detach(|| {
            let answer = self.lock();
            let sealed: Vec<Vec<u8>> = sealed.iter().map(|bytes| bytes.to_vec()).collect();
            let (opened, verified) = answer.combine(&sealed).map_err(raised)?;
            let sequence = answer.results().provenance().sequence;
            PyResult::Ok((sequence, opened, verified))
        })?;
        let opened = opened.into_iter().map(|opened| array(py, opened));
        let opened = opened.collect::<PyResult<_>>()?;
        Ok((sequence, opened, verified.as_ref().map(proof)))
    }
}

impl Asked {
    fn lock(&self) -> std::sync::MutexGuard<'_, HolderAnswer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
