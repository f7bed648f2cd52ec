//! The claim of a result, and whether its folded tag proves it.

use isopod_keys::{linear_pad_key, linear_point, LinearMaster};
use isopod_wire::{LinearTag, Manifest};
use zeroize::Zeroizing;

use crate::field;
use crate::pads::{Pads, Shape};

/// The values of a result, and where they come from.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// n.
    pub ring_degree: u32,
    /// Arrangement of the frames.
    pub shape: Shape,
    /// The frames, each of weight 1.
    pub manifest: &'a Manifest,
    /// The folded tag.
    pub tag: LinearTag,
    /// Each value with its place, in the order of the places.
    pub values: &'a [(u32, i64)],
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
        let sum = field::add(self.polynomial(claim), self.pads(claim));
        claim.tag == LinearTag::new(self.period, sum)
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

    fn pads(&self, claim: &Claim<'_>) -> u64 {
        let mut sum = 0;
        let mut key = None;
        for range in claim.manifest.ranges() {
            let device = range.device;
            if key.as_ref().is_none_or(|(of, _)| *of != device) {
                let secret = self.master.device(device, self.period);
                key = Some((device, linear_pad_key(&secret)));
            }
            let Some((_, key)) = &key else { continue };
            let mut pads = Pads::new(key, &claim.shape, range.epoch);
            for sequence in range.first..=range.last {
                sum = field::add(sum, pads.pad(sequence));
            }
        }
        sum
    }
}
