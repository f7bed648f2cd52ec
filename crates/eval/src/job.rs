//! Interface of all jobs on ciphertexts of SEAL: inputs, outputs, and the checks before the work.

use crate::Error;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters};

/// One ciphertext, with the number of values in its first slots.
#[derive(Debug, Clone, Copy)]
pub struct Input<'ciphertext> {
    /// The ciphertext.
    pub ciphertext: &'ciphertext Ciphertext,
    /// Number of values, 1 to n/2; the slots after them are zero.
    pub count: usize,
}

/// Slots that hold an output's values: first + step*i for i < count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    /// Slot of the first value.
    pub first: usize,
    /// Distance between values.
    pub step: usize,
    /// Number of values.
    pub count: usize,
}

impl Slots {
    /// The slots in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |i| self.first + self.step * i)
    }
}

/// Ciphertext that a job computed, switched to the smallest modulus that holds it.
#[derive(Debug, Clone)]
pub struct Output {
    /// Ciphertext of two polynomials.
    pub ciphertext: Ciphertext,
    /// Slots that hold the values.
    pub slots: Slots,
}

/// Evaluator, keys and progress of a running job.
pub struct Workspace<'work> {
    /// Operations of the set.
    pub evaluator: Evaluator<'work>,
    /// The owner's evaluation keys; jobs without rotations and products need none.
    pub keys: Option<&'work EvaluationKeys>,
    /// Function that is called after each ciphertext with (done, total).
    pub progress: &'work mut dyn FnMut(usize, usize),
}

impl<'work> Workspace<'work> {
    /// Makes a workspace without keys.
    pub fn new(context: &'work Context, progress: &'work mut dyn FnMut(usize, usize)) -> Self {
        Workspace {
            evaluator: Evaluator::new(context),
            keys: None,
            progress,
        }
    }

    /// Adds the owner's evaluation keys.
    pub fn with_keys(self, keys: &'work EvaluationKeys) -> Self {
        Workspace {
            keys: Some(keys),
            ..self
        }
    }

    pub(crate) fn context(&self) -> &'work Context {
        self.evaluator.context()
    }

    pub(crate) fn parameters(&self) -> &'work Parameters {
        self.context().parameters()
    }

    /// Keys of a job that has passed [`Job::check`].
    pub(crate) fn keys(&self, job: &dyn Job) -> Result<&'work EvaluationKeys, Error> {
        self.keys.ok_or_else(|| Error::KeysMissing {
            job: job.name(),
            rotations: job.required_rotations(),
        })
    }
}

/// A named computation on ciphertexts.
pub trait Job {
    /// Name of the job in messages and results.
    fn name(&self) -> &'static str;

    /// Rotation steps whose Galois keys are needed.
    fn required_rotations(&self) -> Vec<i32> {
        Vec::new()
    }

    /// Required rotation steps that exist in a set with this many slots.
    fn rotations_for(&self, _slots: usize) -> Vec<i32> {
        self.required_rotations()
    }

    /// Whether ciphertexts are multiplied with each other.
    fn needs_relinearization(&self) -> bool {
        false
    }

    /// Number of data primes that are certainly used up; a ciphertext needs one more than that.
    fn levels(&self) -> usize {
        0
    }

    /// Whether evaluation keys are needed at all.
    fn needs_key_switching(&self) -> bool {
        self.needs_relinearization() || !self.required_rotations().is_empty()
    }

    /// Checks set, keys and inputs, then works.
    ///
    /// # Errors
    /// Those of [`Job::check`] before any work; [`Error::Seal`] during it.
    fn run(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        self.check(workspace, inputs)?;
        self.work(workspace, inputs)
    }

    /// Checks that the job can be done.
    ///
    /// # Errors
    /// [`Error::NoInputs`], [`Error::Count`], [`Error::NoKeySwitching`], [`Error::KeysMissing`],
    /// [`Error::TooFewPrimes`], [`isopod_seal::Error::MissingGaloisKey`],
    /// [`isopod_seal::Error::MissingRelinearizationKey`], and those of [`Job::check_own`].
    fn check(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        if inputs.is_empty() {
            return Err(Error::NoInputs { job: self.name() });
        }
        let parameters = workspace.parameters();
        for (index, input) in inputs.iter().enumerate() {
            check_count(parameters, index, input.count)?;
            check_primes(
                parameters,
                self.name(),
                self.levels() + 1,
                input.ciphertext.primes(),
            )?;
        }
        if self.needs_key_switching() {
            check_keys(
                self.name(),
                workspace,
                &self.rotations_for(parameters.slots()),
                self.needs_relinearization(),
            )?;
        }
        self.check_own(workspace, inputs)
    }

    /// Makes the checks that only this job has. Called by [`Job::check`].
    ///
    /// # Errors
    /// Those that the job documents.
    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error>;

    /// Works, without checks. Called by [`Job::run`].
    ///
    /// # Errors
    /// [`Error::Seal`].
    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error>;
}

fn check_count(parameters: &Parameters, index: usize, count: usize) -> Result<(), Error> {
    let most = parameters.slots();
    if (1..=most).contains(&count) {
        Ok(())
    } else {
        Err(Error::Count { index, count, most })
    }
}

fn check_primes(
    parameters: &Parameters,
    job: &'static str,
    needed: usize,
    has: usize,
) -> Result<(), Error> {
    if has >= needed {
        Ok(())
    } else {
        Err(Error::TooFewPrimes {
            job,
            set: parameters.name.clone(),
            has,
            needed,
        })
    }
}

fn check_keys(
    job: &'static str,
    workspace: &Workspace<'_>,
    rotations: &[i32],
    relinearization: bool,
) -> Result<(), Error> {
    let parameters = workspace.parameters();
    if !parameters.can_switch_keys() {
        return Err(Error::NoKeySwitching {
            job,
            set: parameters.name.clone(),
        });
    }
    let keys = workspace.keys.ok_or_else(|| Error::KeysMissing {
        job,
        rotations: rotations.to_vec(),
    })?;
    keys.check_rotations(workspace.context(), rotations)?;
    if relinearization && !keys.has_relinearization() {
        return Err(isopod_seal::Error::MissingRelinearizationKey.into());
    }
    Ok(())
}
