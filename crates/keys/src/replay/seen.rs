//! Frames of one device that a store took, judged like those of answers.

use isopod_wire::FrameId;

use super::ranges::{Range, Ranges};
use super::{window, MOST_RANGES};
use crate::error::Result;

/// Frames of one device. A device that counts one by one takes one range, however many it sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen(Ranges);

impl Seen {
    /// Whether the frame is new; false for one that was taken before.
    ///
    /// Errors: [`KeysError::Stale`](crate::KeysError::Stale) for one that is not known and too old to be judged.
    pub fn is_new(&self, frame: FrameId) -> Result<bool> {
        window::check(&self.0, frame)?;
        Ok(!self.0.contains(frame.epoch, frame.sequence))
    }

    /// Adds a frame. Beyond 4,096 ranges the oldest are forgotten, and their frames are stale.
    pub fn insert(&mut self, epoch: u32, sequence: u64) {
        self.0.insert(epoch, sequence);
        let ranges = self.0.all();
        if let Some(excess) = ranges.len().checked_sub(MOST_RANGES + 1) {
            let Range { epoch, last, .. } = ranges[excess];
            self.0.forget(epoch, last);
        }
    }

    /// Epoch and sequence of the newest frame.
    pub fn newest(&self) -> Option<(u32, u64)> {
        let newest = self.0.newest()?;
        Some((newest.epoch, newest.last))
    }

    /// Frames missing between those that are known, epoch by epoch.
    pub fn missing(&self) -> u64 {
        let pairs = self.0.all().windows(2);
        let gap = |pair: &[Range]| match pair[0].epoch == pair[1].epoch {
            true => pair[1].first - pair[0].last - 1,
            false => 0,
        };
        pairs.map(gap).fold(0, u64::saturating_add)
    }

    /// The frames of these ranges, each of epoch, first and last; None if they are out of order, or if two of them are one.
    pub fn of(ranges: impl IntoIterator<Item = (u32, u64, u64)>) -> Option<Self> {
        let range = |(epoch, first, last)| Range { epoch, first, last };
        Ranges::ordered(ranges.into_iter().map(range).collect()).map(Self)
    }

    /// Appends the frames as ranges by their distances, as [`Seen::parse`] reads them.
    pub fn append_to(&self, into: &mut Vec<u8>) {
        self.0.append_to(into);
    }

    /// The frames in these bytes; None for others.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        Ranges::parse(bytes).map(Self)
    }
}
