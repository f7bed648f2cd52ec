//! Items into pots, on all cores: read, authenticated, judged, assembled.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};

use isopod_keys::{Judge, LastDevice};
use isopod_wire::{
    AnySet, Envelope, FrameId, ItemKind, PackedFrame, PackedPart, Relation, TfheFrame, WireError,
};

use crate::batches::{Content, Stretch};
use crate::feed::Work;
use crate::items::authenticate;
use crate::names::{repeated, Names, Waiting};
use crate::pot::Pot;
use crate::set_aside::{Piece, Place, Quarantine, Rejected, Unfinished};
use crate::{Error, Frame, Result, Server};

/// State that the threads of an inbox share.
pub(crate) struct Intake<'a> {
    server: &'a Server,
    /// Receiver of what does not enter; without one the first is an error.
    pub quarantine: Option<Mutex<Quarantine<'a>>>,
    names: Mutex<Names>,
    failure: Mutex<Option<((u64, u64), Error)>>,
    failed: AtomicBool,
    /// Why the first bytes did not enter.
    first_refusal: Mutex<Option<Error>>,
}

/// An error of one item, or of the whole evaluation.
enum Refusal {
    Item(Error),
    Fatal(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        match error.into() {
            error @ (Error::Differs { .. } | Error::OpenFrames { .. }) => Self::Fatal(error),
            error => Self::Item(error),
        }
    }
}

/// Outcome of taking an item in.
type Accepted<T> = std::result::Result<T, Refusal>;

/// Parts of one frame at hand.
type Parts<'b> = Vec<(Piece<'b>, PackedPart<'b>)>;

/// One thread's work on one batch.
struct Desk<'d, 'q, 'b> {
    intake: &'d Intake<'q>,
    keys: LastDevice<'q>,
    judge: Option<&'d Judge>,
    pot: &'d mut Pot,
    work: &'b Work,
    open: BTreeMap<FrameId, Parts<'b>>,
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
        let mut desk = Desk {
            intake: self,
            keys: self.server.remembering(),
            judge,
            pot,
            work,
            open: BTreeMap::new(),
        };
        for stretch in &work.batch.stretches {
            if let Err(error) = desk.stretch(stretch) {
                self.fail((work.order, stretch.range.start as u64), error);
                break;
            }
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

impl<'b> Desk<'_, '_, 'b> {
    fn place(&self, at: usize) -> Place {
        let begin = &self.work.place;
        Place {
            source: begin.source.clone(),
            position: begin.position + at as u64,
        }
    }

    fn stretch(&mut self, stretch: &Stretch) -> Result<()> {
        let piece = Piece {
            place: self.place(stretch.range.start),
            bytes: &self.work.batch.bytes[stretch.range.clone()],
        };
        match &stretch.content {
            Content::State => Ok(()),
            Content::Damaged(error) => self.damaged(&piece, error),
            Content::Unfinished(error) => self.unfinished(&piece, error),
            Content::Item => match self.item(&piece) {
                Ok(Some(parts)) => self.whole(parts),
                Ok(None) => Ok(()),
                Err(refusal) => self.settle(&[piece], refusal),
            },
        }
    }

    /// Rejects bytes that are no item; a whole file of other things was given by mistake.
    fn damaged(&self, piece: &Piece<'_>, error: &WireError) -> Result<()> {
        let error = Error::from(error.clone());
        let claimed = Envelope::claimed_kind(piece.bytes);
        let is_keys = matches!(
            claimed,
            Some(ItemKind::EvaluationKeys | ItemKind::TfheServerKeys)
        );
        match piece.place.position == 0 && is_keys {
            true => Err(piece.place.explain("item", Error::NoFrame)),
            false => self.settle(std::slice::from_ref(piece), Refusal::Item(error)),
        }
    }

    /// Notes the begin of an item that may still grow.
    fn unfinished(&self, piece: &Piece<'_>, error: &WireError) -> Result<()> {
        let refusal = piece.place.explain(self.item_name(), error.clone().into());
        if self.intake.quarantine.is_none() {
            return Err(refusal);
        }
        lock(&self.intake.first_refusal).get_or_insert(refusal);
        self.intake.names().tally.unfinished.push(Unfinished {
            source: piece.place.source.to_string(),
            position: piece.place.position,
            bytes: piece.bytes.len(),
        });
        Ok(())
    }

    /// Name of one item in messages.
    fn item_name(&self) -> &'static str {
        match self.intake.server.set() {
            AnySet::Rns(_) => "part",
            AnySet::Tfhe(_) => "frame",
        }
    }

    /// Rejects pieces that were refused, unless the refusal ends the evaluation.
    fn settle(&self, pieces: &[Piece<'_>], refusal: Refusal) -> Result<()> {
        let item = self.item_name();
        match (refusal, pieces.first()) {
            (Refusal::Item(reason), _) => self.intake.reject(pieces, item, reason),
            // Its message names both frames.
            (Refusal::Fatal(error @ Error::Differs { .. }), _) => Err(error),
            (Refusal::Fatal(error), Some(piece)) => Err(piece.place.explain(item, error)),
            (Refusal::Fatal(error), None) => Err(error),
        }
    }

    /// Takes an item in; gives the parts of a frame that is whole by it.
    fn item(&mut self, piece: &Piece<'b>) -> Accepted<Option<Parts<'b>>> {
        let server = self.intake.server;
        let envelope = Envelope::read_only(piece.bytes)?;
        let (key_id, relation) = (envelope.key_id(), envelope.relation());
        let authentic = authenticate(envelope, &self.keys, server.key_id())?;
        // The server's own files are given by mistake; what a device sends in place of frames is refused alone.
        let of_relation = |error: WireError| match relation {
            Relation::Link => Refusal::Fatal(error.into()),
            Relation::Device(_) => error.into(),
        };
        let item = self.item_name();
        if key_id != server.key_id() {
            return Err(server.other_key(item, key_id).into());
        }
        match server.set() {
            AnySet::Rns(set) => {
                let part = authentic.packed_part().map_err(of_relation)?;
                if part.header.params.set_id != set.set_id {
                    return Err(server.other_key(item, key_id).into());
                }
                self.part(piece.clone(), part)
            }
            AnySet::Tfhe(set) => {
                let frame = authentic.tfhe_frame(set).map_err(of_relation)?;
                self.tfhe(frame).map(|()| None)
            }
        }
    }

    fn judge(&self, id: FrameId) -> Accepted<()> {
        match self.judge {
            Some(judge) => judge.check(id)?,
            None => self.intake.server.check_device(id)?,
        }
        Ok(())
    }

    fn tfhe(&mut self, frame: TfheFrame) -> Accepted<()> {
        let id = frame.header.id;
        self.judge(id)?;
        self.intake.names().enter(id)?;
        if let Pot::Frames(frames) = self.pot {
            frames.insert(id, Frame::Tfhe(frame));
        }
        Ok(())
    }

    fn part(&mut self, piece: Piece<'b>, part: PackedPart<'b>) -> Accepted<Option<Parts<'b>>> {
        let id = part.header.id;
        self.judge(id)?;
        let wanted = usize::from(part.header.parts);
        let open = self.open.entry(id).or_default();
        if let Some((_, first)) = open.first() {
            if let Some(field) = first.header.difference(&part.header) {
                return Err(WireError::Mismatch { field }.into());
            }
        }
        if open.iter().any(|(_, other)| other.part == part.part) {
            return Err(repeated(id, part.part).into());
        }
        open.push((piece, part));
        match open.len() == wanted {
            true => Ok(self.open.remove(&id)),
            false => Ok(None),
        }
    }

    /// Takes a whole frame in, or rejects its parts.
    fn whole(&mut self, parts: Parts<'_>) -> Result<()> {
        let (pieces, parts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        match self.take(parts) {
            Ok(()) => Ok(()),
            Err(refusal) => self.settle(&pieces, refusal),
        }
    }

    fn take(&mut self, parts: Vec<PackedPart<'_>>) -> Accepted<()> {
        let frame = PackedFrame::new(parts)?;
        if !self.intake.names().enter(frame.header().id)? {
            return Ok(());
        }
        let taken = self.pot.take(frame);
        if taken.is_err() {
            self.intake.names().leave();
        }
        Ok(taken?)
    }

    /// Leaves the parts of frames that are not whole to other batches, or completes those that others left.
    fn close(&mut self) -> Result<()> {
        for (piece, part) in std::mem::take(&mut self.open).into_values().flatten() {
            let waiting = Waiting::new(&piece, part.part);
            let waited = self.intake.names().wait(&part.header, waiting);
            match waited {
                Ok(Some(parts)) => self.rejoin(&parts)?,
                Ok(None) => {}
                Err(error) => self.settle(&[piece], error.into())?,
            }
        }
        Ok(())
    }

    /// Takes in a frame whose parts were in several batches; they are authenticated once more, as only such parts are read.
    fn rejoin(&mut self, waiting: &[Waiting]) -> Result<()> {
        let server = self.intake.server;
        let part = |waiting| -> Result<(Piece<'_>, PackedPart<'_>)> {
            let piece = Waiting::piece(waiting);
            let item = Envelope::read_only(piece.bytes)?.authenticate(server)?;
            Ok((piece, item.packed_part()?))
        };
        let parts = waiting.iter().map(part).collect::<Result<_>>()?;
        self.whole(parts)
    }
}
