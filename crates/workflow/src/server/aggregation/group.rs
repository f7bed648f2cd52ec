//! Groups of frames that an engine holds: a sum so far, of ciphertexts or of pads.

use isopod_linear::{RowMask, Sum};
use isopod_pad::PadAccumulator;
use isopod_wire::{FrameHeader, FrameRange, Manifest, PadHeader};

use crate::server::accumulate::frame::{named, Header};
use crate::server::aggregation::held::HeldFrames;
use crate::Result;

/// Frames of one group so far. Memory is that of one sum, eight bytes a residue or four a column of pads, and the names of the
/// frames as ranges; for jobs on merged frames it is that of the frames as they came.
#[derive(Default)]
pub struct Group {
    pub(super) first: Option<First>,
    pub(super) sum: Option<GroupSum>,
}

/// Header of the first frame, to which all others are compared.
#[derive(Clone)]
pub(super) enum First {
    Rns(FrameHeader),
    Pad(PadHeader),
}

/// Sum of a group, or its frames.
#[derive(Clone)]
pub(super) enum GroupSum {
    Rns(Box<Sum>),
    Pads(Box<PadAccumulator>),
    Held(Box<HeldFrames>),
}

impl First {
    pub fn header(&self) -> Header<'_> {
        match self {
            Self::Rns(header) => Header::Rns(header),
            Self::Pad(header) => Header::Pad(header),
        }
    }
}

impl GroupSum {
    /// The names of its frames.
    pub fn manifest(&self) -> Result<Manifest> {
        match self {
            Self::Rns(sum) => Ok(sum.manifest()?),
            Self::Pads(sum) => {
                let sum = sum.as_ref().clone().finish()?;
                Ok(sum
                    .map(|sum| sum.manifest())
                    .transpose()?
                    .unwrap_or_default())
            }
            Self::Held(frames) => frames.manifest(),
        }
    }
}

/// A sum of columns, if the job is one.
pub(super) fn of_rows(sum: Sum, rows: Option<RowMask>) -> Sum {
    match rows {
        Some(rows) => sum.by_columns(&rows),
        None => sum,
    }
}

/// Two sums in messages, by their first frames.
pub(super) fn beginnings(one: &Manifest, two: &Manifest) -> String {
    let first = |manifest: &Manifest| manifest.ranges().first().map(FrameRange::id).map(named);
    let names: Vec<String> = [one, two].into_iter().filter_map(first).collect();
    format!("sums that begin with {}", names.join(" and "))
}

impl Group {
    /// An empty group whose frames must be like those of this one, to which it is joined later.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            first: self.first.clone(),
            sum: None,
        }
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        let sum = match &self.sum {
            Some(GroupSum::Rns(sum)) => sum.bytes(),
            Some(GroupSum::Pads(sum)) => sum.bytes(),
            Some(GroupSum::Held(frames)) => frames.bytes(),
            None => 0,
        };
        size_of::<Self>() + sum
    }

    /// Number of frames in the group.
    ///
    /// # Errors
    /// [`crate::Error::Linear`] for 2^64 frames or more; [`crate::Error::Pad`] for packets that are not added up.
    pub fn frames(&self) -> Result<u64> {
        let manifest = self.sum.as_ref().map(GroupSum::manifest).transpose()?;
        Ok(manifest.map_or(0, |manifest| manifest.count()))
    }
}
