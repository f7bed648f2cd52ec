//! Interface of all jobs on ciphertexts of SEAL: inputs, outputs, and the checks before the work.

use crate::advice::Advice;
use crate::claims::Claims;
use crate::plan::{Plan, Shape};
use crate::threads::{self, Progress};
use crate::Error;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters};

/// One ciphertext, with what its frame says about it.
#[derive(Debug, Clone, Copy)]
pub struct Input<'ciphertext> {
    /// The ciphertext.
    pub ciphertext: &'ciphertext Ciphertext,
    /// Claims of the frame. Scale and primes are taken from the ciphertext.
    pub claims: Claims,
}

impl Input<'_> {
    fn claims(&self) -> Claims {
        Claims {
            scale: self.ciphertext.scale(),
            primes: self.ciphertext.primes(),
            ..self.claims
        }
    }
}

/// Gives the ciphertext of the frame of a number.
pub type Load<'l> = dyn Fn(usize) -> Result<Ciphertext, isopod_seal::Error> + Sync + 'l;

/// Ciphertext that a job computed, switched to the smallest modulus that holds it.
#[derive(Debug, Clone)]
pub struct Output {
    /// Ciphertext of two polynomials.
    pub ciphertext: Ciphertext,
    /// Bound on every |value|.
    pub bound: f64,
    /// Distance that no value is off by but with a probability of 2 e^-18; 0 for integers.
    pub error: f64,
    /// The share of it that is a worst case: of roundings alike in all frames, which add up in step.
    pub in_step: f64,
    /// Slots that hold the values.
    pub shape: Shape,
}

impl Output {
    pub(crate) fn new(ciphertext: Ciphertext, plan: &Plan) -> Self {
        debug_assert_eq!(ciphertext.primes(), plan.primes);
        debug_assert!((ciphertext.scale() / plan.scale - 1.0).abs() < 1e-9);
        Self {
            ciphertext,
            bound: plan.bound,
            error: plan.error,
            in_step: plan.in_step,
            shape: plan.shape,
        }
    }
}

/// Evaluator, keys and progress of a running job.
pub struct Workspace<'work> {
    /// Operations of the set.
    pub evaluator: Evaluator<'work>,
    /// The owner's evaluation keys; jobs without rotations and products need none.
    pub keys: Option<&'work EvaluationKeys>,
    /// Function that is called after each ciphertext with (done, total).
    pub progress: &'work mut Progress<'work>,
}

impl<'work> Workspace<'work> {
    /// Makes a workspace without keys.
    pub fn new(context: &'work Context, progress: &'work mut Progress<'work>) -> Self {
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

    pub(crate) fn parameters(&self) -> &'work Parameters {
        self.evaluator.context().parameters()
    }

    /// Keys of a job that has passed [`Job::check`].
    pub(crate) fn keys(&self, job: &dyn Job) -> Result<&'work EvaluationKeys, Error> {
        let rotations = Vec::new();
        let job = job.name();
        self.keys.ok_or(Error::KeysMissing { job, rotations })
    }
}

/// A named computation on ciphertexts.
pub trait Job: Sync {
    /// Name of the job in messages and results.
    fn name(&self) -> &'static str;

    /// Rotation steps whose Galois keys are needed for these frames.
    fn rotations(&self, _parameters: &Parameters, _frames: &[Claims]) -> Vec<i32> {
        Vec::new()
    }

    /// Whether the job rotates at all.
    fn rotates(&self) -> bool {
        false
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
        self.needs_relinearization() || self.rotates()
    }

    /// Plans every output from the claims of frames, without ciphertexts: bound, error and shape, or why the job refuses.
    ///
    /// # Errors
    /// [`Error::NoInputs`], [`Error::Claim`], [`Error::Count`], [`Error::NoKeySwitching`], [`Error::TooFewPrimes`], and those
    /// of [`Job::plan_own`].
    fn plan(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        let job = self.name();
        if frames.is_empty() {
            return Err(Error::NoInputs { job });
        }
        for (index, frame) in frames.iter().enumerate() {
            check_claims(parameters.slots(), index, frame)?;
            check_primes(parameters, job, self.levels() + 1, frame.primes)?;
        }
        if self.needs_key_switching() && !parameters.can_switch_keys() {
            let set = parameters.name.clone();
            return Err(Error::NoKeySwitching { job, set });
        }
        self.plan_own(parameters, frames)
    }

    /// Makes the plan after the checks that all jobs have. Called by [`Job::plan`].
    ///
    /// # Errors
    /// The errors that the job documents.
    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error>;

    /// Plans like [`Job::plan`], and adds to a refusal what would be possible.
    ///
    /// # Errors
    /// The errors of [`Job::plan`].
    fn advise(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        self.plan(parameters, frames).map_err(|mut error| {
            if let Some(advice) = error.advice_mut() {
                *advice = Advice::of(self, parameters, frames);
            }
            error
        })
    }

    /// Checks that the job can be done, and plans it.
    ///
    /// # Errors
    /// The errors of [`Job::plan`]; [`Error::KeysMissing`], [`isopod_seal::Error::MissingGaloisKey`],
    /// [`isopod_seal::Error::MissingRelinearizationKey`].
    fn check(&self, workspace: &Workspace<'_>, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        let parameters = workspace.parameters();
        let plans = self.advise(parameters, frames)?;
        let rotations = self.rotations(parameters, frames);
        if self.needs_relinearization() || !rotations.is_empty() {
            let relinearization = self.needs_relinearization();
            check_keys(self.name(), workspace, rotations, relinearization)?;
        }
        Ok(plans)
    }

    /// Checks set, keys and inputs, then works.
    ///
    /// # Errors
    /// The errors of [`Job::check`] before any work; [`Error::Seal`] during it.
    fn run(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let frames: Vec<Claims> = inputs.iter().map(Input::claims).collect();
        let plans = self.check(workspace, &frames)?;
        self.work(workspace, inputs, &plans)
    }

    /// Works as planned, without checks. Called by [`Job::run`].
    ///
    /// # Errors
    /// [`Error::Seal`].
    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error>;
}

/// Checks set, keys and claims of all jobs, then works on every frame by itself, in `threads` threads: `load` gives its
/// ciphertext by the frame's number, once for all jobs. Not for jobs that combine frames. The outputs are in the order of the
/// frames, those of one frame in the order of the jobs.
///
/// # Errors
/// The errors of [`Job::run`].
pub fn run_each(
    jobs: &[Box<dyn Job>],
    workspace: &mut Workspace<'_>,
    frames: &[Claims],
    threads: usize,
    load: &Load<'_>,
) -> Result<Vec<Output>, Error> {
    let plans = jobs.iter().map(|job| job.check(workspace, frames));
    let plans: Vec<Vec<Plan>> = plans.collect::<Result<_, _>>()?;
    let (evaluator, keys) = (workspace.evaluator, workspace.keys);
    let one = |at: usize| -> Result<Vec<Output>, Error> {
        let (ciphertext, claims) = (load(at)?, frames[at]);
        let input = Input {
            ciphertext: &ciphertext,
            claims,
        };
        let each = jobs.iter().zip(&plans).map(|(job, plans)| {
            let mut alone = Workspace {
                evaluator,
                keys,
                progress: &mut |_, _| {},
            };
            let mut outputs = job.work(&mut alone, &[input], &plans[at..=at])?;
            outputs.pop().ok_or(Error::NoInputs { job: job.name() })
        });
        each.collect()
    };
    let each = threads::in_order(frames.len(), threads, &one, workspace.progress)?;
    Ok(each.into_iter().flatten().collect())
}

/// A job whose one result is made of the sum of all frames, however that was added up.
pub trait Aggregate: Job {
    /// Makes the result of the sum of frames with these claims, as planned. Called by [`Aggregate::conclude`].
    ///
    /// # Errors
    /// [`Error::Seal`].
    fn finish(
        &self,
        workspace: &mut Workspace<'_>,
        sum: Ciphertext,
        frames: &[Claims],
        plan: &Plan,
    ) -> Result<Output, Error>;

    /// Checks set, keys and claims, and makes the result of the sum of all frames with these claims.
    ///
    /// # Errors
    /// The errors of [`Job::run`].
    fn conclude(
        &self,
        workspace: &mut Workspace<'_>,
        sum: Ciphertext,
        frames: &[Claims],
    ) -> Result<Output, Error> {
        let plans = self.check(workspace, frames)?;
        self.finish(workspace, sum, frames, &plans[0])
    }

    /// Adds up ciphertexts with SEAL, and makes the result.
    ///
    /// # Errors
    /// [`Error::Seal`].
    fn add_and_finish(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        let frames: Vec<Claims> = inputs.iter().map(Input::claims).collect();
        let sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        Ok(vec![self.finish(workspace, sum, &frames, &plans[0])?])
    }
}

/// Name of a field of claims, and its value.
pub(crate) type Field = (&'static str, fn(&Claims) -> f64);

/// Checks that all frames have the same of what `of` names.
pub(crate) fn check_alike(job: &'static str, frames: &[Claims], of: &[Field]) -> Result<(), Error> {
    for (field, value) in of {
        let first = value(&frames[0]);
        let differs = |frame: &Claims| value(frame) != first;
        if let Some(index) = frames.iter().position(differs) {
            let (field, found) = (*field, value(&frames[index]));
            return Err(Error::Differs {
                job,
                field,
                index,
                found,
                first,
            });
        }
    }
    Ok(())
}

/// Fields in which frames that are summed slot by slot agree.
pub(crate) const SLOT_BY_SLOT: &[Field] = &[
    ("data primes", |frame| frame.primes as f64),
    ("scale", |frame| frame.scale),
    ("stride", |frame| frame.stride as f64),
    ("columns", |frame| frame.columns as f64),
    ("buckets", |frame| frame.buckets as f64),
];

pub(crate) fn check_reals(job: &'static str, parameters: &Parameters) -> Result<(), Error> {
    check_scheme(job, parameters, parameters.plain_modulus.is_none(), "ckks-")
}

pub(crate) fn check_integers(job: &'static str, parameters: &Parameters) -> Result<(), Error> {
    check_scheme(job, parameters, parameters.plain_modulus.is_some(), "bfv-")
}

fn check_scheme(
    job: &'static str,
    parameters: &Parameters,
    is_right: bool,
    allowed: &'static str,
) -> Result<(), Error> {
    let set = parameters.name.clone();
    match is_right {
        true => Ok(()),
        false => Err(Error::Scheme { job, set, allowed }),
    }
}

/// Refuses claims that contradict each other, or more values than there are places.
pub(crate) fn check_claims(places: usize, index: usize, frame: &Claims) -> Result<(), Error> {
    let refuse = |field, found, allowed: &str| Error::Claim {
        index,
        field,
        found,
        allowed: allowed.to_owned(),
    };
    if !(frame.bound.is_finite() && frame.bound > 0.0) {
        return Err(refuse("bound", frame.bound, "a positive number"));
    }
    if frame.rows == 0 {
        return Err(refuse("rows", 0.0, "at least 1"));
    }
    if frame.frames == 0 {
        return Err(refuse("frames", 0.0, "at least 1"));
    }
    if !(1..=frame.stride).contains(&frame.columns) {
        let allowed = format!("1 to {} (the stride)", frame.stride);
        return Err(refuse("columns", frame.columns as f64, &allowed));
    }
    let whole = frame.buckets.is_power_of_two() && frame.columns.is_multiple_of(frame.buckets);
    if !whole {
        let allowed = format!("a power of two that divides {} columns", frame.columns);
        return Err(refuse("buckets", frame.buckets as f64, &allowed));
    }
    let (count, most) = (frame.count(), places);
    if count > most {
        return Err(Error::Count { index, count, most });
    }
    Ok(())
}

fn check_primes(
    parameters: &Parameters,
    job: &'static str,
    needed: usize,
    has: usize,
) -> Result<(), Error> {
    if (needed..=parameters.data_primes.len()).contains(&has) {
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
    rotations: Vec<i32>,
    relinearization: bool,
) -> Result<(), Error> {
    let context = workspace.evaluator.context();
    let Some(keys) = workspace.keys else {
        return Err(Error::KeysMissing { job, rotations });
    };
    keys.check_rotations(context, &rotations)?;
    if relinearization && !keys.has_relinearization() {
        return Err(isopod_seal::Error::MissingRelinearizationKey.into());
    }
    Ok(())
}

/// Adds the terms that `term` makes of ciphertexts; it may leave out some of them, but not all.
pub(crate) fn add_all(
    workspace: &mut Workspace<'_>,
    inputs: &[Input<'_>],
    term: impl Fn(usize, Ciphertext) -> Result<Option<Ciphertext>, Error>,
) -> Result<Ciphertext, Error> {
    let mut sum: Option<Ciphertext> = None;
    for (index, input) in inputs.iter().enumerate() {
        if let Some(next) = term(index, input.ciphertext.clone())? {
            match sum.as_mut() {
                Some(sum) => workspace.evaluator.add(sum, &next)?,
                None => sum = Some(next),
            }
        }
        (workspace.progress)(index + 1, inputs.len());
    }
    sum.ok_or(Error::NoInputs { job: "sum" })
}

impl Advice {
    /// Changes that help a job which refuses these frames.
    pub(crate) fn of<J: Job + ?Sized>(job: &J, parameters: &Parameters, frames: &[Claims]) -> Self {
        let does = |set: &Parameters, frames: &[Claims]| job.plan(set, frames).is_ok();
        Self::by(parameters, frames, &does)
    }
}
