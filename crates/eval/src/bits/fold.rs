//! Jobs as far as their values have come, where the order of these is nothing, in memory that does not grow with them.

use isopod_tfhe::native::{Native, RingCiphertext, ServerKeys};
use isopod_wire::ValueType;

use super::compare::Comparison;
use super::contest::Contest;
use super::gather::{subtract, Any, Counter};
use super::value::{boolean, native, BitsInput, Digit, Value};
use crate::Error;

/// Values that are worked on together.
const TOGETHER: usize = 32;

/// A job's values so far, of one thread.
pub struct Fold {
    of: ValueType,
    values: usize,
    waiting: Vec<Value>,
    kind: Kind,
}

/// State of the values so far.
pub(super) enum Kind {
    Any(Comparison, Any),
    Count(Comparison, Counter),
    /// Values below each edge.
    Bins(Vec<(Comparison, Counter)>),
    Extreme(Contest),
}

impl Fold {
    pub(super) fn new(of: ValueType, kind: Kind) -> Self {
        Self {
            of,
            values: 0,
            waiting: Vec::new(),
            kind,
        }
    }

    /// Type of its values.
    pub fn of(&self) -> ValueType {
        self.of
    }

    /// Takes the values of a frame, which were checked.
    ///
    /// # Errors
    /// [`Error::Tfhe`].
    pub fn take(&mut self, keys: &ServerKeys, input: &BitsInput) -> Result<(), Error> {
        let frame = &input.frame;
        let (ring, count) = (RingCiphertext::new(frame)?, frame.header.schema.values());
        for first in (0..count).step_by(TOGETHER) {
            let values = input.values(keys, &ring, first..count.min(first + TOGETHER))?;
            self.extend(keys, values.into_iter())?;
        }
        Ok(())
    }

    /// Takes values.
    pub(super) fn extend(
        &mut self,
        keys: &ServerKeys,
        values: impl Iterator<Item = Value>,
    ) -> Result<(), Error> {
        let before = self.waiting.len();
        self.waiting.extend(values);
        self.values += self.waiting.len() - before;
        match self.waiting.len() >= TOGETHER {
            true => self.work_off(keys),
            false => Ok(()),
        }
    }

    fn work_off(&mut self, keys: &ServerKeys) -> Result<(), Error> {
        let values = std::mem::take(&mut self.waiting);
        let all: Vec<&Value> = values.iter().collect();
        match &mut self.kind {
            Kind::Any(comparison, any) => any.take(keys, comparison.bits(keys, &all)?),
            Kind::Count(comparison, counter) => counter.take(keys, comparison.bits(keys, &all)?),
            Kind::Bins(edges) => edges.iter_mut().try_for_each(|(comparison, counter)| {
                counter.take(keys, comparison.bits(keys, &all)?)
            }),
            Kind::Extreme(contest) => {
                let unplaced = values.into_iter().map(|value| (value, Vec::new()));
                contest.take(keys, unplaced.collect())
            }
        }
    }

    /// The results of all folds of the job of this name.
    ///
    /// # Errors
    /// [`Error::NoValues`], [`Error::Tfhe`].
    pub fn finish(
        keys: &ServerKeys,
        job: &'static str,
        mut folds: Vec<Self>,
    ) -> Result<Vec<Native>, Error> {
        folds.iter_mut().try_for_each(|fold| fold.work_off(keys))?;
        let total = folds.iter().map(|fold| fold.values).sum();
        let of = folds.first().map_or(ValueType::Bool, |fold| fold.of);
        let joined = folds.into_iter().map(|fold| Joined::from(fold.kind));
        let joined = joined.reduce(Joined::join).ok_or(Error::NoValues { job })?;
        match joined {
            Joined::Any(any) => Ok(vec![boolean(any.finish(keys)?)?]),
            Joined::Count(counter) => {
                let digits = counter.finish(keys, ValueType::U16.blocks(2))?;
                Ok(vec![native(&digits, ValueType::U16)?])
            }
            Joined::Bins(counters) => bins(keys, counters, total),
            Joined::Extreme(contests) => extreme(keys, job, contests, of),
        }
    }
}

fn extreme(
    keys: &ServerKeys,
    job: &'static str,
    contests: Vec<Contest>,
    of: ValueType,
) -> Result<Vec<Native>, Error> {
    let winner = Contest::finish(keys, contests)?;
    let winner = winner.ok_or(Error::NoValues { job })?;
    Ok(vec![native(&winner.value, of)?])
}

/// Folds of one job together.
enum Joined {
    Any(Any),
    Count(Counter),
    Bins(Vec<Counter>),
    Extreme(Vec<Contest>),
}

impl From<Kind> for Joined {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Any(_, any) => Self::Any(any),
            Kind::Count(_, counter) => Self::Count(counter),
            Kind::Bins(edges) => {
                Self::Bins(edges.into_iter().map(|(_, counter)| counter).collect())
            }
            Kind::Extreme(contest) => Self::Extreme(vec![contest]),
        }
    }
}

impl Joined {
    /// Folds of one job are of one kind.
    fn join(mut self, other: Self) -> Self {
        match (&mut self, other) {
            (Self::Any(any), Self::Any(other)) => any.join(other),
            (Self::Count(counter), Self::Count(other)) => counter.join(other),
            (Self::Bins(counters), Self::Bins(others)) => {
                for (counter, other) in counters.iter_mut().zip(others) {
                    counter.join(other);
                }
            }
            (Self::Extreme(contests), Self::Extreme(others)) => contests.extend(others),
            _ => {}
        }
        self
    }
}

/// Numbers of values below the first edge, between edges, and of the rest.
fn bins(keys: &ServerKeys, counters: Vec<Counter>, total: usize) -> Result<Vec<Native>, Error> {
    let blocks = ValueType::U16.blocks(2);
    let reached = counters
        .into_iter()
        .map(|counter| counter.finish(keys, blocks));
    let mut reached: Vec<Vec<Digit>> = reached.collect::<Result<_, _>>()?;
    reached.push(Digit::known(total as u64, blocks));
    let mut found = vec![native(&reached[0], ValueType::U16)?];
    for pair in reached.windows(2) {
        let bin = subtract(keys, &pair[1], &pair[0])?;
        found.push(native(&bin, ValueType::U16)?);
    }
    Ok(found)
}
