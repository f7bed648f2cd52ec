//! The program that bootstraps merged frames, as a server has it: one job after the other, since a job takes gigabytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use isopod_lattigo::Backend;

use crate::request::job::Request;
use crate::{Error, Result, Server};

impl Server {
    /// The server with keys of a large ring. The program starts with the first job, and keeps keys in memory for the next one.
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = Some(Mutex::new(backend));
        self
    }

    /// Refuses a request that needs keys of a large ring, if there are none. Nothing is started.
    ///
    /// # Errors
    /// [`Error::WithoutBackend`].
    pub fn check_large_ring(&self, request: &Request) -> Result<()> {
        // No lock: a job may hold it for minutes.
        match &self.backend {
            None if request.takes_merged(self.set()) => Err(self.without_backend(request)),
            _ => Ok(()),
        }
    }

    fn without_backend(&self, request: &Request) -> Error {
        Error::WithoutBackend {
            job: request.job.name().name(),
            set: self.set().name(),
        }
    }

    /// Starts the program if the request needs it, so that whatever is wrong with it or its keys is said before frames are read.
    pub(crate) fn check_backend(&self, request: &Request) -> Result<()> {
        if request.takes_merged(self.set()) {
            let mut backend = self.bootstrapping(request)?;
            backend.size().check(request.job.question()?.reduction())?;
            backend.start()?;
        }
        Ok(())
    }

    /// The program, for one job. A panic of another job leaves it as it was after an error: it starts again.
    pub(crate) fn bootstrapping(&self, request: &Request) -> Result<MutexGuard<'_, Backend>> {
        let Some(backend) = &self.backend else {
            return Err(self.without_backend(request));
        };
        Ok(backend.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
