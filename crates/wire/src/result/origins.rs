//! Frames that entered so far, as ranges: memory is that of the manifest, however many frames there are.

use std::collections::BTreeMap;

use crate::{FrameId, FrameRange, Manifest, Result};

/// A manifest that grows frame by frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// Last sequence and rows of each range, by device, epoch and first sequence.
    ranges: BTreeMap<(u64, u32, u64), (u64, u32)>,
}

impl Origins {
    /// Whether the frame is among them.
    pub fn contains(&self, id: FrameId) -> bool {
        let place = (id.device, id.epoch, id.sequence);
        let before = self.ranges.range(..=place).next_back();
        before.is_some_and(|(first, (last, _))| {
            (first.0, first.1) == (id.device, id.epoch) && id.sequence <= *last
        })
    }

    /// Number of ranges.
    pub fn ranges(&self) -> usize {
        self.ranges.len()
    }

    /// Adds a frame with its number of rows.
    ///
    /// Errors: those of [`Manifest::of`], and then nothing has changed.
    pub fn insert(&mut self, id: FrameId, rows: u32) -> Result<()> {
        let mut near: Vec<FrameRange> = Vec::with_capacity(2);
        let run = (id.device, id.epoch);
        let place = (run.0, run.1, id.sequence);
        near.extend(self.ranges.range(..=place).next_back().map(range));
        near.extend(self.ranges.range(place..).next().map(range));
        near.dedup();
        near.retain(|range| (range.device, range.epoch) == run);
        // Only the neighbours can overlap or be continued.
        let joined = Manifest::from_ranges(near.clone())?.union(&Manifest::of([(id, rows)])?)?;
        for range in near {
            self.ranges.remove(&key(&range));
        }
        let joined = joined.ranges().iter();
        self.ranges
            .extend(joined.map(|range| (key(range), (range.last, range.rows))));
        Ok(())
    }

    /// The frames so far.
    ///
    /// Errors: 2^64 frames or more.
    pub fn manifest(&self) -> Result<Manifest> {
        Manifest::from_ranges(self.ranges.iter().map(range).collect())
    }
}

impl From<&Manifest> for Origins {
    fn from(manifest: &Manifest) -> Self {
        let ranges = manifest.ranges().iter();
        Self {
            ranges: ranges
                .map(|range| (key(range), (range.last, range.rows)))
                .collect(),
        }
    }
}

fn key(range: &FrameRange) -> (u64, u32, u64) {
    (range.device, range.epoch, range.first)
}

fn range((key, value): (&(u64, u32, u64), &(u64, u32))) -> FrameRange {
    FrameRange {
        device: key.0,
        epoch: key.1,
        first: key.2,
        last: value.0,
        rows: value.1,
    }
}
