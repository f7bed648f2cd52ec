//! Progress for a Python function, which may raise: its exception ends the call, and nothing of the call stays.

use isopod_workflow::{Progress, Stage};
use pyo3::prelude::*;

/// A Python function of stage, steps done and steps in all.
pub struct Callback {
    function: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl Callback {
    /// Reports to this function, if any.
    pub fn new(function: Option<Py<PyAny>>) -> Self {
        let raised = None;
        Self { function, raised }
    }

    /// Calls the function, unless it has raised.
    pub fn report(&mut self, progress: Progress) {
        let (Some(function), None) = (&self.function, &self.raised) else {
            return;
        };
        let arguments = (name(progress.stage), progress.done, progress.total);
        let called = Python::attach(|py| {
            py.check_signals()
                .and_then(|()| function.call1(py, arguments).map(drop))
        });
        self.raised = called.err();
    }

    /// The exception of the function, if it raised.
    pub fn finish(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::MakingKeys => "making keys",
        Stage::Encrypting => "encrypting",
        Stage::Loading => "loading",
        Stage::Computing => "computing",
        Stage::Decrypting => "decrypting",
    }
}
