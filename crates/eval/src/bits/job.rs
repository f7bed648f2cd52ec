//! Interface of all jobs on bits and integers: the keys, the progress, and the checks before the work.

use isopod_tfhe::native::{Native, ServerKeys};
use isopod_wire::ValueType;
use tfhe::integer::ServerKey;

use crate::Error;

/// Keys and progress of a running job.
pub struct Session<'work> {
    keys: &'work ServerKeys,
    progress: &'work mut dyn FnMut(usize, usize),
    done: usize,
    total: usize,
}

impl<'work> Session<'work> {
    /// Starts a session; `progress` is called after each step with (done, total).
    pub fn new(keys: &'work ServerKeys, progress: &'work mut dyn FnMut(usize, usize)) -> Self {
        Self {
            keys,
            progress,
            done: 0,
            total: 0,
        }
    }

    pub(super) fn keys(&self) -> &'work ServerKey {
        self.keys.integers()
    }

    pub(super) fn begin(&mut self, total: usize) {
        (self.done, self.total) = (0, total);
    }

    pub(super) fn step(&mut self) {
        self.done += 1;
        (self.progress)(self.done, self.total);
    }
}

/// A named computation on encrypted values.
pub trait BitsJob {
    /// Name of the job in messages and results.
    fn name(&self) -> &'static str;

    /// Whether the job can be done on values of these types.
    ///
    /// # Errors
    /// [`Error::NoValues`], [`Error::TooMany`], [`Error::Type`], [`Error::Range`].
    fn check(&self, types: &[ValueType]) -> Result<(), Error>;

    /// Checks, then works. The output is one list of values, which each job documents.
    ///
    /// # Errors
    /// Those of [`BitsJob::check`] before any work.
    fn run(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        let types: Vec<ValueType> = inputs.iter().map(Native::value_type).collect();
        self.check(&types)?;
        self.work(session, inputs)
    }

    /// Works, after the checks. Called by [`BitsJob::run`].
    ///
    /// # Errors
    /// [`Error::Tfhe`].
    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error>;
}

/// The common type of all values, which must be numbers.
pub(super) fn numbers(job: &'static str, types: &[ValueType]) -> Result<ValueType, Error> {
    let &first = types.first().ok_or(Error::NoValues { job })?;
    if types.len() > usize::from(u16::MAX) {
        let found = types.len();
        return Err(Error::TooMany { job, found });
    }
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
