//! Sets of a device's frames as ranges of consecutive sequences, and ranges as few bytes.

use isopod_wire::FrameId;

/// Consecutive frames of one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) epoch: u32,
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Range {
    /// Whether its names are random.
    pub(super) fn is_random(&self) -> bool {
        FrameId::is_random_sequence(self.first)
    }

    /// Whether the frame stands directly behind the range or inside of it.
    fn takes(&self, epoch: u32, sequence: u64) -> bool {
        self.epoch == epoch && self.first <= sequence && sequence <= self.last.saturating_add(1)
    }
}

/// Ranges in ascending order, disjoint and maximal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<Range>);

impl Ranges {
    /// Ranges in this order; None if they are out of order, or if two of them are one.
    pub(super) fn ordered(ranges: Vec<Range>) -> Option<Self> {
        let apart = |pair: &[Range]| {
            let (one, two) = (pair[0], pair[1]);
            one.epoch < two.epoch
                || (one.epoch == two.epoch && one.last < two.first.saturating_sub(1))
        };
        let each = ranges.iter().all(|range| range.first <= range.last);
        (each && ranges.windows(2).all(apart)).then_some(Self(ranges))
    }

    /// The ranges.
    pub(super) fn all(&self) -> &[Range] {
        &self.0
    }

    /// The newest epoch, and the largest sequence in it that was counted.
    pub(super) fn newest(&self) -> Option<(u32, Option<u64>)> {
        let newest = self.0.last()?.epoch;
        let counted = self.newest_counted().filter(|&(epoch, _)| epoch == newest);
        Some((newest, counted.map(|(_, last)| last)))
    }

    /// Epoch and sequence of the newest name that was counted.
    pub(super) fn newest_counted(&self) -> Option<(u32, u64)> {
        let counted = self.0.iter().rev().find(|range| !range.is_random());
        counted.map(|range| (range.epoch, range.last))
    }

    /// The newest range that is to be forgotten where there are too many: of counted names the oldest, and of random ones those
    /// of older epochs, which are stale. Random names of the newest epoch stay, since no window judges them.
    pub(super) fn excess(&self, most: usize) -> Option<(u32, u64)> {
        if self.0.len() <= most {
            return None;
        }
        let (random, counted): (Vec<&Range>, Vec<&Range>) =
            self.0.iter().partition(|range| range.is_random());
        let beyond = counted.len().checked_sub(most + 1);
        let of_counted = beyond.map(|beyond| (counted[beyond].epoch, counted[beyond].last));
        let newest = self.0.last().map(|range| range.epoch);
        let of_random = random
            .first()
            .filter(|range| random.len() > most && Some(range.epoch) < newest)
            .map(|range| (range.epoch, u64::MAX));
        of_counted.max(of_random)
    }

    /// Whether the frame is in the set.
    pub(super) fn contains(&self, epoch: u32, sequence: u64) -> bool {
        let after = self.after(epoch, sequence);
        self.0[..after]
            .last()
            .is_some_and(|range| range.epoch == epoch && sequence <= range.last)
    }

    /// Adds a frame.
    pub(super) fn insert(&mut self, epoch: u32, sequence: u64) {
        let after = self.after(epoch, sequence);
        let joins =
            |range: &Range| range.epoch == epoch && range.first == sequence.saturating_add(1);
        match self.0[..after].last().copied() {
            Some(before) if before.takes(epoch, sequence) => {
                self.0[after - 1].last = before.last.max(sequence);
                if self.0.get(after).is_some_and(joins) {
                    self.0[after - 1].last = self.0.remove(after).last;
                }
            }
            _ if self.0.get(after).is_some_and(joins) => self.0[after].first = sequence,
            _ => self.0.insert(
                after,
                Range {
                    epoch,
                    first: sequence,
                    last: sequence,
                },
            ),
        }
    }

    /// Forgets all frames up to this one.
    pub(super) fn forget(&mut self, epoch: u32, last: u64) {
        self.0.retain_mut(|range| {
            if range.epoch == epoch && range.first <= last && last < range.last {
                range.first = last + 1;
            }
            (range.epoch, range.last) > (epoch, last)
        });
    }

    /// Number of ranges that begin at the frame or before it.
    fn after(&self, epoch: u32, sequence: u64) -> usize {
        self.0
            .partition_point(|range| (range.epoch, range.first) <= (epoch, sequence))
    }
}

impl Ranges {
    /// Appends the ranges by their distances, as [`Ranges::parse`] reads them.
    pub(super) fn append_to(&self, into: &mut Vec<u8>) {
        let (mut epoch, mut behind) = (0, 0);
        for range in self.all() {
            append_number(u64::from(range.epoch - epoch), into);
            behind = if range.epoch == epoch { behind } else { 0 };
            append_number(range.first - behind, into);
            append_number(range.last - range.first, into);
            (epoch, behind) = (range.epoch, range.last);
        }
    }

    /// Ranges from their bytes; None for others.
    pub(super) fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut ranges = Vec::new();
        let (mut epoch, mut behind) = (0u32, 0u64);
        while !bytes.is_empty() {
            let step = u32::try_from(take_number(&mut bytes)?).ok()?;
            behind = if step == 0 { behind } else { 0 };
            epoch = epoch.checked_add(step)?;
            let first = behind.checked_add(take_number(&mut bytes)?)?;
            let last = first.checked_add(take_number(&mut bytes)?)?;
            ranges.push(Range { epoch, first, last });
            behind = last;
        }
        Self::ordered(ranges)
    }
}

/// Appends a number, seven bits a byte, the lowest first.
pub fn append_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Takes the number that the bytes begin with.
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if part.leading_zeros() < shift {
            return None;
        }
        number |= part << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
