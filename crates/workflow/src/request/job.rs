//! Jobs that a server computes by name, with their parameters.

use isopod_eval::{DecisionTree, Model, Threshold, SIGMOID_PRIMES};
use isopod_wire::codes::size;
use isopod_wire::{AnySet, ParameterSet, Scheme};

use crate::{Error, Result};

/// The set of keys where nobody asks for another, nor for a job.
pub const USUAL_SET: &str = "ckks-4096x2-linear";

/// The evaluator of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluator {
    /// Microsoft SEAL, on CKKS and BFV frames.
    Seal,
    /// tfhe-rs, on TFHE frames.
    TfheRs,
}

/// Defines [`JobName`] by a table: variant, name, evaluator (None if both can), summary.
macro_rules! jobs {
    ($($job:ident $name:literal $evaluator:expr, $summary:literal;)*) => {
        /// The name of a job.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum JobName { $(#[doc = $summary] $job,)* }

        impl JobName {
            /// Every job.
            pub const ALL: &'static [Self] = &[$(Self::$job),*];

            /// The name in requests and results.
            pub fn name(self) -> &'static str {
                match self { $(Self::$job => $name,)* }
            }

            /// One line for people.
            pub fn summary(self) -> &'static str {
                match self { $(Self::$job => $summary,)* }
            }

            /// Its evaluator; None if both can.
            pub fn evaluator(self) -> Option<Evaluator> {
                match self { $(Self::$job => $evaluator,)* }
            }
        }
    };
}

jobs! {
    Sum "sum" Some(Evaluator::Seal), "Slot by slot over all frames";
    Mean "mean" Some(Evaluator::Seal), "Slot by slot over all frames";
    Weighted "weighted" Some(Evaluator::Seal), "Slot by slot, each frame times its weight";
    Dot "dot" Some(Evaluator::Seal), "Weights times the sum of all frames, row by row";
    Total "total" Some(Evaluator::Seal), "Sum of each row";
    Histogram "histogram" None, "How many readings fell into each bucket; integers and TFHE only";
    Inner "inner" Some(Evaluator::Seal), "Weights times each row, plus bias";
    Linear "linear" Some(Evaluator::Seal), "Score of each row by a linear model";
    Logistic "logistic" Some(Evaluator::Seal), "Score of each row by a logistic model; its owner takes the sigmoid";
    Sigmoid "sigmoid" Some(Evaluator::Seal), "As logistic, with a cubic for the sigmoid on the server";
    Filter "filter" Some(Evaluator::Seal), "Taps times the latest values, along each row; coefficients only";
    Correlation "correlation" Some(Evaluator::Seal), "A template times the values under it, along each row; coefficients only";
    MovingAverage "moving-average" Some(Evaluator::Seal), "Mean of a window, along each row; coefficients only";
    Alarm "alarm" Some(Evaluator::TfheRs), "Whether any value is above or below a threshold";
    Minimum "minimum" Some(Evaluator::TfheRs), "The smallest value";
    Maximum "maximum" Some(Evaluator::TfheRs), "The largest value";
    Argmin "argmin" Some(Evaluator::TfheRs), "Where the smallest value is, and it";
    Argmax "argmax" Some(Evaluator::TfheRs), "Where the largest value is, and it";
    Count "count" Some(Evaluator::TfheRs), "How many values are above or below a threshold";
    Tree "tree" Some(Evaluator::TfheRs), "The leaf of a decision tree that each row reaches";
}

impl JobName {
    /// The job of that name, if any.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|job| job.name() == name)
    }

    /// Whether it needs rotations.
    pub fn rotates(self) -> bool {
        self.evaluator() != Some(Evaluator::TfheRs)
            && !matches!(self, Self::Sum | Self::Mean | Self::Weighted)
            && !self.takes_coefficients_alone()
    }

    /// Whether it takes frames of coefficients and no others.
    pub fn takes_coefficients_alone(self) -> bool {
        matches!(self, Self::Filter | Self::Correlation | Self::MovingAverage)
    }

    /// Whether every frame has a result of its own.
    pub fn is_per_frame(self) -> bool {
        self.takes_coefficients_alone()
            || (self.rotates() && !matches!(self, Self::Histogram | Self::Dot))
    }

    /// Whether it takes a model, and gives each frame a result for every output of it.
    pub fn takes_model(self) -> bool {
        Job::of_model(self).is_some()
    }

    /// Whether every row has values of its own: one, or one for each output of a model.
    pub fn is_per_row(self) -> bool {
        (self.is_per_frame() && !self.takes_coefficients_alone()) || self == Self::Tree
    }

    /// Whether it multiplies ciphertexts.
    pub fn multiplies(self) -> bool {
        self == Self::Sigmoid
    }

    /// Whether it takes frames of slots and no others.
    pub fn takes_slots_alone(self) -> bool {
        matches!(self, Self::Histogram | Self::Sigmoid)
    }

    /// Whether it is computed on integers of BFV.
    fn is_exact(self) -> bool {
        matches!(
            self,
            Self::Sum
                | Self::Weighted
                | Self::Total
                | Self::Histogram
                | Self::Inner
                | Self::Filter
                | Self::Correlation
        )
    }

    /// The set of keys for the job where nobody asks for another.
    pub fn usual_set(self) -> &'static str {
        match (self, self.evaluator()) {
            (Self::Sigmoid, _) => "ckks-8192x6-multiply",
            (Self::Histogram, _) => "bfv-4096x2-linear",
            (_, Some(Evaluator::TfheRs)) => "tfhe-2048-tfhe-rs",
            _ if self.takes_coefficients_alone() => "ckks-2048x2-air",
            _ => USUAL_SET,
        }
    }

    /// Refuses a set under whose keys no server computes the job, and names one that has it.
    ///
    /// # Errors
    /// [`Error::SetWithoutJob`].
    pub fn check_keys(self, set: AnySet) -> Result<()> {
        let why = match (self.evaluator(), set) {
            (Some(Evaluator::Seal), AnySet::Tfhe(_)) => "it takes frames of CKKS or BFV",
            (Some(Evaluator::TfheRs), AnySet::Rns(_)) => "it takes frames of TFHE",
            (_, AnySet::Tfhe(set)) if set.message_bits != 2 => "the set is for TFHEpp",
            (_, AnySet::Tfhe(_)) => return Ok(()),
            (_, AnySet::Rns(set)) => match self.lack_of(set) {
                Some(why) => why,
                None => return Ok(()),
            },
        };
        Err(Error::SetWithoutJob {
            job: self.name(),
            set: set.name(),
            why,
            example: self.usual_set(),
        })
    }

    /// The property that a set of CKKS or BFV lacks for the job.
    fn lack_of(self, set: &ParameterSet) -> Option<&'static str> {
        let (is_real, primes) = (set.scheme() == Scheme::Ckks, set.data_primes.len());
        let in_slots = self.takes_slots_alone() || !set.name.ends_with("-air");
        let lacks = [
            (is_real && self == Self::Histogram, "it counts integers"),
            (!is_real && !self.is_exact(), "it works on real numbers"),
            (
                self.multiplies() && primes < SIGMOID_PRIMES,
                "it takes four data primes or more",
            ),
            (
                self.rotates() && in_slots && !set.key_switching,
                "it takes evaluation keys, and the set has none",
            ),
        ];
        let first = lacks.into_iter().find(|(lacks, _)| *lacks);
        first.map(|(_, why)| why)
    }

    /// Refuses keys of the other evaluator, and says which keys the job needs.
    fn check_evaluator(self, set: AnySet) -> Result<()> {
        let (evaluator, scheme) = match (self.evaluator(), set) {
            (Some(Evaluator::Seal), AnySet::Tfhe(_)) => ("Microsoft SEAL", "CKKS or BFV"),
            (Some(Evaluator::TfheRs), AnySet::Rns(_)) => ("tfhe-rs", "TFHE"),
            _ => return Ok(()),
        };
        Err(Error::OtherEvaluator {
            job: self.name(),
            evaluator,
            scheme,
            set: set.name(),
            example: self.usual_set(),
        })
    }

    /// Refuses a set under which the job is not computed, or not by this build.
    ///
    /// # Errors
    /// [`Error::OtherEvaluator`], [`Error::WithoutTfhe`], [`Error::TfheppSet`]; [`Error::Parameter`] of the job.
    pub fn check(self, set: AnySet) -> Result<()> {
        self.check_evaluator(set)?;
        let job = self.name();
        match set {
            AnySet::Tfhe(_) if !cfg!(feature = "tfhe") => Err(Error::WithoutTfhe { job }),
            AnySet::Tfhe(set) if set.message_bits != 2 => {
                Err(Error::TfheppSet { set: set.name, job })
            }
            AnySet::Tfhe(_) => Ok(()),
            AnySet::Rns(set) => self.check_scheme(set.scheme()),
        }
    }

    fn check_scheme(self, scheme: Scheme) -> Result<()> {
        let problem = match scheme {
            Scheme::Ckks if self == Self::Histogram => {
                "histogram counts integers; allowed are sets that begin with bfv-".to_owned()
            }
            Scheme::Bfv if !self.is_exact() => format!(
                "{} works on real numbers; allowed under a set of integers are sum, weighted, total, histogram, and on \
                 coefficients inner, filter and correlation",
                self.name()
            ),
            _ => return Ok(()),
        };
        Err(Error::parameter("job", problem))
    }
}

/// A job with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// The sum of all frames, slot by slot.
    Sum,
    /// The mean of all frames, slot by slot.
    Mean,
    /// A weighted sum, slot by slot; a weight for each frame, in the order of device, epoch and sequence.
    Weighted(Vec<f64>),
    /// A weighted sum, slot by slot; weights come with the frames, as multiples of 2^-bits (0 under a set of integers).
    Weighed(u8),
    /// Weights times each row of the sum of all frames.
    Dot(Vec<f64>),
    /// The sum of each row.
    Total,
    /// Number of readings in each bucket, each reading a block of slots (BFV).
    Buckets,
    /// Number of values between these ascending edges (TFHE).
    Histogram(Vec<i128>),
    /// Weights times each row, plus bias.
    Inner(Model),
    /// The score of each row.
    Linear(Model),
    /// The score of each row; its owner takes the sigmoid.
    Logistic(Model),
    /// The score of each row, with a cubic for the sigmoid.
    Sigmoid(Model),
    /// Taps of a filter, that of the latest value first.
    Filter(Vec<f64>),
    /// A template that is moved along each row.
    Correlation(Vec<f64>),
    /// Values of a window that is moved along each row.
    MovingAverage(u32),
    /// Whether any value is on that side, with `true` for each value.
    Alarm(Threshold, bool),
    /// The smallest value.
    Minimum,
    /// The largest value.
    Maximum,
    /// Index of the smallest value, and the value.
    Argmin,
    /// Index of the largest value, and the value.
    Argmax,
    /// Number of values on that side.
    Count(Threshold),
    /// The leaf that each row reaches.
    Tree(DecisionTree),
}

impl Job {
    /// A job that has no parameters; None for the others.
    pub fn plain(name: JobName) -> Option<Self> {
        let plain = [
            Self::Sum,
            Self::Mean,
            Self::Total,
            Self::Minimum,
            Self::Maximum,
            Self::Argmin,
            Self::Argmax,
        ];
        plain.into_iter().find(|job| job.name() == name)
    }

    /// Makes the job from its only parameter, numbers; None for jobs with other parameters.
    pub fn of_weights(name: JobName) -> Option<fn(Vec<f64>) -> Self> {
        match name {
            JobName::Weighted => Some(Self::Weighted),
            JobName::Dot => Some(Self::Dot),
            JobName::Filter => Some(Self::Filter),
            JobName::Correlation => Some(Self::Correlation),
            _ => None,
        }
    }

    /// Makes the job from its only parameter, a model; None for jobs with other parameters.
    pub fn of_model(name: JobName) -> Option<fn(Model) -> Self> {
        match name {
            JobName::Inner => Some(Self::Inner),
            JobName::Linear => Some(Self::Linear),
            JobName::Logistic => Some(Self::Logistic),
            JobName::Sigmoid => Some(Self::Sigmoid),
            _ => None,
        }
    }

    /// Its parameters, for digests and files.
    pub(crate) fn parameters(&self) -> Parameters<'_> {
        match self {
            Self::Sum
            | Self::Mean
            | Self::Total
            | Self::Buckets
            | Self::Minimum
            | Self::Maximum
            | Self::Argmin
            | Self::Argmax => Parameters::Nothing,
            Self::Weighted(numbers)
            | Self::Dot(numbers)
            | Self::Filter(numbers)
            | Self::Correlation(numbers) => Parameters::Weights(numbers),
            Self::Weighed(bits) => Parameters::WeightBits(*bits),
            Self::MovingAverage(window) => Parameters::Window(*window),
            Self::Histogram(edges) => Parameters::Edges(edges),
            Self::Inner(model)
            | Self::Linear(model)
            | Self::Logistic(model)
            | Self::Sigmoid(model) => Parameters::Model(model),
            Self::Alarm(threshold, each) => Parameters::Alarm(*threshold, *each),
            Self::Count(threshold) => Parameters::Threshold(*threshold),
            Self::Tree(tree) => Parameters::Tree(tree),
        }
    }

    /// Results that each frame has: one, or one for each output of a model.
    pub fn outputs(&self) -> usize {
        match self.parameters() {
            Parameters::Model(model) => model.outputs.len(),
            _ => 1,
        }
    }

    /// An error of the output of that number, which it names if there are others.
    pub(crate) fn at_output(&self, output: usize, error: Error) -> Error {
        let Parameters::Model(model) = self.parameters() else {
            return error;
        };
        match (model.outputs.len(), &model.outputs[output].name[..]) {
            (1, _) => error,
            (_, "") => error.at(format!("output {output}")),
            (_, name) => error.at(format!("output {output} ({})", name.escape_default())),
        }
    }

    /// Bits behind the point of the integers by which its frames were multiplied.
    pub(crate) fn weight_bits(&self) -> u8 {
        match self {
            Self::Weighed(bits) => *bits,
            _ => 0,
        }
    }

    /// Its name.
    pub fn name(&self) -> JobName {
        match self {
            Self::Sum => JobName::Sum,
            Self::Mean => JobName::Mean,
            Self::Weighted(_) | Self::Weighed(_) => JobName::Weighted,
            Self::Dot(_) => JobName::Dot,
            Self::Total => JobName::Total,
            Self::Buckets | Self::Histogram(_) => JobName::Histogram,
            Self::Inner(_) => JobName::Inner,
            Self::Linear(_) => JobName::Linear,
            Self::Logistic(_) => JobName::Logistic,
            Self::Sigmoid(_) => JobName::Sigmoid,
            Self::Filter(_) => JobName::Filter,
            Self::Correlation(_) => JobName::Correlation,
            Self::MovingAverage(_) => JobName::MovingAverage,
            Self::Alarm(..) => JobName::Alarm,
            Self::Minimum => JobName::Minimum,
            Self::Maximum => JobName::Maximum,
            Self::Argmin => JobName::Argmin,
            Self::Argmax => JobName::Argmax,
            Self::Count(_) => JobName::Count,
            Self::Tree(_) => JobName::Tree,
        }
    }
}

/// Parameters by their kind: what a request's digest and its file hold besides the name. A job whose parameters are of a kind
/// that is here needs no code there; the compiler refuses a new kind until both write it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Parameters<'a> {
    Nothing,
    Weights(&'a [f64]),
    WeightBits(u8),
    Window(u32),
    Edges(&'a [i128]),
    Model(&'a Model),
    Threshold(Threshold),
    Alarm(Threshold, bool),
    Tree(&'a DecisionTree),
}

/// A job, as it is asked for. Bounds, scales and the arrangement of values follow from the frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The job.
    pub job: Job,
    /// Whether a model takes frames that do not say what their columns are, if their number is right.
    pub unnamed_columns: bool,
    /// The owner's challenge, which the results repeat.
    pub challenge: Option<[u8; size::CHALLENGE]>,
}

impl Request {
    /// Whether the one result is made of the sum of all frames of CKKS or BFV.
    pub fn is_aggregate(&self) -> bool {
        matches!(self.job, Job::Sum | Job::Mean | Job::Buckets | Job::Dot(_))
    }

    /// A job on frames that say what they hold, without a challenge.
    pub fn new(job: Job) -> Self {
        Self {
            job,
            unnamed_columns: false,
            challenge: None,
        }
    }
}
