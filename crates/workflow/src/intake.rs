//! Items into pots, on all cores: batches shared out among threads, and what these share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver};
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

    /// Shares batches out among threads, one for each pot, until `next` gives a partial state, which it returns, or none.
    pub fn work(
        &self,
        pots: &[Mutex<Pot>],
        judge: Option<&Judge>,
        mut next: impl FnMut() -> Result<Option<Work>>,
    ) -> Result<Option<Work>> {
        if let [pot] = pots {
            let mut pot = lock(pot);
            return self.share(&mut next, |work| self.process(&mut pot, judge, &work));
        }
        let (sender, receiver) = sync_channel::<Work>(pots.len());
        let receiver = Mutex::new(receiver);
        std::thread::scope(|scope| {
            for pot in pots {
                scope.spawn(|| self.process_all(pot, judge, &receiver));
            }
            // A send fails where all threads ended, which panicked.
            let sender = sender;
            self.share(&mut next, |work| drop(sender.send(work)))
        })
    }

    fn share(
        &self,
        next: &mut dyn FnMut() -> Result<Option<Work>>,
        mut give: impl FnMut(Work),
    ) -> Result<Option<Work>> {
        while !self.failed.load(Ordering::Relaxed) {
            match next()? {
                Some(work) if !work.is_state() => give(work),
                other => return Ok(other),
            }
        }
        Ok(None)
    }

    fn process_all(&self, pot: &Mutex<Pot>, judge: Option<&Judge>, work: &Mutex<Receiver<Work>>) {
        let mut pot = lock(pot);
        loop {
            let next = lock(work).recv();
            match next {
                Ok(work) => self.process(&mut pot, judge, &work),
                Err(_) => return,
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
