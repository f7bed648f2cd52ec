//! Frames of one device that a store took, judged like those of answers.

use isopod_wire::codes::limit::PACKET_RANDOM;
use isopod_wire::FrameId;

use super::ranges::{Range, Ranges};
use super::{window, MOST_RANGES};
use crate::error::{KeysError, Result};

/// Frames of one device. A device that counts one by one takes one range, however many it sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen(Ranges);

impl Seen {
    /// Whether the frame is new; false for one that was taken before.
    ///
    /// Errors: [`KeysError::Stale`] for one that is not known and too old to be judged, or one too many with a random name.
    pub fn is_new(&self, frame: FrameId) -> Result<bool> {
        window::check(&self.0, frame)?;
        let is_new = !self.0.contains(frame.epoch, frame.sequence);
        match is_new && frame.is_random() && self.random() >= PACKET_RANDOM as u64 {
            true => Err(KeysError::Stale {
                device: frame.device,
                epoch: frame.epoch,
                sequence: frame.sequence,
                allowed: format!(
                    "{PACKET_RANDOM} random names in an epoch; register a context of a newer one"
                ),
            }),
            false => Ok(is_new),
        }
    }

    /// Adds a frame. Beyond 4,096 ranges the oldest are forgotten, and their frames are stale.
    pub fn insert(&mut self, epoch: u32, sequence: u64) {
        self.0.insert(epoch, sequence);
        if let Some((epoch, last)) = self.0.excess(MOST_RANGES) {
            self.0.forget(epoch, last);
        }
    }

    /// Epoch and largest counted sequence of the newest frames; 0 where all of them have random names.
    pub fn newest(&self) -> Option<(u32, u64)> {
        let (epoch, last) = self.0.newest()?;
        Some((epoch, last.unwrap_or(0)))
    }

    /// The epochs of the frames, the newest first, each with its largest counted sequence if it has one.
    pub fn epochs(&self) -> impl Iterator<Item = (u32, Option<u64>)> + '_ {
        let epochs = self.0.all().chunk_by(|one, other| one.epoch == other.epoch);
        epochs.rev().map(|ranges| {
            let counted = ranges.iter().rev().find(|range| !range.is_random());
            (ranges[0].epoch, counted.map(|range| range.last))
        })
    }

    /// Number of random names in the newest epoch.
    fn random(&self) -> u64 {
        let newest = self.0.newest().map(|(epoch, _)| epoch);
        let ranges = self.0.all().iter();
        ranges
            .filter(|range| range.is_random() && Some(range.epoch) == newest)
            .map(|range| range.last - range.first + 1)
            .sum()
    }

    /// Frames missing between those that are known, epoch by epoch. Random names leave no gaps.
    pub fn missing(&self) -> u64 {
        let pairs = self.0.all().windows(2);
        let gap = |pair: &[Range]| {
            let [before, after] = [pair[0], pair[1]];
            let counted = !before.is_random() && !after.is_random();
            match before.epoch == after.epoch && counted {
                true => after.first - before.last - 1,
                false => 0,
            }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const RANDOM: u64 = FrameId::RANDOM;

    fn id(epoch: u32, sequence: u64) -> FrameId {
        FrameId {
            device: 7,
            epoch,
            sequence,
        }
    }

    #[test]
    fn random_names_judge_no_other_and_are_judged_by_none() {
        let mut seen = Seen::default();
        for sequence in [0, 1, RANDOM + 900_000, RANDOM + 3] {
            assert!(
                matches!(seen.is_new(id(1, sequence)), Ok(true)),
                "{sequence}"
            );
            seen.insert(1, sequence);
            assert!(matches!(seen.is_new(id(1, sequence)), Ok(false)));
        }
        assert_eq!(
            (seen.newest(), seen.missing(), seen.random()),
            (Some((1, 1)), 0, 2)
        );
        assert!(matches!(seen.is_new(id(1, 2)), Ok(true)));
        assert!(matches!(seen.is_new(id(1, RANDOM)), Ok(true)));
        seen.insert(2, RANDOM);
        assert!(seen.is_new(id(1, RANDOM + 5)).is_err(), "of an older epoch");
        assert_eq!(seen.epochs().collect::<Vec<_>>(), [(2, None), (1, Some(1))]);
        assert_eq!((seen.newest(), seen.random()), (Some((2, 0)), 1));
    }

    #[test]
    fn random_names_of_the_newest_epoch_are_never_forgotten() {
        let mut seen = Seen::default();
        for name in 0..5000 {
            seen.insert(1, RANDOM + 2 * name);
            seen.insert(1, 2 * name);
        }
        assert_eq!(seen.random(), 5000);
        let more = seen.is_new(id(1, RANDOM + 1)).unwrap_err().to_string();
        assert!(more.contains("4096 random names in an epoch"), "{more}");
        assert!((0..5000).all(|name| matches!(seen.is_new(id(1, RANDOM + 2 * name)), Ok(false))));
        assert!(seen.is_new(id(1, 0)).is_err(), "forgotten, and stale");
        seen.insert(2, RANDOM);
        assert!(seen.is_new(id(1, RANDOM)).is_err(), "forgotten, and stale");
        assert_eq!(seen.epochs().count(), 1);
    }
}
