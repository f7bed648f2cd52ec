//! State that the threads of an inbox share: what was admitted, what was rejected, and the first error.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use isopod_wire::WireError;

use crate::server::admit::admitted_frames::{AdmittedFrames, PendingPart};
use crate::server::admit::quarantine::{LocatedBytes, Quarantine, Rejected, Unfinished};
use crate::{Error, Result, Server};

/// State that the threads of an inbox share.
pub(crate) struct Admission<'a> {
    pub server: &'a Server,
    /// Receiver of what does not enter; without one the first is an error.
    pub quarantine: Option<Mutex<Quarantine<'a>>>,
    admitted: Mutex<AdmittedFrames>,
    failure: Mutex<Option<((u64, u64), Error)>>,
    pub failed: AtomicBool,
    /// Why the first bytes did not enter.
    first_refusal: Mutex<Option<Error>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Admission<'a> {
    pub fn new(server: &'a Server) -> Self {
        Self {
            server,
            quarantine: None,
            admitted: Mutex::default(),
            failure: Mutex::default(),
            failed: AtomicBool::new(false),
            first_refusal: Mutex::default(),
        }
    }

    pub fn admitted(&self) -> MutexGuard<'_, AdmittedFrames> {
        lock(&self.admitted)
    }

    /// Keeps the first error in the order of the sources.
    pub fn fail(&self, at: (u64, u64), error: Error) {
        self.failed.store(true, Ordering::Relaxed);
        let mut failure = lock(&self.failure);
        if failure.as_ref().is_none_or(|(before, _)| at < *before) {
            *failure = Some((at, error));
        }
    }

    /// The error that ended the work; afterwards work can go on.
    pub fn failure(&self) -> Option<Error> {
        self.failed.store(false, Ordering::Relaxed);
        lock(&self.failure).take().map(|(_, error)| error)
    }

    /// Sets pieces aside that did not enter for one reason, or makes an error of it.
    pub fn reject(&self, pieces: &[LocatedBytes<'_>], item: &str, reason: Error) -> Result<()> {
        let Some(quarantine) = &self.quarantine else {
            return Err(match pieces.first() {
                Some(piece) => piece.place.explain(item, reason),
                None => reason,
            });
        };
        for piece in pieces {
            lock(quarantine)(Rejected {
                source: &piece.place.source,
                position: piece.place.position,
                bytes: piece.bytes,
                reason: &reason,
            })?;
            self.admitted().tally.set_aside += 1;
        }
        if let Some(piece) = pieces.first() {
            lock(&self.first_refusal).get_or_insert_with(|| piece.place.explain(item, reason));
        }
        Ok(())
    }

    /// Notes the begin of an item that may still grow, or makes an error of it.
    pub fn unfinished(
        &self,
        piece: &LocatedBytes<'_>,
        item: &str,
        error: &WireError,
    ) -> Result<()> {
        let refusal = piece.place.explain(item, error.clone().into());
        if self.quarantine.is_none() {
            return Err(refusal);
        }
        lock(&self.first_refusal).get_or_insert(refusal);
        self.admitted().tally.unfinished.push(Unfinished {
            source: piece.place.source.to_string(),
            position: piece.place.position,
            bytes: piece.bytes.len(),
        });
        Ok(())
    }

    /// Why the first bytes did not enter.
    pub fn first_refusal(&self) -> Option<Error> {
        lock(&self.first_refusal).take()
    }

    /// Rejects the parts of frames that lack others.
    pub fn finish(&self) -> Result<()> {
        loop {
            let incomplete = self.admitted().incomplete();
            let Some((error, parts)) = incomplete else {
                return Ok(());
            };
            if self.quarantine.is_none() {
                return Err(error.into());
            }
            let pieces: Vec<_> = parts.iter().map(PendingPart::piece).collect();
            self.reject(&pieces, "part", error.into())?;
        }
    }
}
