//! Frames as far as a job has taken them in: held one by one, or folded into their sum.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use isopod_linear::{Machine, Sum};
use isopod_wire::codes::size;
use isopod_wire::{Alike, FrameHeader, FrameId, Kind, PackedFrame, TfheFrame};

use crate::alike::check_pair;
use crate::frames::Header;
use crate::job::{JobName, Request};
use crate::packed::Folding;
use crate::{Error, Frame, Result, Server};

/// Frames of one thread.
pub(crate) enum Pot {
    /// The frames, in order.
    Frames(BTreeMap<FrameId, Frame>),
    /// Their sum, if there are any; memory does not grow with their number.
    Sum(Arc<Recipe>, Option<Box<Sum>>),
    /// Frames of TFHE in a job that takes them as they come, which all threads share.
    Folding(Arc<Folding>),
}

/// A pot of each thread.
#[derive(Clone)]
pub(crate) enum Pots {
    Frames,
    Sum(Arc<Recipe>),
    Folding(Arc<Folding>),
}

/// Instructions for all threads that fold: the job, the digest of its request, and the first frame.
pub(crate) struct Recipe {
    pub job: JobName,
    pub request: [u8; size::DIGEST],
    first: OnceLock<FrameHeader>,
}

impl Recipe {
    /// The recipe of a job whose result is made of the sum of all frames; None for others.
    pub fn of(request: &Request, digest: [u8; size::DIGEST]) -> Option<Self> {
        request.is_aggregate().then(|| Self {
            job: request.job.name(),
            request: digest,
            first: OnceLock::new(),
        })
    }

    /// Refuses a partial state of another job, request or arrangement than the frames.
    pub fn check(&self, state: &Alike) -> Result<()> {
        let (job, request) = (self.job.name(), self.request);
        let own = match self.first.get() {
            Some(first) => Alike::of(first, job, request),
            None => Alike {
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
                sum.insert(Box::new(empty))
            }
        };
        Ok(sum.fold(frame, mask.as_deref(), 1)?)
    }
}

impl Pot {
    /// An empty pot.
    pub fn new(pots: &Pots) -> Self {
        match pots {
            Pots::Frames => Self::Frames(BTreeMap::new()),
            Pots::Sum(recipe) => Self::Sum(recipe.clone(), None),
            Pots::Folding(folding) => Self::Folding(folding.clone()),
        }
    }

    /// Takes a whole frame of CKKS or BFV.
    pub fn take(&mut self, frame: PackedFrame<'_>) -> Result<()> {
        match self {
            Self::Sum(recipe, sum) => recipe.fold(sum, &frame),
            Self::Frames(frames) => {
                let frame = match frame.header().rounding {
                    None => Frame::Rns(frame.unpack()?),
                    Some(_) => Frame::Rounded(frame.rounded()?),
                };
                frames.insert(frame.id(), frame);
                Ok(())
            }
            Self::Folding(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// Takes a frame of TFHE.
    pub fn take_tfhe(&mut self, frame: TfheFrame) -> Result<()> {
        match self {
            Self::Folding(folding) => folding.take(frame),
            Self::Frames(frames) => {
                frames.insert(frame.header.id, Frame::Tfhe(frame));
                Ok(())
            }
            Self::Sum(..) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// Works on the frames that were taken, as far as none is waited for.
    pub fn work(&self, server: &Server) -> Result<()> {
        match self {
            Self::Folding(folding) => folding.work(server),
            _ => Ok(()),
        }
    }
}

/// The mask of a frame by secret key, from its seed.
pub(crate) fn mask(header: &FrameHeader) -> Result<Option<Vec<Vec<u64>>>> {
    if header.kind == Kind::PublicKey {
        return Ok(None);
    }
    let level = header.parts.into();
    let mask =
        isopod_device::expand_mask_at_level(header.params, header.suite, &header.seed, level);
    Ok(Some(mask.map_err(Error::from)?))
}
