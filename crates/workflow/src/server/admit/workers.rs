//! The threads of an inbox, which take batches in turns.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use isopod_keys::ReplayCheck;

use crate::server::admit::admission::{lock, Admission};
use crate::server::admit::batch_admission::{BatchAdmission, FrameSink};
use crate::server::read::batch_reader::PositionedBatch;
use crate::Result;

/// The source of batches, and how it ended.
struct Turns<N> {
    next: N,
    ended: Option<Result<Option<PositionedBatch>>>,
}

impl<N: FnMut() -> Result<Option<PositionedBatch>>> Turns<N> {
    fn take(&mut self) -> Option<PositionedBatch> {
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

impl Admission<'_> {
    /// Works with a thread for each sink, which take batches in turns, until `next` gives none, or a partial state, which is
    /// returned.
    pub fn work<S: FrameSink + Send>(
        &self,
        sinks: &[Mutex<S>],
        judge: Option<&ReplayCheck>,
        next: impl FnMut() -> Result<Option<PositionedBatch>> + Send,
    ) -> Result<Option<PositionedBatch>> {
        let ended = None;
        let turns = Mutex::new(Turns { next, ended });
        std::thread::scope(|scope| {
            for sink in sinks.iter().skip(1) {
                scope.spawn(|| self.take_turns(sink, judge, &turns));
            }
            if let Some(sink) = sinks.first() {
                self.take_turns(sink, judge, &turns);
            }
        });
        let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        turns.ended.unwrap_or(Ok(None))
    }

    fn take_turns<S: FrameSink, N: FnMut() -> Result<Option<PositionedBatch>>>(
        &self,
        sink: &Mutex<S>,
        judge: Option<&ReplayCheck>,
        turns: &Mutex<Turns<N>>,
    ) {
        let mut sink = lock(sink);
        while !self.failed.load(Ordering::Relaxed) {
            let work = lock(turns).take();
            match work {
                Some(work) => self.process(&mut *sink, judge, &work),
                None => return,
            }
        }
    }

    fn process<S: FrameSink>(
        &self,
        sink: &mut S,
        judge: Option<&ReplayCheck>,
        work: &PositionedBatch,
    ) {
        let mut desk = BatchAdmission::new(self, judge, sink, work);
        if let Err(error) = desk.run() {
            self.fail((work.order, desk.at), error);
        }
        if let Err(error) = desk.close() {
            self.fail((work.order, u64::MAX), error);
        }
    }
}
