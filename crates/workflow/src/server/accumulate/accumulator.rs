//! Frames as far as a job has taken them in: held one by one, or folded into their sum.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};

use isopod_linear::{Machine, Proof, RowMask, Sum};
use isopod_wire::codes::size;
use isopod_wire::{
    AnySet, FrameHeader, FrameId, LinearTag, Manifest, PackedFrame, PadFrame, PadSum, Partial,
    PartialHeader, TfheFrame,
};

use crate::request::descriptor::JobName;
use crate::request::job::Request;
use crate::request::pad_span::PadSpan;
use crate::server::accumulate::compatibility::check_pair;
use crate::server::accumulate::frame::Header;
use crate::server::accumulate::pads::{PadPackets, PadShare, PadSumDefinition};
use crate::server::accumulate::residues::mask;
use crate::server::accumulate::tfhe::TfheAccumulator;
use crate::server::admit::batch_admission::FrameSink;
use crate::{Error, Frame, Result, Server};

/// Everything that an inbox accumulated.
pub(crate) struct Accumulated {
    /// Frames that are held, in order.
    pub frames: Vec<Frame>,
    /// The linear tag of each.
    pub linear_tags: Vec<Option<LinearTag>>,
    /// The sum of all frames, those of states among them, in place of them.
    pub sum: Option<Partial>,
    /// All frames of a job of TFHE that takes them as they come, in place of them.
    pub tfhe: Option<Arc<TfheAccumulator>>,
    /// The sum of all packets of pads, in place of them.
    pub pads: Option<PadSum>,
    /// Packets of pads that frames of TFHE are the pads of.
    pub packets: Option<Arc<PadPackets>>,
    /// The reader of a sum of pads; None for the owner.
    pub reader: Option<PadSpan>,
    /// Frames of partial states.
    pub of_states: Manifest,
    /// Number of threads that work.
    pub threads: NonZero<usize>,
}

/// Frames of one thread.
pub(crate) enum FrameAccumulator {
    /// The frames, in order, with their linear tags.
    Frames(BTreeMap<FrameId, (Frame, Option<LinearTag>)>),
    /// Their sum, if there are any; memory does not grow with their number.
    Sum(Arc<SumDefinition>, Option<Box<Sum>>),
    /// Frames of TFHE in a job that takes them as they come, which all threads share.
    Tfhe(Arc<TfheAccumulator>),
    /// The sum of packets of pads.
    Pads(PadShare),
}

/// The accumulator of each thread.
#[derive(Clone)]
pub(crate) enum AccumulatorKind {
    Frames,
    Sum(Arc<SumDefinition>),
    Tfhe(Arc<TfheAccumulator>),
    Pads(Arc<PadSumDefinition>),
}

impl AccumulatorKind {
    /// The accumulator of TFHE, if frames came.
    pub fn tfhe(self) -> Option<Arc<TfheAccumulator>> {
        match self {
            Self::Tfhe(tfhe) => Some(tfhe).filter(|tfhe| !tfhe.frames().1.is_empty()),
            _ => None,
        }
    }
}

/// The sum that all threads make together: its job, the digest of its request, and the first frame.
pub(crate) struct SumDefinition {
    pub job: JobName,
    pub request: [u8; size::DIGEST],
    /// Rows that a sum of columns takes.
    pub rows: Option<RowMask>,
    /// The tags of frames that prove the result.
    proof: Proof,
    first: OnceLock<FrameHeader>,
}

impl SumDefinition {
    /// The sum of a job whose result is made of the sum of all frames; None for others.
    pub fn of(request: &Request, set: AnySet, digest: [u8; size::DIGEST]) -> Option<Self> {
        request.is_aggregate().then(|| Self {
            job: request.job.name(),
            request: digest,
            rows: request.job.rows(),
            proof: request.proof(set),
            first: OnceLock::new(),
        })
    }

    /// Refuses a partial state of another job, request or arrangement than the frames.
    pub fn check(&self, state: &PartialHeader) -> Result<()> {
        let (job, request) = (self.job.name(), self.request);
        let own = match self.first.get() {
            Some(first) => PartialHeader::of(first, job, request),
            None => PartialHeader {
                job: job.to_owned(),
                request,
                ..state.clone()
            },
        };
        match own.difference(state) {
            Some(field) => Err(isopod_linear::Error::Differs { field }.into()),
            None => Ok(()),
        }
    }

    /// Adds a frame to a sum; refuses one that does not belong to the first.
    fn fold(&self, sum: &mut Option<Box<Sum>>, frame: &PackedFrame<'_>) -> Result<()> {
        let header = frame.header();
        let first = self.first.get_or_init(|| header.clone());
        check_pair(self.job, Header::Rns(first), Header::Rns(header))?;
        let mask = mask(header)?;
        let sum = match sum {
            Some(sum) => sum,
            None => {
                let empty = Sum::new(first, self.job.name(), self.request, Machine::best())?;
                let empty = empty.proved_by(self.proof);
                sum.insert(Box::new(match &self.rows {
                    Some(rows) => empty.by_columns(rows),
                    None => empty,
                }))
            }
        };
        Ok(sum.fold(frame, mask.as_deref(), 1)?)
    }
}

impl FrameAccumulator {
    /// An empty accumulator.
    pub fn new(accumulators: &AccumulatorKind) -> Self {
        match accumulators {
            AccumulatorKind::Frames => Self::Frames(BTreeMap::new()),
            AccumulatorKind::Sum(definition) => Self::Sum(definition.clone(), None),
            AccumulatorKind::Tfhe(tfhe) => Self::Tfhe(tfhe.clone()),
            AccumulatorKind::Pads(definition) => Self::Pads(PadShare::new(definition)),
        }
    }
}

impl FrameSink for FrameAccumulator {
    fn take(&mut self, frame: PackedFrame<'_>) -> Result<()> {
        match self {
            Self::Sum(definition, sum) => definition.fold(sum, &frame),
            Self::Frames(frames) => {
                let tag = frame.linear_tag();
                let frame = Frame::unpacked(frame)?;
                frames.insert(frame.id(), (frame, tag));
                Ok(())
            }
            Self::Tfhe(_) | Self::Pads(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    fn take_tfhe(&mut self, frame: TfheFrame) -> Result<()> {
        match self {
            Self::Tfhe(tfhe) => tfhe.take(frame),
            Self::Frames(frames) => {
                frames.insert(frame.header.id, (Frame::Tfhe(frame), None));
                Ok(())
            }
            Self::Sum(..) | Self::Pads(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    fn take_pad(&mut self, frame: PadFrame) -> Result<()> {
        match self {
            Self::Pads(share) => share.add(&frame),
            Self::Frames(frames) => {
                frames.insert(frame.header.id, (Frame::Pad(frame), None));
                Ok(())
            }
            _ => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    fn work(&self, server: &Server) -> Result<()> {
        match self {
            Self::Tfhe(tfhe) => tfhe.work(server),
            _ => Ok(()),
        }
    }
}
