//! Smallest and largest values, and their places.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;

use super::contest::Contest;
use super::extremum::Extremum;
use super::fold::{Fold, Kind};
use super::job::{numbers, BitsJob, Session, Values};
use super::value::{native, Digit};
use crate::Error;

/// Values of a part of a contest, at least.
const PART: usize = 64;

/// Job with one value as output: the smallest or the largest.
#[derive(Debug, Clone, Copy)]
pub struct Extreme {
    /// Extreme that is wanted.
    pub which: Extremum,
}

impl BitsJob for Extreme {
    fn name(&self) -> &'static str {
        match self.which {
            Extremum::Minimum => "minimum",
            Extremum::Maximum => "maximum",
        }
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        numbers(self, types).map(|_| ())
    }

    fn fold(&self, of: ValueType) -> Option<Fold> {
        Some(Fold::new(of, Kind::Extreme(Contest::new(self.which, of))))
    }
}

/// Job with a u16 and a value as output: the place of the smallest or largest (from 0, the first of equals), and the value.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Extreme that is wanted.
    pub which: Extremum,
}

impl BitsJob for Argument {
    fn name(&self) -> &'static str {
        match self.which {
            Extremum::Minimum => "argmin",
            Extremum::Maximum => "argmax",
        }
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        numbers(self, types).map(|_| ())
    }

    fn most_values(&self) -> usize {
        usize::from(u16::MAX)
    }

    fn in_order(
        &self,
        session: &mut Session<'_>,
        values: &Values<'_>,
        of: ValueType,
    ) -> Result<Vec<Native>, Error> {
        let (keys, blocks) = (session.keys, ValueType::U16.blocks(2));
        let part = PART.max(values.len().div_ceil(4 * session.threads.max(1)));
        let contests = session.each(values, part, &|range| {
            let mut contest = Contest::new(self.which, of);
            for at in range {
                let value = values.of(at..at + 1)?;
                let placed = value
                    .into_iter()
                    .map(|value| (value, Digit::known(at as u64, blocks)));
                contest.take(keys, placed.collect())?;
            }
            contest.settle(keys)?;
            Ok(contest)
        })?;
        let winner = Contest::finish(keys, contests)?;
        let winner = winner.ok_or(Error::NoValues { job: self.name() })?;
        Ok(vec![
            native(&winner.place, ValueType::U16)?,
            native(&winner.value, of)?,
        ])
    }
}
