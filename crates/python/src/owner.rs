//! The owner's side: answers to arrays, with the secret key.

use std::path::PathBuf;
use std::sync::Arc;

use isopod_keys::{key_name, Novelty};
use isopod_wire::{FrameRange, Gap};
use isopod_workflow::{
    Job, Request, Results, TagPeriod, TagPeriodChoice, ValuePosition, Values, Verified,
};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use pyo3::IntoPyObjectExt;

use crate::columns::description;
use crate::error::{raised, UnverifiedError};
use crate::keys::passphrase;
use crate::progress::Callback;

/// The job; the number of the answer and whether it is news; rows that entered sums of columns, where they are known; missing and
/// twofold frames; the results; the proof by linear tags, if there is one.
type Decrypted = (
    String,
    u64,
    &'static str,
    Option<u64>,
    Vec<Span>,
    Vec<Span>,
    Vec<Opened>,
    Option<Proof>,
);
/// Frames in a row: device, epoch, first and last sequence.
type Span = (u64, u32, u64, u64);

/// Text, frames, devices, period, -log2 of the probability of a forgery, and the frames.
pub type Proof = (String, u64, u64, u32, u32, Vec<Span>);

/// Conditions without which an answer is refused.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Wanted {
    /// The request that it answers.
    request: Option<String>,
    /// The columns that it is about.
    columns: Option<String>,
    /// Whether it has linear tags.
    verify: bool,
}

/// One opened result.
#[pyclass(frozen, module = "isopod._isopod")]
pub struct Opened {
    /// Its values, in one dimension.
    #[pyo3(get)]
    values: Py<PyAny>,
    /// Error that the values stay within, with six deviations of what is random.
    #[pyo3(get)]
    error: f64,
    /// Bound of the values, as the server computed it.
    #[pyo3(get)]
    bound: Option<f64>,
    /// Types of the values of TFHE.
    #[pyo3(get)]
    types: Vec<&'static str>,
    places: Vec<ValuePosition>,
}

#[pymethods]
impl Opened {
    /// Rows and columns of the values; one row if they are of all rows.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        let last = self.places.last();
        match last.and_then(|last| Some((last.row? as usize + 1, last.column as usize + 1))) {
            Some((rows, columns)) if rows * columns == self.places.len() => (rows, columns),
            _ => (1, self.places.len()),
        }
    }

    /// Arrays that tell where each value is from: device, epoch, sequence (-1 where it is of several frames), row (-1 where it is
    /// of all rows) and column.
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let frames = |of: fn(isopod_wire::FrameId) -> i64| -> Vec<i64> {
            let places = self.places.iter();
            places.map(|place| place.frame.map_or(-1, of)).collect()
        };
        let places = PyDict::new(py);
        // Numbers of devices and frames beyond 2^63 do not occur.
        places.set_item("device", frames(|id| id.device as i64).into_pyarray(py))?;
        places.set_item("epoch", frames(|id| id.epoch.into()).into_pyarray(py))?;
        places.set_item("sequence", frames(|id| id.sequence as i64).into_pyarray(py))?;
        let row = |place: &ValuePosition| place.row.map_or(-1, i64::from);
        let rows: Vec<i64> = self.places.iter().map(row).collect();
        places.set_item("row", rows.into_pyarray(py))?;
        let columns: Vec<i64> = self
            .places
            .iter()
            .map(|place| place.column.into())
            .collect();
        places.set_item("column", columns.into_pyarray(py))?;
        Ok(places)
    }
}

/// An owner's opened folder.
#[pyclass(frozen, module = "isopod._isopod")]
pub struct Owner {
    owner: Arc<isopod_workflow::Owner>,
}

#[pymethods]
impl Owner {
    /// Opens the owner's folder; the passphrase is needed only if the key file is encrypted.
    #[new]
    fn new(py: Python<'_>, folder: PathBuf, text: Option<String>) -> PyResult<Self> {
        let opened = py.detach(|| {
            isopod_workflow::Owner::open::<isopod_keys::KeysError>(&folder, || passphrase(text))
        });
        let owner = Arc::new(opened.map_err(raised)?);
        Ok(Self { owner })
    }

    /// Name of the parameter set.
    #[getter]
    fn set(&self) -> &'static str {
        self.owner.set().name()
    }

    /// Name of the key pair.
    #[getter]
    fn key(&self) -> String {
        key_name(&self.owner.keys().key_id())
    }

    /// A request of this job with a fresh challenge, which the answer must repeat.
    fn request(&self, job: &str, unnamed_columns: bool) -> PyResult<String> {
        let request = Request {
            unnamed_columns,
            ..Request::new(Job::from_json(job).map_err(raised)?)
        };
        let (set, key_id) = (self.owner.set(), self.owner.keys().key_id());
        let request = request.challenged().map_err(raised)?;
        request.to_json(set, key_id).map_err(raised)
    }

    /// Gives devices the keys of their linear tags; group and period.
    fn tag_keys(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        devices: Vec<u64>,
        next_period: bool,
        new_group: bool,
    ) -> PyResult<(u32, u32)> {
        let choice = TagPeriodChoice::new(next_period, new_group);
        let given = py.detach(|| self.owner.give_tag_keys(&folder, &devices, choice));
        let TagPeriod { group, period } = given.map_err(raised)?;
        Ok((group, period))
    }

    /// Reads the results of one evaluation.
    fn decrypt(
        &self,
        py: Python<'_>,
        results: PyBackedBytes,
        wanted: Wanted,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Decrypted> {
        let (results, novelty, (opened, verified)) = py.detach(|| {
            let results = self.owner.read(&*results).map_err(raised)?;
            let request = self.asked(&results, wanted.request.as_deref())?;
            if let Some(columns) = &wanted.columns {
                let description = description(columns)?;
                results.check_packing(&description).map_err(raised)?;
            }
            let mut callback = Callback::new(progress);
            let report = &mut |progress| callback.report(progress);
            let opened = match &request {
                Some(request) => self.owner.open_answer(&results, request, report),
                None => self.owner.open_verified(&results, report),
            };
            let opened = opened.map_err(raised)?;
            if wanted.verify && opened.1.is_none() {
                let problem = "verify: the results have no linear tags";
                return Err(UnverifiedError::new_err(problem));
            }
            callback.finish()?;
            let novelty = self.owner.remember(&results).map_err(raised)?;
            PyResult::Ok((results, novelty, opened))
        })?;
        let missing = results.missing();
        let opened = opened.into_iter().map(|opened| array(py, opened));
        Ok((
            results.job().to_owned(),
            results.provenance().sequence,
            news(novelty),
            results.column_rows(self.owner.set()),
            missing.gaps.iter().map(span).collect(),
            missing.duplicates.iter().map(span).collect(),
            opened.collect::<PyResult<_>>()?,
            verified.as_ref().map(proof),
        ))
    }
}

impl Owner {
    /// The owner's request; refuses results that do not answer it.
    fn asked(&self, results: &Results, request: Option<&str>) -> PyResult<Option<Request>> {
        let Some(text) = request else {
            return Ok(None);
        };
        let (set, key_id) = (self.owner.set(), self.owner.keys().key_id());
        let request = Request::from_json(text, set, key_id).map_err(raised)?;
        results.check_request(&request, set).map_err(raised)?;
        Ok(Some(request))
    }
}

/// An opened result, its memory handed over to numpy.
pub fn array(py: Python<'_>, opened: isopod_workflow::Opened) -> PyResult<Opened> {
    let mut types = Vec::new();
    let values = match opened.values.into_owner_only() {
        Values::Real(values) => values.into_pyarray(py).into_py_any(py)?,
        Values::Integers(values) => values.into_pyarray(py).into_py_any(py)?,
        Values::Typed(values) => {
            types = values.iter().map(|(of, _)| of.name()).collect();
            // Every type but u64 fits; of that one the values above 2^63 - 1 need Python's integers.
            let numbers: Vec<i128> = values.into_iter().map(|(_, value)| value).collect();
            match numbers
                .iter()
                .map(|&number| i64::try_from(number))
                .collect()
            {
                Ok(numbers) => Vec::<i64>::into_pyarray(numbers, py).into_py_any(py)?,
                Err(_) => numbers.into_py_any(py)?,
            }
        }
    };
    Ok(Opened {
        values,
        error: opened.error,
        bound: opened.bound,
        types,
        places: opened.places,
    })
}

fn news(novelty: Novelty) -> &'static str {
    match novelty {
        Novelty::New => "new",
        Novelty::Again => "again",
        Novelty::Late { .. } => "late",
        Novelty::Twofold => "twofold",
    }
}

pub fn proof(verified: &Verified) -> Proof {
    let frames = &verified.frames;
    let span = |range: &FrameRange| (range.device, range.epoch, range.first, range.last);
    (
        verified.to_string(),
        frames.count(),
        verified.devices,
        verified.period,
        verified.bits,
        frames.ranges().iter().map(span).collect(),
    )
}

fn span(gap: &Gap) -> Span {
    (gap.device, gap.epoch, gap.first, gap.last)
}
