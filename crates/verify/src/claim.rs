//! The claim of a result, and whether its folded tag proves it.

use isopod_keys::{linear_pad_key, linear_point, LinearMaster};
use isopod_wire::{FrameRange, LinearTag, Manifest};
use zeroize::Zeroizing;

use crate::field;
use crate::pads::{Pads, Shape, OF_ROWS};

/// The values of a result, and where they come from.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// n.
    pub ring_degree: u32,
    /// Arrangement of the frames.
    pub shape: Shape,
    /// The frames.
    pub manifest: &'a Manifest,
    /// The folded tag.
    pub tag: LinearTag,
    /// Each value with its place, in the order of the places.
    pub values: &'a [(u32, i64)],
}

/// Sums of the columns of frames, over all their rows, or of the buckets of one-hot readings.
#[derive(Debug, Clone, Copy)]
pub struct ColumnClaim<'a> {
    /// Columns of the frames: [`Shape::of_rows`] or [`Shape::of_readings`].
    pub shape: Shape,
    /// The frames with their rows, whose number the tag proves but for readings.
    pub manifest: &'a Manifest,
    /// The folded second tag.
    pub tag: LinearTag,
    /// The sum of each column; as many as the shape has.
    pub values: &'a [i64],
}

/// The keys of a group in one period. Not Debug, not Clone.
pub struct Period<'a> {
    master: &'a LinearMaster,
    period: u32,
    point: Zeroizing<u64>,
}

impl<'a> Period<'a> {
    /// Keys of a group.
    pub fn new(master: &'a LinearMaster, group: u32, period: u32) -> Self {
        Self {
            master,
            period,
            point: linear_point(&master.group(group, period)),
        }
    }

    /// Whether the tag proves that the values are the sum of the frames: a claim that is false passes with a probability of n/p.
    /// Who made the claim must not learn the outcome.
    pub fn proves(&self, claim: &Claim<'_>) -> bool {
        let pads = self.pads(&claim.shape, claim.manifest, |pad| pad);
        self.is_tag(claim.tag, self.polynomial(claim), pads)
    }

    /// Whether the tag proves that the values are the sum of the frames with these weights, in the order of the manifest; false
    /// for another number of weights.
    pub fn proves_weighted(&self, claim: &Claim<'_>, weights: &[i64]) -> bool {
        let pads = self.weighted_pads(&claim.shape, claim.manifest, weights);
        pads.is_some_and(|pads| self.is_tag(claim.tag, self.polynomial(claim), pads))
    }

    /// Whether the tag proves that the values are the sums of the columns of the frames, over as many rows as the manifest has
    /// in all: a claim that is false passes with a probability of (columns + 1)/p.
    pub fn proves_columns(&self, claim: &ColumnClaim<'_>) -> bool {
        let rows = match claim.shape.stride {
            OF_ROWS => field::reduced(claim.rows()),
            _ => 0,
        };
        let polynomial = claim.values.iter().fold(rows, |sum, &value| {
            field::add(field::multiply(sum, *self.point), field::signed(value))
        });
        let polynomial = field::multiply(polynomial, *self.point);
        let pads = self.pads(&claim.shape, claim.manifest, |pad| pad);
        claim.values.len() == claim.shape.columns as usize
            && self.is_tag(claim.tag, polynomial, pads)
    }

    /// The sum of the pads of frames of this shape, as a tag without values: what one of several holders adds to a tag. Weights
    /// are in the order of the manifest; None for another number of them.
    pub fn shared_pads(
        &self,
        shape: &Shape,
        manifest: &Manifest,
        weights: Option<&[i64]>,
    ) -> Option<LinearTag> {
        let pads = match weights {
            None => self.pads(shape, manifest, |pad| pad),
            Some(weights) => self.weighted_pads(shape, manifest, weights)?,
        };
        Some(LinearTag::new(self.period, pads))
    }

    /// The sum of the pads of all frames, each times its weight; None for another number of weights.
    fn weighted_pads(&self, shape: &Shape, manifest: &Manifest, weights: &[i64]) -> Option<u64> {
        let mut rest = weights.iter();
        let mut are_enough = true;
        let pads = self.pads(shape, manifest, |pad| match rest.next() {
            Some(&weight) => field::multiply(field::signed(weight), pad),
            None => {
                are_enough = false;
                0
            }
        });
        (are_enough && rest.len() == 0).then_some(pads)
    }

    fn is_tag(&self, tag: LinearTag, polynomial: u64, pads: u64) -> bool {
        tag == LinearTag::new(self.period, field::add(polynomial, pads))
    }

    /// The sum of value * r^(n - place): never a constant, which the server could add to value and tag.
    fn polynomial(&self, claim: &Claim<'_>) -> u64 {
        let (mut sum, mut at) = (0, 0);
        for &(place, value) in claim.values {
            sum = field::multiply(sum, self.power(place - at));
            sum = field::add(sum, field::signed(value));
            at = place;
        }
        field::multiply(sum, self.power(claim.ring_degree - at))
    }

    fn power(&self, exponent: u32) -> u64 {
        match exponent {
            1 => *self.point,
            other => field::power(*self.point, other),
        }
    }

    /// The sum of the pads of all frames, each as it is weighed.
    fn pads(&self, shape: &Shape, manifest: &Manifest, mut weigh: impl FnMut(u64) -> u64) -> u64 {
        let mut sum = 0;
        let mut key = None;
        for range in manifest.ranges() {
            let device = range.device;
            if key.as_ref().is_none_or(|(of, _)| *of != device) {
                let secret = self.master.device(device, self.period);
                key = Some((device, linear_pad_key(&secret)));
            }
            let Some((_, key)) = &key else { continue };
            let mut pads = Pads::new(key, shape, range.epoch);
            for sequence in range.first..=range.last {
                sum = field::add(sum, weigh(pads.pad(sequence)));
            }
        }
        sum
    }
}

impl ColumnClaim<'_> {
    /// Rows of all frames; at most 2^64 - 1.
    fn rows(&self) -> u64 {
        let of_range = |range: &FrameRange| {
            let frames = (range.last - range.first).saturating_add(1);
            frames.saturating_mul(range.rows.into())
        };
        let ranges = self.manifest.ranges().iter().map(of_range);
        ranges.fold(0, u64::saturating_add)
    }
}
