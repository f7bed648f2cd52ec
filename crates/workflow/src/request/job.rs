//! Jobs that a server computes, with their parameters.

use isopod_eval::{DecisionTree, Model, Threshold};
use isopod_lattigo::Table;
use isopod_linear::RowMask;
use isopod_wire::codes::size;

use crate::request::descriptor::JobName;
use crate::request::threshold::{RealEdges, RealThreshold};
use crate::Error;

/// A job with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// The sum of each column, over the rows of all frames that a mask selects.
    ColumnSum(RowMask),
    /// The mean of each column likewise.
    ColumnMean(RowMask),
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
    /// Number of values between these ascending edges, of TFHE or of merged frames.
    Histogram(Vec<i128>),
    /// Number of real readings between these ascending edges, of merged frames.
    HistogramReal(RealEdges),
    /// Weights times each row, plus bias.
    Inner(Model),
    /// The score of each row.
    Linear(Model),
    /// The score of each row; its owner takes the sigmoid.
    Logistic(Model),
    /// The score of each row, with a cubic for the sigmoid; of merged frames with a polynomial that is as precise as is asked.
    Sigmoid(Model),
    /// The scores of each row by a network of one hidden layer, of merged frames.
    Network(Model),
    /// Leaves that each row reaches in decision trees on real numbers, of merged frames.
    Forest(Model),
    /// The output with the largest score of each row, of merged frames.
    Classify(Model),
    /// The variance of columns, by their numbers, of merged frames.
    Variance(Vec<u32>),
    /// The covariance of two columns likewise.
    Covariance(Vec<u32>),
    /// The entry of each reading on a grid, of merged frames.
    Table(Table),
    /// Taps of a filter, that of the latest value first.
    Filter(Vec<f64>),
    /// A template that is moved along each row.
    Correlation(Vec<f64>),
    /// Values of a window that is moved along each row.
    MovingAverage(u32),
    /// Whether any value is on that side, with `true` for each value.
    Alarm(Threshold, bool),
    /// Whether each real reading is on that side, of merged frames, which take `true` alone.
    AlarmReal(RealThreshold, bool),
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
    /// Number of real readings on that side, of merged frames.
    CountReal(RealThreshold),
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

    /// Makes the job from its only parameter, a selection of rows; None for jobs with other parameters.
    pub fn of_rows(name: JobName) -> Option<fn(RowMask) -> Self> {
        match name {
            JobName::ColumnSum => Some(Self::ColumnSum),
            JobName::ColumnMean => Some(Self::ColumnMean),
            _ => None,
        }
    }

    /// The rows that it adds up; None for jobs that do not add up rows.
    pub fn rows(&self) -> Option<RowMask> {
        match self {
            Self::ColumnSum(rows) | Self::ColumnMean(rows) => Some(rows.clone()),
            _ => None,
        }
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

    /// Makes the job from its only parameter, numbers of columns; None for jobs with other parameters.
    pub fn of_columns(name: JobName) -> Option<fn(Vec<u32>) -> Self> {
        match name {
            JobName::Variance => Some(Self::Variance),
            JobName::Covariance => Some(Self::Covariance),
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
            JobName::Network => Some(Self::Network),
            JobName::Forest => Some(Self::Forest),
            JobName::Classify => Some(Self::Classify),
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
            Self::ColumnSum(rows) | Self::ColumnMean(rows) => Parameters::Rows(rows),
            Self::Weighted(numbers)
            | Self::Dot(numbers)
            | Self::Filter(numbers)
            | Self::Correlation(numbers) => Parameters::Weights(numbers),
            Self::Variance(columns) | Self::Covariance(columns) => Parameters::Columns(columns),
            Self::Weighed(bits) => Parameters::WeightBits(*bits),
            Self::MovingAverage(window) => Parameters::Window(*window),
            Self::Histogram(edges) => Parameters::Edges(edges),
            Self::HistogramReal(edges) => Parameters::RealEdges(edges),
            Self::Inner(model)
            | Self::Linear(model)
            | Self::Logistic(model)
            | Self::Sigmoid(model)
            | Self::Network(model)
            | Self::Forest(model)
            | Self::Classify(model) => Parameters::Model(model),
            Self::Alarm(threshold, each) => Parameters::Alarm(*threshold, *each),
            Self::AlarmReal(threshold, each) => Parameters::RealAlarm(*threshold, *each),
            Self::Count(threshold) => Parameters::Threshold(*threshold),
            Self::CountReal(threshold) => Parameters::RealThreshold(*threshold),
            Self::Tree(tree) => Parameters::Tree(tree),
            Self::Table(table) => Parameters::Table(table),
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
            Self::ColumnSum(_) => JobName::ColumnSum,
            Self::ColumnMean(_) => JobName::ColumnMean,
            Self::Sum => JobName::Sum,
            Self::Mean => JobName::Mean,
            Self::Weighted(_) | Self::Weighed(_) => JobName::Weighted,
            Self::Dot(_) => JobName::Dot,
            Self::Total => JobName::Total,
            Self::Buckets | Self::Histogram(_) | Self::HistogramReal(_) => JobName::Histogram,
            Self::Inner(_) => JobName::Inner,
            Self::Linear(_) => JobName::Linear,
            Self::Logistic(_) => JobName::Logistic,
            Self::Sigmoid(_) => JobName::Sigmoid,
            Self::Network(_) => JobName::Network,
            Self::Forest(_) => JobName::Forest,
            Self::Classify(_) => JobName::Classify,
            Self::Variance(_) => JobName::Variance,
            Self::Covariance(_) => JobName::Covariance,
            Self::Filter(_) => JobName::Filter,
            Self::Correlation(_) => JobName::Correlation,
            Self::MovingAverage(_) => JobName::MovingAverage,
            Self::Alarm(..) | Self::AlarmReal(..) => JobName::Alarm,
            Self::Minimum => JobName::Minimum,
            Self::Maximum => JobName::Maximum,
            Self::Argmin => JobName::Argmin,
            Self::Argmax => JobName::Argmax,
            Self::Count(_) | Self::CountReal(_) => JobName::Count,
            Self::Tree(_) => JobName::Tree,
            Self::Table(_) => JobName::Table,
        }
    }
}

/// Parameters by their kind: what a request's digest and its file hold besides the name. A job whose parameters are of a kind
/// that is here needs no code there; the compiler refuses a new kind until both write it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Parameters<'a> {
    Nothing,
    Rows(&'a RowMask),
    Weights(&'a [f64]),
    WeightBits(u8),
    Window(u32),
    Columns(&'a [u32]),
    Edges(&'a [i128]),
    RealEdges(&'a RealEdges),
    Model(&'a Model),
    Threshold(Threshold),
    RealThreshold(RealThreshold),
    Alarm(Threshold, bool),
    RealAlarm(RealThreshold, bool),
    Tree(&'a DecisionTree),
    Table(&'a Table),
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
            || self.job.rows().is_some()
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
