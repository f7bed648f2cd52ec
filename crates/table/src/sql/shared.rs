//! Knowledge that the aggregates of one session share.

use std::fmt::{self, Debug, Formatter};
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::DataFusionError;
use isopod_workflow::{Aggregation, Error, Job, Result, Server};

/// An aggregation, and the function that asks for it.
#[derive(Clone)]
pub(super) struct HeAggregate {
    pub aggregation: Aggregation,
    function: &'static str,
}

impl HeAggregate {
    /// The error of a job, which may be one of several in a query: by the name of its function.
    pub fn explain(&self, error: Error) -> Error {
        match self.aggregation.is_merged() {
            true => of_function(self.function, error),
            false => error,
        }
    }
}

fn of_function(function: &'static str, error: Error) -> Error {
    Error::At {
        place: function.to_owned(),
        source: Box::new(error),
    }
}

/// The server, the aggregates of all queries so far, and the error that ended one.
pub(super) struct Shared {
    server: Arc<Server>,
    /// Threads that authenticate and add frames.
    pub threads: NonZero<usize>,
    aggregates: Mutex<Vec<HeAggregate>>,
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
            aggregates: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// The aggregate of a function that is a job.
    pub fn aggregate(&self, function: &'static str, job: Job) -> Result<HeAggregate> {
        let mut known = self
            .aggregates
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let same = known.iter().find(|known| *known.aggregation.job() == job);
        if let Some(known) = same {
            return Ok(known.clone());
        }
        let aggregate = HeAggregate {
            aggregation: Aggregation::new(self.server.clone(), job)?,
            function,
        };
        known.push(aggregate.clone());
        Ok(aggregate)
    }

    /// The aggregate of a function that is a job on merged frames.
    pub fn merged(&self, function: &'static str, job: Job) -> Result<HeAggregate> {
        let set = self.server.set();
        let aggregate = match job.name().takes_merged(set) {
            true => self.aggregate(function, job),
            false => {
                let problem = format!(
                    "{}; allowed are those whose frames are merged, such as ckks-2048x1-air",
                    set.name()
                );
                Err(Error::parameter("set", problem))
            }
        };
        aggregate.map_err(|error| of_function(function, error))
    }

    /// The aggregate that made a state.
    pub fn of_state(&self, state: &[u8]) -> Result<Option<HeAggregate>> {
        let known = self
            .aggregates
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for aggregate in known.iter() {
            if aggregate.aggregation.is_of(state)? {
                return Ok(Some(aggregate.clone()));
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
