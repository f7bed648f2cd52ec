//! Holders of one key change: refresh of shares, a newcomer for a lost holder, end of a share.

use std::path::PathBuf;

use isopod_workflow::{
    end_share, note_ended, refresh_shares, replace_holder, spoken, RefreshStep, Replacement,
    ReplacementStep,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error::{raised, refused};
use crate::holder::{existing, owned};

/// Name of the step; holders whose files are missing; the file that is to be sent; the fingerprint to compare.
type Stage = (&'static str, Vec<String>, Option<String>, Option<String>);

/// Goes on with a refresh, with files that came from the others, each with its place.
#[pyfunction]
pub fn refresh(
    py: Python<'_>,
    folder: PathBuf,
    received: Vec<(String, PyBackedBytes)>,
    agree: bool,
    text: Option<String>,
) -> PyResult<Stage> {
    py.detach(|| {
        let step = refresh_shares(&folder, &owned(received), agree, || existing(text));
        Ok(match step.map_err(raised)? {
            RefreshStep::Dealt(file, missing) => ("dealt", missing, Some(file), None),
            RefreshStep::Confirmed(file, missing, digest) => {
                ("confirmed", missing, Some(file), Some(spoken(&digest)))
            }
            RefreshStep::Refreshed(_) => ("refreshed", Vec::new(), None, None),
        })
    })
}

/// Goes on with the replacement of a lost holder by the newcomer of an announcement.
#[pyfunction]
pub fn replace(
    py: Python<'_>,
    folder: PathBuf,
    replacement: (PyBackedBytes, Vec<String>),
    received: Vec<(String, PyBackedBytes)>,
    agree: bool,
    text: Option<String>,
) -> PyResult<Stage> {
    py.detach(|| {
        let (newcomer, helpers) = replacement;
        let replacement = Replacement {
            announcement: &newcomer,
            helpers: &helpers,
            is_agreed: agree,
        };
        let step = replace_holder(&folder, &replacement, &owned(received), || existing(text));
        Ok(match step.map_err(raised)? {
            ReplacementStep::Asked(_, digest) => ("asked", Vec::new(), None, Some(spoken(&digest))),
            ReplacementStep::Noted(_) => ("noted", Vec::new(), None, None),
            ReplacementStep::Masked(file, missing) => ("masked", missing, Some(file), None),
            ReplacementStep::Given(file) => ("given", Vec::new(), Some(file), None),
        })
    })
}

/// Takes the place of a lost holder; the generation of the share.
#[pyfunction]
pub fn take_over(
    py: Python<'_>,
    folder: PathBuf,
    public: PathBuf,
    received: Vec<(String, PyBackedBytes)>,
    text: Option<String>,
) -> PyResult<u32> {
    py.detach(|| {
        let anchors = isopod_cli::anchors().map_err(|error| refused("anchors", error))?;
        let received = owned(received);
        let taken =
            isopod_workflow::take_over(&folder, &public, &received, &anchors, || existing(text));
        Ok(taken.map_err(raised)?.1)
    })
}

/// Wipes a share; the notice for the others.
#[pyfunction]
pub fn end(py: Python<'_>, folder: PathBuf, text: Option<String>) -> PyResult<String> {
    py.detach(|| end_share(&folder, || existing(text)).map_err(raised))
}

/// Takes notices of others who ended their shares; names of those who hold the key.
#[pyfunction]
pub fn noted(
    py: Python<'_>,
    folder: PathBuf,
    received: Vec<(String, PyBackedBytes)>,
    text: Option<String>,
) -> PyResult<Vec<String>> {
    py.detach(|| note_ended(&folder, &owned(received), || existing(text)).map_err(raised))
}
