//! Frames as far as a job has taken them in: held one by one, or folded into their sum.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use isopod_linear::{Machine, Sum};
use isopod_wire::codes::size;
use isopod_wire::{Alike, FrameHeader, FrameId, Kind, PackedFrame};

use crate::alike::check_pair;
use crate::frames::Header;
use crate::job::{JobName, Request};
use crate::{Error, Frame, Result};

/// Frames of one thread.
pub(crate) enum Pot {
    /// The frames, in order.
    Frames(BTreeMap<FrameId, Frame>),
    /// Their sum, if there are any; memory does not grow with their number.
    Sum(Arc<Recipe>, Option<Box<Sum>>),
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
    pub fn new(recipe: Option<&Arc<Recipe>>) -> Self {
        match recipe {
            Some(recipe) => Self::Sum(recipe.clone(), None),
            None => Self::Frames(BTreeMap::new()),
        }
    }

    /// Takes a whole frame of CKKS or BFV.
    pub fn take(&mut self, frame: PackedFrame<'_>) -> Result<()> {
        match self {
            Self::Sum(recipe, sum) => recipe.fold(sum, &frame),
            Self::Frames(frames) => {
                let frame = Frame::Rns(frame.unpack()?);
                frames.insert(frame.id(), frame);
                Ok(())
            }
        }
    }
}

/// The mask of a frame by secret key, from its seed.
fn mask(header: &FrameHeader) -> Result<Option<Vec<Vec<u64>>>> {
    if header.kind == Kind::PublicKey {
        return Ok(None);
    }
    let level = header.parts.into();
    let mask =
        isopod_device::expand_mask_at_level(header.params, header.suite, &header.seed, level);
    Ok(Some(mask.map_err(Error::from)?))
}
