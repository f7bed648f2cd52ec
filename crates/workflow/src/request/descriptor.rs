//! The descriptor of each job: name, meaning in words, and what it takes. Command line, server, Python, page and documents take
//! their lists from here.

use isopod_eval::SIGMOID_PRIMES;
use isopod_linear::Proof;
use isopod_wire::{AnySet, ParameterSet, Scheme, JOBS_OF_OWNERS};

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
    /// Lattigo, on merged frames.
    Lattigo,
}

/// Values that a job answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One result for all frames.
    AllFrames,
    /// One value for each row of each frame.
    EachRow,
    /// Values along each row of each frame.
    AlongRows,
    /// One value for each reading of each frame.
    EachReading,
}

/// Layouts of CKKS and BFV frames that a job takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layouts {
    /// Slots alone.
    Slots,
    /// Rounded coefficients alone.
    Coefficients,
    /// Either, all frames alike.
    Either,
    /// None: it takes TFHE frames.
    Neither,
}

/// Numbers that a job of CKKS and BFV computes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Real numbers of CKKS.
    Real,
    /// Integers of BFV.
    Integers,
    /// Either.
    Both,
}

/// Evaluation keys of a job on slots; on coefficients no job needs any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// None.
    None,
    /// Rotations.
    Rotations,
    /// Rotations and products of ciphertexts.
    Products,
    /// The server key of TFHE.
    Bootstrapping,
}

/// Parameters of a job, by the names of the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Options {
    /// None.
    Nothing,
    /// `rows`, which may be left out.
    Rows,
    /// `weights`.
    Weights,
    /// `window`.
    Window,
    /// `edges`, under TFHE and of merged frames, there with `gap`.
    Edges,
    /// `model`.
    Model,
    /// `above` or `below`, and `gap` on merged frames.
    Threshold,
    /// `above` or `below`, `each`, and `gap` on merged frames.
    ThresholdEach,
    /// `tree`.
    Tree,
    /// `columns`, of merged frames.
    Columns,
    /// `table`, of merged frames.
    Table,
}

impl Options {
    /// Names of the options.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Nothing => &[],
            Self::Rows => &["rows"],
            Self::Weights => &["weights"],
            Self::Window => &["window"],
            Self::Edges => &["edges", "gap"],
            Self::Model => &["model", "unnamed_columns"],
            Self::Threshold => &["above", "below", "gap"],
            Self::ThresholdEach => &["above", "below", "each", "gap"],
            Self::Tree => &["tree"],
            Self::Columns => &["columns"],
            Self::Table => &["table"],
        }
    }
}

/// The descriptor of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// Name in requests and results.
    pub name: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// Evaluator; None if both can.
    pub evaluator: Option<Evaluator>,
    /// Values of its answer.
    pub scope: Scope,
    /// Layouts that it takes.
    pub layouts: Layouts,
    /// Numbers that it computes on; those of TFHE are integers besides.
    pub numbers: Numbers,
    /// Keys that it needs on slots.
    pub keys: Keys,
    /// Its parameters.
    pub options: Options,
}

/// Defines [`JobName`] and the descriptors by a table of one line for each job.
macro_rules! jobs {
    ($($job:ident $name:literal $evaluator:expr, $scope:ident $layouts:ident $numbers:ident $keys:ident $options:ident,
       $question:literal;)*) => {
        /// The name of a job.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum JobName { $(#[doc = $question] $job,)* }

        impl JobName {
            /// Every job.
            pub const ALL: &'static [Self] = &[$(Self::$job),*];

            /// Its descriptor.
            pub fn descriptor(self) -> Descriptor {
                match self {
                    $(Self::$job => Descriptor {
                        name: $name,
                        question: $question,
                        evaluator: $evaluator,
                        scope: Scope::$scope,
                        layouts: Layouts::$layouts,
                        numbers: Numbers::$numbers,
                        keys: Keys::$keys,
                        options: Options::$options,
                    },)*
                }
            }
        }
    };
}

const SEAL: Option<Evaluator> = Some(Evaluator::Seal);
const TFHE_RS: Option<Evaluator> = Some(Evaluator::TfheRs);
const LATTIGO: Option<Evaluator> = Some(Evaluator::Lattigo);

jobs! {
    ColumnSum "column-sum" SEAL, AllFrames Either Both Rotations Rows,
        "What is the sum of each column, over all rows of all frames?";
    ColumnMean "column-mean" SEAL, AllFrames Either Real Rotations Rows,
        "What is the mean of each column, over all rows of all frames?";
    Sum "sum" SEAL, AllFrames Either Both None Nothing,
        "What is the sum over frames at each place: row 1 with row 1, row 2 with row 2?";
    Mean "mean" SEAL, AllFrames Either Real None Nothing,
        "What is the mean over frames at each place: row 1 with row 1, row 2 with row 2?";
    Weighted "weighted" SEAL, AllFrames Either Both None Weights,
        "What is the sum over frames at each place, with a weight for each frame?";
    Dot "dot" SEAL, AllFrames Either Real Rotations Weights,
        "What do weights, one per column, make of each row of the sum of all frames?";
    Total "total" SEAL, EachRow Either Both Rotations Nothing,
        "What do the values of each row add up to?";
    Histogram "histogram" None, AllFrames Slots Integers Rotations Edges,
        "How many readings fall into each bucket?";
    Inner "inner" SEAL, EachRow Either Both Rotations Model,
        "What do weights, one per column, make of each row, plus bias?";
    Linear "linear" SEAL, EachRow Either Real Rotations Model,
        "What does a linear model predict for each row?";
    Logistic "logistic" SEAL, EachRow Either Real Rotations Model,
        "What does a logistic model predict for each row? The owner takes the sigmoid";
    Sigmoid "sigmoid" SEAL, EachRow Slots Real Products Model,
        "What does a logistic model predict for each row? The server takes a cubic for the sigmoid";
    Network "network" LATTIGO, EachRow Neither Real Bootstrapping Model,
        "What does a network of one hidden layer predict for each row?";
    Forest "forest" LATTIGO, EachRow Neither Real Bootstrapping Model,
        "What do the leaves of decision trees add up to, which each row reaches?";
    Classify "classify" LATTIGO, EachRow Neither Real Bootstrapping Model,
        "Which output of a linear model is the largest of each row, such as the nearest of several centres?";
    Variance "variance" LATTIGO, AllFrames Neither Real Bootstrapping Columns,
        "What is the variance of each of these columns, over all rows of all frames?";
    Covariance "covariance" LATTIGO, AllFrames Neither Real Bootstrapping Columns,
        "What is the covariance of two columns, over all rows of all frames?";
    Table "table" LATTIGO, EachReading Neither Real Bootstrapping Table,
        "Which entry of a table does each reading have, of integers or of others on a grid?";
    Filter "filter" SEAL, AlongRows Coefficients Both None Weights,
        "What does a filter make of the series in each row?";
    Correlation "correlation" SEAL, AlongRows Coefficients Both None Weights,
        "Where in the series of each row does a template occur?";
    MovingAverage "moving-average" SEAL, AlongRows Coefficients Real None Window,
        "What is the moving average of the series in each row?";
    Alarm "alarm" TFHE_RS, AllFrames Neither Integers Bootstrapping ThresholdEach,
        "Is any value above or below a threshold?";
    Minimum "minimum" TFHE_RS, AllFrames Neither Integers Bootstrapping Nothing,
        "What is the smallest value?";
    Maximum "maximum" TFHE_RS, AllFrames Neither Integers Bootstrapping Nothing,
        "What is the largest value?";
    Argmin "argmin" TFHE_RS, AllFrames Neither Integers Bootstrapping Nothing,
        "Where is the smallest value, and what is it?";
    Argmax "argmax" TFHE_RS, AllFrames Neither Integers Bootstrapping Nothing,
        "Where is the largest value, and what is it?";
    Count "count" TFHE_RS, AllFrames Neither Integers Bootstrapping Threshold,
        "How many values are above or below a threshold?";
    Tree "tree" TFHE_RS, EachRow Neither Integers Bootstrapping Tree,
        "Which leaf of a decision tree does each row reach?";
}

/// Names of the jobs that have a property, in words.
pub(crate) fn names(of: impl Fn(JobName) -> bool) -> String {
    let names: Vec<&str> = JobName::ALL
        .iter()
        .filter(|job| of(**job))
        .map(|job| job.name())
        .collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl JobName {
    /// The job of that name, if any.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|job| job.name() == name)
    }

    /// The name in requests and results.
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Its evaluator; None if both can.
    pub fn evaluator(self) -> Option<Evaluator> {
        self.descriptor().evaluator
    }

    /// Whether it needs rotations of slots.
    pub fn rotates(self) -> bool {
        matches!(self.descriptor().keys, Keys::Rotations | Keys::Products)
    }

    /// Whether it multiplies ciphertexts.
    pub fn multiplies(self) -> bool {
        self.descriptor().keys == Keys::Products
    }

    /// Whether it takes frames of coefficients and no others.
    pub fn takes_coefficients_alone(self) -> bool {
        self.descriptor().layouts == Layouts::Coefficients
    }

    /// Whether it takes frames of slots and no others.
    pub fn takes_slots_alone(self) -> bool {
        self.descriptor().layouts == Layouts::Slots
    }

    /// Whether every frame has a result of its own.
    pub fn is_per_frame(self) -> bool {
        self.evaluator() == SEAL && self.descriptor().scope != Scope::AllFrames
    }

    /// The linear tags of frames that, folded, prove its result under a set of integers (`spec/verify.md`, section 5).
    pub(crate) fn proof(self) -> Proof {
        match self {
            Self::Sum | Self::Weighted => Proof::Places,
            Self::ColumnSum | Self::Histogram => Proof::Columns,
            _ => Proof::Nothing,
        }
    }

    /// Whether it takes a model, and gives each frame a result for every output of it.
    pub fn takes_model(self) -> bool {
        self.descriptor().options == Options::Model
    }

    /// Whether every row has values of its own: one, or one for each output of a model.
    pub fn is_per_row(self) -> bool {
        self.descriptor().scope == Scope::EachRow
    }

    /// Whether every reading of merged frames has a value of its own.
    pub fn is_per_reading(self) -> bool {
        matches!(self, Self::Alarm | Self::Table)
    }

    /// Whether it looks for the place of the smallest or the largest value.
    fn is_place(self) -> bool {
        matches!(self, Self::Argmin | Self::Argmax)
    }

    /// Whether merged frames of integers answer it by how many there are of each.
    pub(crate) fn is_of_occurrences(self) -> bool {
        matches!(self, Self::Minimum | Self::Maximum)
    }

    /// Whether it adds up columns, over all rows of all frames.
    pub fn is_of_columns(self) -> bool {
        matches!(self, Self::ColumnSum | Self::ColumnMean)
    }

    /// Whether several owners open its results.
    pub fn opens_for_several(self) -> bool {
        JOBS_OF_OWNERS.contains(&self.name())
    }

    /// Whether it is computed on packets of pads: a sum of all, with weights or without.
    pub fn takes_pads(self) -> bool {
        matches!(self, Self::Sum | Self::Mean | Self::Weighted) || self.is_of_columns()
    }

    /// Whether it is computed on integers of BFV.
    fn is_exact(self) -> bool {
        self.descriptor().numbers != Numbers::Real
    }

    /// The set of keys for the job where nobody asks for another: the one with the smallest frames and answers, unless the job
    /// takes slots.
    pub fn usual_set(self) -> &'static str {
        match (self, self.evaluator()) {
            (Self::Sigmoid, _) => "ckks-8192x6-multiply",
            (Self::Histogram, _) => "bfv-4096x2-linear",
            (_, LATTIGO) => "ckks-2048x1-air",
            (_, TFHE_RS) => "tfhe-2048-tfhe-rs",
            _ if self.takes_coefficients_alone() || self.is_of_columns() => "ckks-2048x2-air",
            _ => USUAL_SET,
        }
    }

    /// Refuses a set under whose keys no server computes the job, and names one that has it.
    ///
    /// # Errors
    /// [`Error::SetWithoutJob`].
    pub fn check_keys(self, set: AnySet) -> Result<()> {
        let why = match (self.evaluator(), set) {
            (_, AnySet::Pads) if self.takes_pads() => return Ok(()),
            (_, AnySet::Pads) => "pads are taken off sums alone",
            (Some(Evaluator::Seal), AnySet::Tfhe(_)) => "it takes frames of CKKS or BFV",
            (_, AnySet::Rns(_)) if self.takes_merged(set) => return Ok(()),
            _ if self.evaluator() == LATTIGO => "it takes frames that are merged",
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
        if self.is_place() && Self::Alarm.takes_merged(set) {
            let problem = format!(
                "{} compares readings in rounds, each with levels of its own, and keys of a large ring have them for one; \
                 allowed on merged frames are minimum and maximum of integers, and alarm, which names places",
                self.name()
            );
            return Err(Error::parameter("job", problem));
        }
        let (evaluator, scheme) = match (self.evaluator(), set) {
            (_, AnySet::Pads) if self.takes_pads() => return Ok(()),
            (_, AnySet::Pads) => {
                return Err(Error::JobOfPads {
                    job: self.name(),
                    allowed: names(Self::takes_pads),
                })
            }
            (Some(Evaluator::Seal), AnySet::Tfhe(_)) => ("Microsoft SEAL", "CKKS or BFV"),
            (Some(Evaluator::TfheRs), AnySet::Rns(_)) if !self.takes_merged(set) => {
                ("tfhe-rs", "TFHE")
            }
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
    /// [`Error::OtherEvaluator`], [`Error::JobOfPads`], [`Error::WithoutTfhe`], [`Error::TfheppSet`]; [`Error::Parameter`] of the
    /// job.
    pub fn check(self, set: AnySet) -> Result<()> {
        self.check_evaluator(set)?;
        if self.evaluator() == LATTIGO {
            self.check_keys(set)?;
        }
        let job = self.name();
        match set {
            AnySet::Tfhe(_) if !cfg!(feature = "tfhe") => Err(Error::WithoutTfhe { job }),
            AnySet::Tfhe(set) if set.message_bits != 2 => {
                Err(Error::TfheppSet { set: set.name, job })
            }
            AnySet::Tfhe(_) => Ok(()),
            AnySet::Rns(_) if self.takes_merged(set) => Ok(()),
            AnySet::Rns(set) => self.check_scheme(set.scheme()),
            AnySet::Pads => Ok(()),
        }
    }

    fn check_scheme(self, scheme: Scheme) -> Result<()> {
        let problem = match scheme {
            Scheme::Ckks if self == Self::Histogram => {
                let sets = "sets that begin with bfv-, and ckks-2048x1-air for merged frames";
                format!("histogram counts integers; allowed are {sets}")
            }
            Scheme::Bfv if !self.is_exact() => format!(
                "{} works on real numbers; allowed under a set of integers are {}",
                self.name(),
                names(|job| job.evaluator() != TFHE_RS && job.is_exact())
            ),
            _ => return Ok(()),
        };
        Err(Error::parameter("job", problem))
    }
}
