//! The computation of a request by the evaluator of its set.

use isopod_wire::AnySet;

use crate::progress::Report;
use crate::request::job::Request;
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::compute::coefficients::{check_layouts, CoefficientResults};
use crate::server::compute::merged::MergedResult;
use crate::server::compute::packed_result::PackedResult;
use crate::server::compute::pads::PadComputed;
use crate::server::compute::slots::SlotResults;
use crate::server::compute::summary::Summary;
use crate::server::compute::task::Task;
use crate::{Frame, Result, Server};

/// Results of a job, not sealed yet.
pub(crate) enum Computed {
    Slots(SlotResults),
    Coefficients(CoefficientResults),
    Merged(MergedResult),
    Packed(PackedResult),
    Pads(PadComputed),
}

impl Computed {
    pub(crate) fn summary(&self) -> Summary {
        match self {
            Self::Slots(results) => results.summary(),
            Self::Coefficients(results) => results.summary(),
            Self::Merged(result) => result.summary(),
            Self::Packed(results) => Summary::TfheRs {
                inputs: results.inputs,
                schema: results.schema.clone(),
            },
            Self::Pads(computed) => Summary::Pads {
                values: computed.sum.sums.len(),
                runs: computed.sum.runs.len(),
            },
        }
    }
}

impl Request {
    /// Checks all that needs no frames: whether this build computes the job under the set, with these parameters.
    ///
    /// # Errors
    /// The errors of [`JobName::check`](crate::JobName::check); [`Error::Parameter`].
    pub fn check(&self, set: AnySet) -> Result<()> {
        self.job.name().check(set)?;
        self.job.check_parameters()?;
        self.check_thresholds(set)?;
        match set {
            AnySet::Rns(_) if self.takes_merged(set) => Ok(()),
            AnySet::Rns(_) if self.job.name().takes_coefficients_alone() => {
                CoefficientResults::check(self)
            }
            AnySet::Rns(set) => SlotResults::check(self, set),
            AnySet::Tfhe(_) => self.check_tfhe(),
            AnySet::Pads => self.check_pads(),
        }
    }

    /// Computes on everything that was accumulated.
    pub(crate) fn compute(
        &self,
        server: &Server,
        accumulated: Accumulated,
        report: &mut Report<'_>,
    ) -> Result<Computed> {
        server.check_owners(&self.job)?;
        self.check_frames(&accumulated.frames)?;
        check_layouts(self, &accumulated.frames)?;
        let rounded = match &accumulated.sum {
            Some(sum) => sum.header.rounding.is_some(),
            None => matches!(accumulated.frames.first(), Some(Frame::Rounded(_))),
        };
        let task = Task {
            request: self,
            server,
            report,
        };
        match server.set() {
            AnySet::Rns(set) if self.takes_merged(server.set()) => {
                MergedResult::of(task, set, accumulated.frames).map(Computed::Merged)
            }
            AnySet::Rns(set) if rounded => {
                CoefficientResults::of(task, set, accumulated).map(Computed::Coefficients)
            }
            AnySet::Rns(set) => SlotResults::of(task, set, accumulated).map(Computed::Slots),
            AnySet::Tfhe(_) => PackedResult::of(task, accumulated).map(Computed::Packed),
            AnySet::Pads => PadComputed::of(task, accumulated).map(Computed::Pads),
        }
    }
}

#[cfg(test)]
mod tests {
    use isopod_eval::{Claims, Key, ModelKind, ModelOutput, Plan};
    use isopod_wire::{sets, AnySet, Decoding, Layout, ParameterSet};

    use crate::{Job, JobName, Model, Request};

    const COLUMNS: usize = 4;

    /// Claims of three frames of full rows.
    fn claims(set: &ParameterSet, bound_bits: i32) -> Vec<Claims> {
        let is_real = set.plain_modulus.is_none();
        let scale = if is_real { set.log2_scale.default } else { 0 };
        let claims = Claims {
            bound: f64::from(bound_bits).exp2(),
            scale: f64::from(scale).exp2(),
            primes: set.data_primes.len(),
            key: Key::Public,
            dithered: is_real,
            rows: 2,
            columns: COLUMNS,
            stride: COLUMNS,
            buckets: 1,
            frames: 1,
        };
        vec![claims; 3]
    }

    /// The job with numbers of this magnitude: all of them, one beside a smaller one and a zero, or one as the constant alone.
    fn jobs(name: JobName, magnitude: f64) -> Vec<Job> {
        let count = if name == JobName::Weighted {
            3
        } else {
            COLUMNS
        };
        let numbers = |of: [f64; COLUMNS]| of[..count].to_vec();
        let lists = [
            numbers([magnitude, -magnitude, magnitude, magnitude]),
            numbers([-magnitude, magnitude * 1e-9, 0.0, -1.0]),
        ];
        let model = |weights: &Vec<f64>, bias| Model {
            kind: ModelKind::Linear,
            features: vec!["x".to_owned(); COLUMNS],
            mean: Vec::new(),
            scale: Vec::new(),
            hidden: None,
            trees: Vec::new(),
            outputs: vec![ModelOutput::unnamed(weights.clone(), bias)],
            largest_score: None,
        };
        let plain = Job::plain(name);
        let weighted = Job::of_weights(name).map(|job| lists.clone().map(job).to_vec());
        let scored = Job::of_model(name).map(|job| {
            let biased = model(&vec![1.0; COLUMNS], magnitude);
            let models = [model(&lists[0], -1.0), model(&lists[1], 0.0), biased];
            models.map(job).to_vec()
        });
        let jobs = [plain.map(|job| vec![job]), weighted, scored];
        jobs.into_iter().flatten().flatten().collect()
    }

    /// Whether an owner reads the answer for certain; of real numbers by the limits of the decoder, of integers by their modulus.
    fn is_read(set: &ParameterSet, plan: &Plan) -> bool {
        let primes = &set.data_primes[..plan.primes];
        let bound = plan.bound > 0.0 && plan.bound.is_finite();
        let reads = match set.plain_modulus {
            Some(modulus) => plan.bound <= modulus as f64 / 2.0 && plan.primes <= Decoding::PRIMES,
            None => Decoding::new(primes, Layout::Slots, plan.scale, plan.bound)
                .is_some_and(|decoding| decoding.holds(plan.bound, plan.error)),
        };
        bound && reads
    }

    /// From 1e-300 to 1e300, most of them next to what may fit.
    fn sizes() -> impl Iterator<Item = f64> {
        (-75..=75).map(|exponent: i32| match exponent.abs() {
            ..=40 => f64::from(exponent).exp2() * 1.37,
            _ => 10f64.powi(4 * exponent),
        })
    }

    /// Plans the job on frames of such a bound, and says whether it is refused.
    fn is_refused(set: &'static ParameterSet, job: Job, bound_bits: i32) -> bool {
        let request = Request::new(job);
        let checked = request.check(AnySet::Rns(set));
        let Ok(job) = checked.and_then(|()| request.seal_job(set, 0)) else {
            return true;
        };
        let Ok(plans) = job.plan(&set.into(), &claims(set, bound_bits)) else {
            return true;
        };
        for plan in plans {
            assert!(is_read(set, &plan), "{} {request:?}: {plan:?}", set.name);
        }
        false
    }

    /// Every job in slots under every set, large ones as well.
    #[test]
    fn every_plan_is_of_an_answer_that_an_owner_reads() {
        let mut planned = [0, 0];
        for set in sets() {
            let all = JobName::ALL.iter().copied();
            for name in all.filter(|job| job.check(AnySet::Rns(set)).is_ok()) {
                let jobs = sizes().flat_map(|size| jobs(name, size));
                for (job, bound_bits) in jobs.flat_map(|job| [(job.clone(), 0), (job, 12)]) {
                    planned[usize::from(is_refused(set, job, bound_bits))] += 1;
                }
            }
        }
        assert!(planned.iter().all(|&planned| planned > 5000), "{planned:?}");
    }
}
