//! The server's side: frames to sealed answers, with evaluation keys only.

use std::fs::File;
use std::io::{Cursor, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use isopod_keys::key_name;
use isopod_workflow::{Inbox, Job, Request, Source};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::error::{raised, refused, text};
use crate::progress::Callback;

/// Frames or partial states: bytes as they are, or a file.
#[derive(FromPyObject)]
pub enum Items {
    /// Bytes in memory, which are not copied.
    Bytes(PyBackedBytes),
    /// Path of a file, read as a stream.
    Path(PathBuf),
}

/// Question to the server, and how frames are taken in.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct EvaluationOptions {
    /// The owner's request.
    request: Option<String>,
    /// In place of a request: the job with its parameters, JSON.
    job: Option<String>,
    unnamed_columns: bool,
    again: bool,
    partial: bool,
    quarantine: bool,
    threads: Option<usize>,
}

/// Bytes that did not enter.
#[pyclass(frozen, get_all, module = "isopod._isopod")]
pub struct Rejected {
    /// Name of the source.
    source: String,
    /// Offset in the source.
    position: u64,
    /// The bytes.
    item: Py<PyBytes>,
    /// Why they did not enter.
    reason: String,
}

/// Source, position, bytes and reason of what did not enter.
type SetAside = (String, u64, Vec<u8>, String);
/// Sequence of the answer, 0 of a partial state; its items; frames that entered; what was set aside.
type Answered<'py> = (u64, Vec<Bound<'py, PyBytes>>, u64, Vec<Rejected>);

/// A server's folder.
#[pyclass(frozen, module = "isopod._isopod")]
pub struct Server {
    server: isopod_workflow::Server,
}

#[pymethods]
impl Server {
    /// Opens a server's folder.
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let server = py.detach(|| isopod_workflow::Server::open(&folder));
        let server = server.map_err(raised)?;
        Ok(Self { server })
    }

    /// Name of the parameter set.
    #[getter]
    fn set(&self) -> &'static str {
        self.server.set().name()
    }

    /// Name of the key pair.
    #[getter]
    fn key(&self) -> String {
        key_name(&self.server.key_id())
    }

    /// Computes on frames, enters them into the server's memory, and seals the answer.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        items: Vec<Items>,
        wanted: EvaluationOptions,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Answered<'py>> {
        let set_aside = Mutex::default();
        let answered = py.detach(|| self.answer(items, &wanted, progress, &set_aside));
        let (sequence, items, frames) = answered?;
        let set_aside = set_aside
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let rejected = |(source, position, item, reason): SetAside| Rejected {
            source,
            position,
            item: PyBytes::new(py, &item).unbind(),
            reason,
        };
        let items = items.iter().map(|item| PyBytes::new(py, item));
        let set_aside = set_aside.into_iter().map(rejected);
        Ok((sequence, items.collect(), frames, set_aside.collect()))
    }
}

impl Server {
    fn request(&self, wanted: &EvaluationOptions) -> PyResult<Request> {
        match (&wanted.request, &wanted.job) {
            (Some(text), _) => {
                Request::from_json(text, self.server.set(), self.server.key_id()).map_err(raised)
            }
            (None, job) => Ok(Request {
                unnamed_columns: wanted.unnamed_columns,
                ..Request::new(Job::from_json(job.as_deref().unwrap_or("{}")).map_err(raised)?)
            }),
        }
    }

    /// An inbox that hands on what it refuses, if that is asked for.
    fn inbox<'a>(
        &'a self,
        wanted: &EvaluationOptions,
        set_aside: &'a Mutex<Vec<SetAside>>,
    ) -> PyResult<Inbox<'a>> {
        let request = self.request(wanted)?;
        let mut inbox = Inbox::for_request(&self.server, &request, wanted.again).map_err(raised)?;
        if let Some(threads) = wanted.threads {
            let threads = NonZero::new(threads)
                .ok_or_else(|| refused("threads", "0; allowed is at least 1"))?;
            inbox = inbox.with_threads(threads);
        }
        if wanted.quarantine {
            inbox = inbox.with_quarantine(Box::new(|rejected| {
                let mut kept = set_aside.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push((
                    rejected.source.to_owned(),
                    rejected.position,
                    rejected.bytes.to_vec(),
                    text(rejected.reason),
                ));
                Ok(())
            }));
        }
        Ok(inbox)
    }

    fn answer(
        &self,
        items: Vec<Items>,
        wanted: &EvaluationOptions,
        progress: Option<Py<PyAny>>,
        set_aside: &Mutex<Vec<SetAside>>,
    ) -> PyResult<(u64, Vec<Vec<u8>>, u64)> {
        let mut inbox = self.inbox(wanted, set_aside)?;
        inbox
            .read_all(items.into_iter().enumerate().map(open))
            .map_err(raised)?;
        let frames = inbox.close().map_err(raised)?.frames;
        if wanted.partial {
            return Ok((0, vec![inbox.partial().map_err(raised)?], frames));
        }
        let mut callback = Callback::new(progress);
        let evaluated = inbox.evaluate(&mut |progress| callback.report(progress));
        let evaluated = evaluated.map_err(raised)?;
        callback.finish()?;
        let answer = evaluated.enter().map_err(raised)?;
        Ok((answer.sequence, answer.items, answer.frames.count()))
    }
}

/// A named source of items.
fn open((number, items): (usize, Items)) -> isopod_workflow::Result<Source<Box<dyn Read + Send>>> {
    Ok(match items {
        Items::Bytes(bytes) => Source {
            name: format!("frames[{number}]"),
            bytes: Box::new(Cursor::new(bytes)),
        },
        Items::Path(path) => Source {
            name: path.display().to_string(),
            bytes: Box::new(file(&path)?),
        },
    })
}

fn file(path: &Path) -> isopod_workflow::Result<File> {
    File::open(path).map_err(|error| isopod_workflow::Error::At {
        place: path.display().to_string(),
        source: Box::new(error.into()),
    })
}
