//! Items into pots, on all cores: batches shared out among threads, and what these share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use isopod_keys::Judge;
use isopod_wire::WireError;

use crate::desk::Desk;
use crate::feed::Work;
use crate::names::{Names, Waiting};
use crate::pot::Pot;
use crate::set_aside::{Piece, Quarantine, Rejected, Unfinished};
use crate::{Error, Result, Server};

/// State that the threads of an inbox share.
pub(crate) struct Intake<'a> {
    pub server: &'a Server,
    /// Receiver of what does not enter; without one the first is an error.
    pub quarantine: Option<Mutex<Quarantine<'a>>>,
    names: Mutex<Names>,
    failure: Mutex<Option<((u64, u64), Error)>>,
    failed: AtomicBool,
    /// Why the first bytes did not enter.
    first_refusal: Mutex<Option<Error>>,
}

/// The source of batches, and how it ended.
struct Turns<N> {
    next: N,
    ended: Option<Result<Option<Work>>>,
}

impl<N: FnMut() -> Result<Option<Work>>> Turns<N> {
    fn take(&mut self) -> Option<Work> {
        if self.ended.is_some() {
            return None;
        }
        match (self.next)() {
            Ok(Some(work)) if !work.is_state() => Some(work),
            other => {
                self.ended = Some(other);
                None
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Intake<'a> {
    pub fn new(server: &'a Server) -> Self {
        Self {
            server,
            quarantine: None,
            names: Mutex::default(),
            failure: Mutex::default(),
            failed: AtomicBool::new(false),
            first_refusal: Mutex::default(),
        }
    }

    pub fn names(&self) -> MutexGuard<'_, Names> {
        lock(&self.names)
    }

    /// Works with a thread for each pot, which take batches in turns, until `next` gives none, or a partial state, which is
    /// returned.
    pub fn work(
        &self,
        pots: &[Mutex<Pot>],
        judge: Option<&Judge>,
        next: impl FnMut() -> Result<Option<Work>> + Send,
    ) -> Result<Option<Work>> {
        let ended = None;
        let turns = Mutex::new(Turns { next, ended });
        std::thread::scope(|scope| {
            for pot in pots.iter().skip(1) {
                scope.spawn(|| self.take_turns(pot, judge, &turns));
            }
            if let Some(pot) = pots.first() {
                self.take_turns(pot, judge, &turns);
            }
        });
        let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        turns.ended.unwrap_or(Ok(None))
    }

    fn take_turns<N: FnMut() -> Result<Option<Work>>>(
        &self,
        pot: &Mutex<Pot>,
        judge: Option<&Judge>,
        turns: &Mutex<Turns<N>>,
    ) {
        let mut pot = lock(pot);
        while !self.failed.load(Ordering::Relaxed) {
            let work = lock(turns).take();
            match work {
                Some(work) => self.process(&mut pot, judge, &work),
                None => return,
            }
        }
    }

    fn process(&self, pot: &mut Pot, judge: Option<&Judge>, work: &Work) {
        let mut desk = Desk::new(self, judge, pot, work);
        if let Err(error) = desk.run() {
            self.fail((work.order, desk.at), error);
        }
        if let Err(error) = desk.close() {
            self.fail((work.order, u64::MAX), error);
        }
    }

    /// Keeps the first error in the order of the sources.
    fn fail(&self, at: (u64, u64), error: Error) {
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
    pub fn reject(&self, pieces: &[Piece<'_>], item: &str, reason: Error) -> Result<()> {
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
            self.names().tally.set_aside += 1;
        }
        if let Some(piece) = pieces.first() {
            lock(&self.first_refusal).get_or_insert_with(|| piece.place.explain(item, reason));
        }
        Ok(())
    }

    /// Notes the begin of an item that may still grow, or makes an error of it.
    pub fn unfinished(&self, piece: &Piece<'_>, item: &str, error: &WireError) -> Result<()> {
        let refusal = piece.place.explain(item, error.clone().into());
        if self.quarantine.is_none() {
            return Err(refusal);
        }
        lock(&self.first_refusal).get_or_insert(refusal);
        self.names().tally.unfinished.push(Unfinished {
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
            let incomplete = self.names().incomplete();
            let Some((error, parts)) = incomplete else {
                return Ok(());
            };
            if self.quarantine.is_none() {
                return Err(error.into());
            }
            let pieces: Vec<_> = parts.iter().map(Waiting::piece).collect();
            self.reject(&pieces, "part", error.into())?;
        }
    }
}
