//! Weighted sums of packets modulo 2^32, and the runs of packets that entered (`spec/pad.md`, section 4).

use std::collections::BTreeMap;

use isopod_wire::{PadDescription, PadFrame, PadRun, PadSum};

use crate::{PadError, Result};

/// A sum of packets of any devices, as they come. In memory is a run for each stretch of a device's packets that came in order.
#[derive(Debug, Clone, Default)]
pub struct PadAccumulator {
    contexts: Vec<PadDescription>,
    runs: Vec<PadRun>,
    /// Place of the newest run of each device.
    newest: BTreeMap<u64, usize>,
    sums: Vec<u32>,
}

impl PadAccumulator {
    /// Adds a packet, times a weight. A packet that comes twice is found in the end.
    ///
    /// # Errors
    /// [`PadError::Field`] for a width, a number of columns or a packing that is not that of the first packet, and for more
    /// contexts than a result holds.
    pub fn add(&mut self, frame: &PadFrame, weight: i32) -> Result<()> {
        let context = self.place(&frame.header.description)?;
        let (id, factor) = (frame.header.id, weight as u32);
        for (sum, integer) in self.sums.iter_mut().zip(&frame.integers) {
            *sum = sum.wrapping_add(integer.wrapping_mul(factor));
        }
        let run = PadRun::of(id, context, weight);
        let newest = self.newest.get(&id.device).map(|&at| &mut self.runs[at]);
        match newest {
            Some(newest) if newest.is_continued_by(&run) => newest.last = run.last,
            _ => {
                self.newest.insert(id.device, self.runs.len());
                self.runs.push(run);
            }
        }
        Ok(())
    }

    /// Adds the packets of another sum.
    ///
    /// # Errors
    /// Those of [`PadAccumulator::add`].
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.extend(&other.contexts, &other.runs, &other.sums)
    }

    /// Adds the packets of a sum that was finished.
    ///
    /// # Errors
    /// Those of [`PadAccumulator::add`].
    pub fn merge_sum(&mut self, other: &PadSum) -> Result<()> {
        self.extend(&other.contexts, &other.runs, &other.sums)
    }

    fn extend(&mut self, contexts: &[PadDescription], runs: &[PadRun], sums: &[u32]) -> Result<()> {
        let places = contexts.iter().map(|one| self.place(one));
        let places: Vec<u32> = places.collect::<Result<_>>()?;
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(*more);
        }
        self.runs.extend(runs.iter().map(|run| PadRun {
            context: places[run.context as usize],
            ..*run
        }));
        Ok(())
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        let newest = size_of::<(u64, usize)>() * self.newest.len();
        let contexts = size_of_val(&self.contexts[..]) + size_of_val(&self.runs[..]);
        size_of::<Self>() + contexts + newest + size_of_val(&self.sums[..])
    }

    /// The place of what a context says, known or new.
    fn place(&mut self, description: &PadDescription) -> Result<u32> {
        let known = self.contexts.iter().position(|one| one == description);
        if let Some(known) = known {
            return Ok(known as u32);
        }
        match self.contexts.first() {
            Some(first) => check_alike(first, description)?,
            None => self.sums = vec![0; description.columns.into()],
        }
        if self.contexts.len() == PadSum::CONTEXTS {
            let allowed = format!("{} different contexts in one sum", PadSum::CONTEXTS);
            return Err(PadError::field("context", "one more", allowed));
        }
        self.contexts.push(*description);
        Ok(self.contexts.len() as u32 - 1)
    }

    /// Number of packets.
    pub fn packets(&self) -> u64 {
        self.runs.iter().map(PadRun::packets).sum()
    }

    /// The sum, with its runs in order; None without packets.
    ///
    /// # Errors
    /// [`PadError::Wire`] for a packet that entered twice; [`PadError::Overflow`].
    pub fn finish(self) -> Result<Option<PadSum>> {
        let Some(first) = self.contexts.first() else {
            return Ok(None);
        };
        let mask = u32::MAX >> (32 - 8 * u32::from(first.width));
        let mut contexts = self.contexts.clone();
        contexts.sort_unstable();
        let place = |old: u32| contexts.binary_search(&self.contexts[old as usize]);
        let runs = self.runs.iter().map(|run| PadRun {
            context: place(run.context).unwrap_or_default() as u32,
            ..*run
        });
        let runs = PadRun::joined(runs.collect())?;
        let sums = self.sums.iter().map(|sum| sum & mask).collect();
        let sum = PadSum {
            contexts,
            runs,
            sums,
        };
        check_overflow(&sum).map(|()| Some(sum))
    }
}

/// Refuses integers that cannot be added up.
fn check_alike(first: &PadDescription, other: &PadDescription) -> Result<()> {
    let numbers = [
        ("width", first.width.into(), other.width.into()),
        ("columns", first.columns, other.columns),
    ];
    for (field, allowed, found) in numbers {
        if found != allowed {
            let allowed = format!("{allowed}, as in the first packet");
            return Err(PadError::field(field, found, allowed));
        }
    }
    match first.packing == other.packing {
        true => Ok(()),
        false => Err(PadError::field(
            "packing",
            "of other columns",
            "that of the first packet",
        )),
    }
}

/// Refuses a sum that may have left the range of its integers.
pub(crate) fn check_overflow(sum: &PadSum) -> Result<()> {
    let half = sum.contexts.first().map_or(0, PadDescription::half);
    let most = sum.bound();
    match most < u128::from(half) {
        true => Ok(()),
        false => Err(PadError::Overflow { most, half }),
    }
}
