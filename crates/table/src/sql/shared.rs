//! Knowledge that the aggregates of one session share.

use std::fmt::{self, Debug, Formatter};
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::DataFusionError;
use isopod_workflow::{Aggregation, Error, Job, Result, Server};

/// The server, the aggregations of all queries so far, and the error that ended one.
pub(super) struct Shared {
    server: Arc<Server>,
    /// Threads that authenticate and add frames.
    pub threads: NonZero<usize>,
    aggregations: Mutex<Vec<Aggregation>>,
    failure: Mutex<Option<Error>>,
}

impl Debug for Shared {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("Shared")
    }
}

impl Shared {
    pub fn new(server: Arc<Server>, threads: NonZero<usize>) -> Self {
        Self {
            server,
            threads,
            aggregations: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// The aggregation of a job.
    pub fn aggregation(&self, job: Job) -> Result<Aggregation> {
        let mut known = self
            .aggregations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.iter().find(|known| *known.job() == job) {
            return Ok(known.clone());
        }
        let aggregation = Aggregation::new(self.server.clone(), job)?;
        known.push(aggregation.clone());
        Ok(aggregation)
    }

    /// The aggregation that made a state.
    pub fn of_state(&self, state: &[u8]) -> Result<Option<Aggregation>> {
        let known = self
            .aggregations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for aggregation in known.iter() {
            if aggregation.is_of(state)? {
                return Ok(Some(aggregation.clone()));
            }
        }
        Ok(None)
    }

    /// Keeps the first error as it is, and gives its message to the engine.
    pub fn fail(&self, error: Error) -> DataFusionError {
        let message = message(&error);
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        DataFusionError::Execution(message)
    }

    /// The error that ended a query.
    pub fn failure(&self) -> Option<Error> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// An error with its causes.
fn message(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}
