//! One thread's work on one batch: items read, authenticated, judged, and assembled to frames.

use std::collections::BTreeMap;

use isopod_keys::ReplayCheck;
use isopod_wire::{
    DeviceItem, Envelope, FrameId, ItemKind, PackedFrame, PackedPart, PadFrame, TfheFrame,
    WireError,
};

use crate::server::admit::admission::Admission;
use crate::server::admit::admitted_frames::PendingPart;
use crate::server::admit::quarantine::LocatedBytes;
use crate::server::authenticate::{Accepted, Refusal};
use crate::server::folder::DeviceTags;
use crate::server::read::batch::{Content, Stretch};
use crate::server::read::batch_reader::PositionedBatch;
use crate::server::read::position::SourcePosition;
use crate::{Error, Result, Server};

/// Most cuts anew of one batch, so that forged bytes cannot make its reading slow; items behind them are set aside.
const MOST_CUTS: usize = 32;

/// The receiver of admitted frames.
pub(crate) trait FrameSink {
    /// Takes a whole frame of CKKS or BFV.
    fn take(&mut self, frame: PackedFrame<'_>) -> Result<()>;

    /// Takes a frame of TFHE.
    fn take_tfhe(&mut self, frame: TfheFrame) -> Result<()>;

    /// Takes a packet of pads.
    fn take_pad(&mut self, frame: PadFrame) -> Result<()>;

    /// Works on the frames that were taken, as far as none is waited for.
    fn work(&self, server: &Server) -> Result<()>;
}

/// Parts of one frame at hand.
type Parts<'b> = Vec<(LocatedBytes<'b>, PackedPart<'b>)>;

/// One thread's work on one batch.
pub(crate) struct BatchAdmission<'d, 'q, 'b, S> {
    admission: &'d Admission<'q>,
    keys: DeviceTags<'q>,
    judge: Option<&'d ReplayCheck>,
    sink: &'d mut S,
    work: &'b PositionedBatch,
    open: BTreeMap<FrameId, Parts<'b>>,
    /// Stretches in place of the rest, once an item was found inside of a damaged one.
    cut_anew: Option<Vec<Stretch>>,
    /// Cuts that are left: each reads the rest of the batch again.
    cuts: usize,
    /// Offset in the batch of the item at hand.
    pub at: u64,
}

impl<'d, 'q, 'b, S: FrameSink> BatchAdmission<'d, 'q, 'b, S> {
    pub fn new(
        admission: &'d Admission<'q>,
        judge: Option<&'d ReplayCheck>,
        sink: &'d mut S,
        work: &'b PositionedBatch,
    ) -> Self {
        Self {
            keys: admission.server.remembering(),
            admission,
            judge,
            sink,
            work,
            open: BTreeMap::new(),
            cut_anew: None,
            cuts: MOST_CUTS,
            at: 0,
        }
    }

    fn place(&self, at: usize) -> SourcePosition {
        let begin = &self.work.place;
        SourcePosition {
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
        let piece = LocatedBytes {
            place: self.place(stretch.range.start),
            bytes: &self.work.batch.bytes[stretch.range.clone()],
        };
        match &stretch.content {
            Content::State => Ok(()),
            Content::Damaged(error) => self.damaged(&piece, error),
            Content::Unfinished(error) => {
                self.admission
                    .unfinished(&piece, self.admission.server.item_name(), error)
            }
            Content::Item => match self.item(&piece) {
                Ok(Some(parts)) => self.whole(parts),
                Ok(None) => Ok(()),
                Err(refusal) if refusal.is_tag() => self.forged(stretch, piece, refusal),
                Err(refusal) => self.settle(&[piece], refusal),
            },
        }
    }

    /// Rejects an item whose tag does not verify, up to another that may begin inside of it.
    fn forged(
        &mut self,
        stretch: &Stretch,
        piece: LocatedBytes<'_>,
        refusal: Refusal,
    ) -> Result<()> {
        if self.admission.quarantine.is_some() && self.cuts > 0 {
            if let Some(stretches) = self.work.batch.cut_within(&stretch.range) {
                self.cuts -= 1;
                self.cut_anew = Some(stretches);
                return Ok(());
            }
        }
        self.settle(&[piece], refusal)
    }

    /// Rejects bytes that are no item; a whole file of other things was given by mistake.
    fn damaged(&self, piece: &LocatedBytes<'_>, error: &WireError) -> Result<()> {
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

    /// Rejects pieces that were refused, unless the refusal ends the evaluation.
    fn settle(&self, pieces: &[LocatedBytes<'_>], refusal: Refusal) -> Result<()> {
        let item = self.admission.server.item_name();
        match (refusal, pieces.first()) {
            (Refusal::Item(reason), _) => self.admission.reject(pieces, item, reason),
            // Its message names both frames.
            (Refusal::Fatal(error @ Error::Differs { .. }), _) => Err(error),
            (Refusal::Fatal(error), Some(piece)) => Err(piece.place.explain(item, error)),
            (Refusal::Fatal(error), None) => Err(error),
        }
    }

    /// Takes an item in; gives the parts of a frame that is whole by it.
    fn item(&mut self, piece: &LocatedBytes<'b>) -> Accepted<Option<Parts<'b>>> {
        match self.admission.server.device_item(&self.keys, piece.bytes)? {
            DeviceItem::Part(part) => self.part(piece.clone(), part),
            DeviceItem::Frame(frame) => {
                self.whole_item(frame.header.id, |sink| sink.take_tfhe(frame))
            }
            DeviceItem::Pad(frame) => self.whole_item(frame.header.id, |sink| sink.take_pad(frame)),
        }
    }

    fn judge(&self, id: FrameId) -> Accepted<()> {
        match self.judge {
            Some(judge) => judge.check(id)?,
            None => self.admission.server.check_device(id)?,
        }
        Ok(())
    }

    /// Takes in an item that is a whole frame; there are no parts of others to give.
    fn whole_item(
        &mut self,
        id: FrameId,
        take: impl FnOnce(&mut S) -> Result<()>,
    ) -> Accepted<Option<Parts<'b>>> {
        self.judge(id)?;
        if !self.admission.admitted().enter(id)? {
            return Ok(None);
        }
        if let Err(error) = take(self.sink) {
            self.admission.admitted().leave();
            return Err(error.into());
        }
        let worked = self.sink.work(self.admission.server);
        worked.map(|()| None).map_err(Refusal::Fatal)
    }

    fn part(
        &mut self,
        piece: LocatedBytes<'b>,
        part: PackedPart<'b>,
    ) -> Accepted<Option<Parts<'b>>> {
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
        if !self.admission.admitted().enter(frame.header().id)? {
            return Ok(());
        }
        let taken = self.sink.take(frame);
        if taken.is_err() {
            self.admission.admitted().leave();
        }
        Ok(taken?)
    }

    /// Leaves the parts of frames that are not whole to other batches, or completes those that others left.
    pub fn close(&mut self) -> Result<()> {
        for (piece, part) in std::mem::take(&mut self.open).into_values().flatten() {
            let waiting = PendingPart::new(&piece, part.part);
            let waited = self.admission.admitted().wait(&part.header, waiting);
            match waited {
                Ok(Some(parts)) => self.rejoin(&parts)?,
                Ok(None) => {}
                Err(error) => self.settle(&[piece], error.into())?,
            }
        }
        Ok(())
    }

    /// Takes in a frame whose parts were in several batches; they are authenticated once more, as only such parts are read.
    fn rejoin(&mut self, waiting: &[PendingPart]) -> Result<()> {
        let server = self.admission.server;
        let part = |waiting| -> Result<(LocatedBytes<'_>, PackedPart<'_>)> {
            let piece = PendingPart::piece(waiting);
            let item = Envelope::read_only(piece.bytes)?.authenticate(server)?;
            Ok((piece, item.packed_part()?))
        };
        let parts = waiting.iter().map(part).collect::<Result<_>>()?;
        self.whole(parts)
    }
}
