//! Manifests: which frames entered a result, as ranges of consecutive sequences of one device, epoch and number of rows
//! (`spec/wire.md`, section 3).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::limit::MANIFEST_BYTES;
use crate::{FrameId, Result, WireError};

/// Fields of a range.
const FIELDS: u64 = 5;

/// Frames of one device and epoch, with consecutive sequences and as many rows each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameRange {
    /// Number of the device.
    pub device: u64,
    /// Its epoch.
    pub epoch: u32,
    /// Sequence of the first frame.
    pub first: u64,
    /// Sequence of the last frame.
    pub last: u64,
    /// Rows of each frame, at least 1.
    pub rows: u32,
}

/// Sequences of one device and epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Number of the device.
    pub device: u64,
    /// Its epoch.
    pub epoch: u32,
    /// The first missing sequence.
    pub first: u64,
    /// The last missing sequence.
    pub last: u64,
}

/// A set of frames. Its ranges are sorted, apart from each other, and as long as they can be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    ranges: Vec<FrameRange>,
}

impl FrameRange {
    fn one((id, rows): (FrameId, u32)) -> Self {
        Self {
            device: id.device,
            epoch: id.epoch,
            first: id.sequence,
            last: id.sequence,
            rows,
        }
    }

    /// The first frame.
    pub fn id(&self) -> FrameId {
        FrameId {
            device: self.device,
            epoch: self.epoch,
            sequence: self.first,
        }
    }

    fn run(&self) -> (u64, u32) {
        (self.device, self.epoch)
    }

    fn frames(&self) -> u128 {
        u128::from(self.last - self.first) + 1
    }

    /// Whether `next`, which does not begin before, continues this range.
    fn continues(&self, next: &Self) -> bool {
        (self.run(), self.rows) == (next.run(), next.rows)
            && self.last.checked_add(1) == Some(next.first)
    }

    fn check(&self) -> Result<()> {
        if self.first > self.last {
            let allowed = format!("{} or more, the range's first", self.first);
            return Err(WireError::out_of_range("manifest", self.last, allowed));
        }
        if self.rows == 0 {
            let allowed = "1 or more rows in a frame";
            return Err(WireError::out_of_range("manifest", 0, allowed));
        }
        Ok(())
    }
}

impl Manifest {
    /// The manifest of frames in any order, each with its number of rows.
    ///
    /// Errors: [`WireError::Overlap`] for a frame that occurs twice; a frame without rows.
    pub fn of(frames: impl IntoIterator<Item = (FrameId, u32)>) -> Result<Self> {
        Self::from_ranges(frames.into_iter().map(FrameRange::one).collect())
    }

    /// The frames of both.
    ///
    /// Errors: [`WireError::Overlap`] if a frame is in both, so that nothing counts twice.
    pub fn union(&self, other: &Self) -> Result<Self> {
        Self::from_ranges([&self.ranges[..], &other.ranges].concat())
    }

    /// The manifest of ranges in any order, which may be joined.
    pub(crate) fn from_ranges(mut ranges: Vec<FrameRange>) -> Result<Self> {
        ranges.sort_unstable();
        Self::joined(ranges)
    }

    /// Joins sorted ranges.
    fn joined(sorted: Vec<FrameRange>) -> Result<Self> {
        let mut ranges: Vec<FrameRange> = Vec::new();
        for next in sorted {
            next.check()?;
            match ranges.last_mut() {
                Some(last) if last.run() == next.run() && last.last >= next.first => {
                    return Err(overlap(&next, last.last.min(next.last)));
                }
                Some(last) if last.continues(&next) => last.last = next.last,
                _ => ranges.push(next),
            }
        }
        let manifest = Self { ranges };
        manifest.checked_count().map(|_| manifest)
    }

    /// The ranges in order.
    pub fn ranges(&self) -> &[FrameRange] {
        &self.ranges
    }

    /// Number of frames.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(FrameRange::frames).sum::<u128>() as u64
    }

    fn checked_count(&self) -> Result<u64> {
        let count: u128 = self.ranges.iter().map(FrameRange::frames).sum();
        u64::try_from(count)
            .map_err(|_| WireError::out_of_range("manifest", count, "fewer than 2^64 frames"))
    }

    /// Number of rows of all frames.
    pub fn rows(&self) -> u128 {
        let of_range = |range: &FrameRange| range.frames() * u128::from(range.rows);
        self.ranges
            .iter()
            .fold(0, |sum, range| sum.saturating_add(of_range(range)))
    }

    /// Each frame with its number of rows, in the order of device, epoch and sequence.
    pub fn frames(&self) -> impl Iterator<Item = (FrameId, u32)> + '_ {
        self.ranges.iter().flat_map(|range| {
            (range.first..=range.last).map(|sequence| {
                let id = FrameId {
                    device: range.device,
                    epoch: range.epoch,
                    sequence,
                };
                (id, range.rows)
            })
        })
    }

    /// Sequences that are missing between frames of one device and epoch. What was sent before the first frame or after the
    /// last one is not known, and random names leave no gaps.
    pub fn gaps(&self) -> impl Iterator<Item = Gap> + '_ {
        self.ranges.windows(2).filter_map(|pair| {
            let (before, after) = (&pair[0], &pair[1]);
            let apart = before.run() == after.run()
                && after.first - before.last > 1
                && !FrameId::is_random_sequence(after.first);
            apart.then(|| Gap {
                device: before.device,
                epoch: before.epoch,
                first: before.last + 1,
                last: after.first - 1,
            })
        })
    }

    /// The manifest's bytes, over which a result's origin is computed.
    pub fn encode(&self) -> Vec<u8> {
        let fields = FIELDS * self.ranges.len() as u64;
        let mut writer = Writer::with_capacity(9 + 32 * self.ranges.len());
        writer.array(fields);
        for range in &self.ranges {
            writer
                .uint(range.device)
                .uint(range.epoch.into())
                .uint(range.first)
                .uint(range.last)
                .uint(range.rows.into());
        }
        writer.into_bytes()
    }

    /// Reads a manifest that fills `bytes`.
    ///
    /// Errors: other encodings, ranges that are not sorted, overlap, or could be one range.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let elements = reader.list(MANIFEST_BYTES as u64, "manifest")?;
        if elements % FIELDS != 0 {
            let allowed = "ranges of device, epoch, first, last, rows";
            return Err(WireError::length("manifest", elements as usize, allowed));
        }
        let ranges: Vec<_> = (0..elements / FIELDS)
            .map(|_| read_range(&mut reader))
            .collect::<Result<_>>()?;
        reader.finish()?;
        if !ranges.is_sorted() {
            return Err(WireError::NotCanonical { field: "manifest" });
        }
        let count = ranges.len();
        let manifest = Self::joined(ranges)?;
        if manifest.ranges.len() == count {
            return Ok(manifest);
        }
        Err(WireError::NotCanonical { field: "manifest" })
    }
}

fn read_range(reader: &mut Reader<'_>) -> Result<FrameRange> {
    let mut number = |most| reader.uint(most, "manifest");
    Ok(FrameRange {
        device: number(u64::MAX)?,
        epoch: number(u32::MAX.into())? as u32,
        first: number(u64::MAX)?,
        last: number(u64::MAX)?,
        rows: number(u32::MAX.into())? as u32,
    })
}

fn overlap(range: &FrameRange, last: u64) -> WireError {
    WireError::Overlap {
        device: range.device,
        epoch: range.epoch,
        first: range.first,
        last,
    }
}
