//! Frames that entered so far, as ranges: memory is that of the manifest, however many frames there are.

use std::collections::BTreeMap;

use crate::{FrameId, FrameRange, Manifest, Result};

/// A manifest that grows frame by frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// Each range by its first frame.
    ranges: BTreeMap<FrameId, Extent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Extent {
    last: u64,
    rows: u32,
}

impl Origins {
    /// Whether the frame is among them.
    pub fn contains(&self, id: FrameId) -> bool {
        let before = self.ranges.range(..=id).next_back();
        before.is_some_and(|(first, extent)| {
            (first.device, first.epoch) == (id.device, id.epoch) && id.sequence <= extent.last
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
        near.extend(self.ranges.range(..=id).next_back().map(range));
        near.extend(self.ranges.range(id..).next().map(range));
        near.dedup();
        near.retain(|range| (range.device, range.epoch) == (id.device, id.epoch));
        // Only the neighbours can overlap or be continued.
        let joined = Manifest::from_ranges(near.clone())?.union(&Manifest::of([(id, rows)])?)?;
        for range in near {
            self.ranges.remove(&entry(&range).0);
        }
        let joined = joined.ranges().iter();
        self.ranges.extend(joined.map(entry));
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
            ranges: ranges.map(entry).collect(),
        }
    }
}

fn entry(range: &FrameRange) -> (FrameId, Extent) {
    let first = FrameId {
        device: range.device,
        epoch: range.epoch,
        sequence: range.first,
    };
    let (last, rows) = (range.last, range.rows);
    (first, Extent { last, rows })
}

fn range((first, extent): (&FrameId, &Extent)) -> FrameRange {
    FrameRange {
        device: first.device,
        epoch: first.epoch,
        first: first.sequence,
        last: extent.last,
        rows: extent.rows,
    }
}
