//! One thread's work on one batch: items read, authenticated, judged, and assembled to frames.

use std::collections::BTreeMap;

use isopod_keys::{Judge, LastDevice};
use isopod_wire::{
    AnySet, Envelope, FrameId, ItemKind, PackedFrame, PackedPart, Relation, TfheFrame, WireError,
};

use crate::batches::{Content, Stretch};
use crate::feed::Work;
use crate::intake::Intake;
use crate::items::authenticate;
use crate::names::Waiting;
use crate::pot::Pot;
use crate::set_aside::{Piece, Place};
use crate::{Error, Result};

/// Most cuts anew of one batch, so that forged bytes cannot make its reading slow; items behind them are set aside.
const MOST_CUTS: usize = 32;

/// An error of one item, or of the whole evaluation.
enum Refusal {
    Item(Error),
    Fatal(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        match error.into() {
            error @ (Error::Differs { .. } | Error::OpenFrames { .. } | Error::Job(_)) => {
                Self::Fatal(error)
            }
            error => Self::Item(error),
        }
    }
}

/// Outcome of taking an item in.
type Accepted<T> = std::result::Result<T, Refusal>;

/// Parts of one frame at hand.
type Parts<'b> = Vec<(Piece<'b>, PackedPart<'b>)>;

/// One thread's work on one batch.
pub(crate) struct Desk<'d, 'q, 'b> {
    intake: &'d Intake<'q>,
    keys: LastDevice<'q>,
    judge: Option<&'d Judge>,
    pot: &'d mut Pot,
    work: &'b Work,
    open: BTreeMap<FrameId, Parts<'b>>,
    /// Stretches in place of the rest, once an item was found inside of a damaged one.
    cut_anew: Option<Vec<Stretch>>,
    /// Cuts that are left: each reads the rest of the batch again.
    cuts: usize,
    /// Offset in the batch of what is at hand.
    pub at: u64,
}

fn is_tag(error: &Error) -> bool {
    matches!(
        error,
        Error::Wire(WireError::Tag) | Error::ForeignTag { .. }
    )
}

impl<'d, 'q, 'b> Desk<'d, 'q, 'b> {
    pub fn new(
        intake: &'d Intake<'q>,
        judge: Option<&'d Judge>,
        pot: &'d mut Pot,
        work: &'b Work,
    ) -> Self {
        Self {
            keys: intake.server.remembering(),
            intake,
            judge,
            pot,
            work,
            open: BTreeMap::new(),
            cut_anew: None,
            cuts: MOST_CUTS,
            at: 0,
        }
    }

    fn place(&self, at: usize) -> Place {
        let begin = &self.work.place;
        Place {
            source: begin.source.clone(),
            position: begin.position + at as u64,
        }
    }

    /// Takes in what the batch holds, or rejects it, up to the first error.
    pub fn run(&mut self) -> Result<()> {
        let mut stretches = &self.work.batch.stretches;
        let mut anew;
        let mut at = 0;
        while let Some(stretch) = stretches.get(at) {
            self.at = stretch.range.start as u64;
            self.stretch(stretch)?;
            at += 1;
            if let Some(cut) = self.cut_anew.take() {
                anew = cut;
                (stretches, at) = (&anew, 0);
            }
        }
        Ok(())
    }

    fn stretch(&mut self, stretch: &Stretch) -> Result<()> {
        let piece = Piece {
            place: self.place(stretch.range.start),
            bytes: &self.work.batch.bytes[stretch.range.clone()],
        };
        match &stretch.content {
            Content::State => Ok(()),
            Content::Damaged(error) => self.damaged(&piece, error),
            Content::Unfinished(error) => self.intake.unfinished(&piece, self.item_name(), error),
            Content::Item => match self.item(&piece) {
                Ok(Some(parts)) => self.whole(parts),
                Ok(None) => Ok(()),
                Err(Refusal::Item(error)) if is_tag(&error) => self.forged(stretch, piece, error),
                Err(refusal) => self.settle(&[piece], refusal),
            },
        }
    }

    /// Rejects an item whose tag does not verify, up to another that may begin inside of it.
    fn forged(&mut self, stretch: &Stretch, piece: Piece<'_>, error: Error) -> Result<()> {
        if self.intake.quarantine.is_some() && self.cuts > 0 {
            if let Some(stretches) = self.work.batch.cut_within(&stretch.range) {
                self.cuts -= 1;
                self.cut_anew = Some(stretches);
                return Ok(());
            }
        }
        self.settle(&[piece], Refusal::Item(error))
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
        if !self.intake.names().enter(id)? {
            return Ok(());
        }
        if let Err(error) = self.pot.take_tfhe(frame) {
            self.intake.names().leave();
            return Err(error.into());
        }
        self.pot.work(self.intake.server).map_err(Refusal::Fatal)
    }

    fn part(&mut self, piece: Piece<'b>, part: PackedPart<'b>) -> Accepted<Option<Parts<'b>>> {
        let id = part.header.id;
        self.judge(id)?;
        let wanted = usize::from(part.header.items());
        let open = self.open.entry(id).or_default();
        if let Some((_, first)) = open.first() {
            if let Some(field) = first.header.difference(&part.header) {
                return Err(WireError::Mismatch { field }.into());
            }
        }
        if open.iter().any(|(_, other)| other.part == part.part) {
            return Err(WireError::duplicate(id, part.part).into());
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
    pub fn close(&mut self) -> Result<()> {
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
