//! Interface of all jobs on bits and integers: the keys, the threads, the progress, and the checks before the work.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use isopod_tfhe::native::{Native, RingCiphertext, ServerKeys};
use isopod_wire::ValueType;

use super::fold::Fold;
use super::value::{BitsInput, Value};
use crate::threads::{in_order, Progress};
use crate::Error;

/// Values that one thread takes at a time.
const UNIT: usize = 32;

/// Keys, threads and progress of a running job.
pub struct Session<'work> {
    /// The server's keys.
    pub keys: &'work ServerKeys,
    /// Threads that work, at least one.
    pub threads: usize,
    /// Hears of each step.
    pub progress: &'work mut Progress<'work>,
}

impl Session<'_> {
    /// Works on units of up to `unit` consecutive values in all threads; the outcomes are in order.
    pub(super) fn each<T: Send>(
        &mut self,
        values: &Values<'_>,
        unit: usize,
        step: &(dyn Fn(Range<usize>) -> Result<T, Error> + Sync),
    ) -> Result<Vec<T>, Error> {
        let count = values.len();
        let one = |at: usize| step(at * unit..count.min((at + 1) * unit));
        in_order(count.div_ceil(unit), self.threads, &one, self.progress)
    }
}

/// Values of several frames, converted when they are asked for.
pub struct Values<'f> {
    keys: &'f ServerKeys,
    frames: &'f [BitsInput],
    ends: Vec<usize>,
}

impl<'f> Values<'f> {
    fn new(keys: &'f ServerKeys, frames: &'f [BitsInput]) -> Self {
        let mut end = 0;
        let ends = frames.iter().map(|input| {
            end += input.frame.header.schema.values();
            end
        });
        let ends = ends.collect();
        Self { keys, frames, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    pub(super) fn of(&self, range: Range<usize>) -> Result<Vec<Value>, Error> {
        let mut values = Vec::with_capacity(range.len());
        for (input, &end) in self.frames.iter().zip(&self.ends) {
            let begin = end - input.frame.header.schema.values();
            let wanted = range.start.max(begin)..range.end.min(end);
            if !wanted.is_empty() {
                let ring = RingCiphertext::new(&input.frame)?;
                let wanted = wanted.start - begin..wanted.end - begin;
                values.extend(input.values(self.keys, &ring, wanted)?);
            }
        }
        Ok(values)
    }
}

/// A named computation on encrypted values.
pub trait BitsJob: Send + Sync {
    /// Name of the job in messages and results.
    fn name(&self) -> &'static str;

    /// Whether the job can be done on values of these types.
    ///
    /// # Errors
    /// [`Error::NoValues`], [`Error::TooMany`], [`Error::Type`], [`Error::Range`].
    fn check(&self, types: &[ValueType]) -> Result<(), Error>;

    /// Most values of one result.
    fn most_values(&self) -> usize {
        usize::MAX
    }

    /// Refuses more values than one result may have.
    ///
    /// # Errors
    /// [`Error::TooMany`].
    fn check_number(&self, found: usize) -> Result<(), Error> {
        let job = self.name();
        match found > self.most_values() {
            true => Err(Error::TooMany { job, found }),
            false => Ok(()),
        }
    }

    /// Refuses values of another type than those before.
    ///
    /// # Errors
    /// [`Error::Type`].
    fn check_type(&self, before: Option<ValueType>, found: ValueType) -> Result<(), Error> {
        match before {
            Some(before) if before != found => Err(Error::Type {
                job: self.name(),
                index: 0,
                found: found.name(),
                allowed: before.name(),
            }),
            _ => Ok(()),
        }
    }

    /// Whether the values may come in any order.
    fn folds(&self) -> bool {
        self.fold(ValueType::U8).is_some()
    }

    /// Begins the job on values of this type; None if it depends on their order.
    fn fold(&self, _of: ValueType) -> Option<Fold> {
        None
    }

    /// Works on values in order, after the checks: jobs without a fold. Called by [`BitsJob::run`].
    ///
    /// # Errors
    /// [`Error::Tfhe`].
    fn in_order(
        &self,
        _session: &mut Session<'_>,
        _values: &Values<'_>,
        _of: ValueType,
    ) -> Result<Vec<Native>, Error> {
        Err(Error::NoValues { job: self.name() })
    }

    /// Checks, then works. The output is one list of values, which each job documents.
    ///
    /// # Errors
    /// The errors of [`BitsJob::check`] before any work; [`Error::Tfhe`].
    fn run(&self, session: &mut Session<'_>, frames: &[BitsInput]) -> Result<Vec<Native>, Error> {
        let types = frames.iter();
        let types = types.flat_map(|input| input.frame.header.schema.types());
        let types: Vec<ValueType> = types.collect();
        self.check(&types)?;
        match self.fold(types[0]) {
            Some(fold) => self.conclude(session, vec![fold], frames),
            None => {
                let values = Values::new(session.keys, frames);
                self.in_order(session, &values, types[0])
            }
        }
    }

    /// Takes the last frames, which were checked, into the job's folds, one at least, and gives the result.
    ///
    /// # Errors
    /// [`Error::NoValues`], [`Error::Tfhe`].
    fn conclude(
        &self,
        session: &mut Session<'_>,
        folds: Vec<Fold>,
        frames: &[BitsInput],
    ) -> Result<Vec<Native>, Error> {
        let (job, keys) = (self.name(), session.keys);
        let values = Values::new(keys, frames);
        let of = folds.first().ok_or(Error::NoValues { job })?.of();
        let folds = Mutex::new(folds);
        let free = || folds.lock().unwrap_or_else(PoisonError::into_inner);
        session.each(&values, UNIT, &|range| {
            let fold = free().pop();
            let mut fold = fold
                .or_else(|| self.fold(of))
                .ok_or(Error::NoValues { job })?;
            fold.extend(keys, values.of(range)?.into_iter())?;
            free().push(fold);
            Ok(())
        })?;
        let folds = folds.into_inner().unwrap_or_else(PoisonError::into_inner);
        Fold::finish(keys, job, folds)
    }
}

/// The common type of all values, which must be numbers.
pub(super) fn numbers(job: &dyn BitsJob, types: &[ValueType]) -> Result<ValueType, Error> {
    job.check_number(types.len())?;
    let job = job.name();
    let &first = types.first().ok_or(Error::NoValues { job })?;
    let refuse = |index: usize, allowed| Error::Type {
        job,
        index,
        found: types[index].name(),
        allowed,
    };
    if first == ValueType::Bool {
        return Err(refuse(0, "a number"));
    }
    match types.iter().position(|&of| of != first) {
        Some(index) => Err(refuse(index, first.name())),
        None => Ok(first),
    }
}

/// Checks that the type can hold a number in the clear.
pub(super) fn in_range(field: &'static str, value: i128, of: ValueType) -> Result<(), Error> {
    let (least, most) = of.range();
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let allowed = format!("{least} to {most} for {}", of.name());
    Err(Error::Range {
        field,
        value,
        allowed,
    })
}
