//! Named jobs from the command line.

use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use clap::{Args, ValueEnum};
use isopod_eval::{
    ExactSum, ExactTotal, ExactWeightedSum, Histogram, InnerProduct, Job, Mean, Model, Precision,
    Scoring, SigmoidScoring, Sum, Total, WeightedSum,
};
use isopod_wire::{ParameterSet, Scheme};

/// What a server computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum JobName {
    /// Slot by slot over all frames
    Sum,
    /// Slot by slot over all frames
    Mean,
    /// Slot by slot, each frame times its weight
    Weighted,
    /// Sum of each row
    Total,
    /// How many readings fell into each bucket; integers only
    Histogram,
    /// Weights times each row, plus bias
    Inner,
    /// Score of each row by a linear model
    Linear,
    /// Score of each row by a logistic model; its owner takes the sigmoid
    Logistic,
    /// As logistic, with a cubic for the sigmoid on the server
    Sigmoid,
}

impl JobName {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Weighted => "weighted",
            Self::Total => "total",
            Self::Histogram => "histogram",
            Self::Inner => "inner",
            Self::Linear => "linear",
            Self::Logistic => "logistic",
            Self::Sigmoid => "sigmoid",
        }
    }

    /// Whether it needs rotations.
    pub fn rotates(self) -> bool {
        !matches!(self, Self::Sum | Self::Mean | Self::Weighted)
    }

    /// Whether it multiplies ciphertexts.
    pub fn multiplies(self) -> bool {
        self == Self::Sigmoid
    }
}

/// The job and what it may assume.
#[derive(Debug, Args)]
pub struct JobChoice {
    /// What to compute
    #[arg(long)]
    pub job: JobName,
    /// Weights and bias, for inner, linear, logistic and sigmoid
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Slots from row to row, for total [default: all slots are one row]
    #[arg(long)]
    pub stride: Option<usize>,
    /// One number per frame, in the order of device, epoch and sequence, comma separated, for weighted
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    pub weights: Vec<f64>,
    /// Slots of one reading, a power of two, for histogram: what `encrypt --buckets` printed
    #[arg(long)]
    pub buckets: Option<usize>,
    /// No value is larger than 2 to this
    #[arg(long, default_value_t = 4, allow_hyphen_values = true, value_parser = clap::value_parser!(i8).range(-20..=40))]
    pub bound_bits: i8,
    /// The scale of weights is 2 to this
    #[arg(long, default_value_t = JobChoice::WEIGHT_BITS, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub weight_bits: u32,
}

impl JobChoice {
    /// log2 of the weights' scale where none is given.
    pub const WEIGHT_BITS: u32 = 22;

    /// The job, ready to be checked and run.
    pub fn job(&self, set: &ParameterSet) -> Result<Box<dyn Job>> {
        match set.scheme() {
            Scheme::Ckks => self.approximate(set.slots()),
            Scheme::Bfv => self.exact(set.slots()),
        }
    }

    fn approximate(&self, slots: usize) -> Result<Box<dyn Job>> {
        let precision = Precision {
            largest_value: f64::from(self.bound_bits).exp2(),
            log2_weight_scale: self.weight_bits,
            ..Precision::default()
        };
        Ok(match self.job {
            JobName::Sum => Box::new(Sum { precision }),
            JobName::Mean => Box::new(Mean { precision }),
            JobName::Weighted => Box::new(WeightedSum {
                weights: self.weights()?.to_vec(),
                precision,
            }),
            JobName::Histogram => {
                bail!("--job: histogram counts integers; allowed are sets that begin with bfv-")
            }
            JobName::Total => Box::new(Total {
                stride: self.stride.unwrap_or(slots),
                precision,
            }),
            JobName::Inner => Box::new(inner(&self.model()?, precision)),
            JobName::Linear | JobName::Logistic => {
                Box::new(Scoring::new(&self.model()?, precision))
            }
            JobName::Sigmoid => Box::new(SigmoidScoring {
                scoring: Scoring::new(&self.model()?, precision),
            }),
        })
    }

    /// On integers, within the bound: 2 to --bound-bits.
    fn exact(&self, slots: usize) -> Result<Box<dyn Job>> {
        let largest = f64::from(self.bound_bits).exp2() as u64;
        Ok(match self.job {
            JobName::Sum => Box::new(ExactSum { largest }),
            JobName::Weighted => Box::new(ExactWeightedSum {
                weights: self.weights()?.iter().map(integer).collect::<Result<_>>()?,
                largest,
            }),
            JobName::Total => Box::new(ExactTotal {
                stride: self.stride.unwrap_or(slots / 2),
                largest,
            }),
            JobName::Histogram => Box::new(Histogram {
                buckets: self.buckets.context("--buckets: missing; histogram needs the slots of one reading")?,
            }),
            other => bail!(
                "--job: {} works on real numbers; allowed under a set of integers are sum, weighted, total and histogram",
                other.name()
            ),
        })
    }

    fn weights(&self) -> Result<&[f64]> {
        if self.weights.is_empty() {
            bail!("--weights: missing; weighted needs one number per frame");
        }
        Ok(&self.weights)
    }

    fn model(&self) -> Result<Model> {
        match &self.model {
            Some(path) => read_model(path),
            None => bail!(
                "--model: missing; {} needs a model file with weights and bias",
                self.job.name()
            ),
        }
    }
}

/// Beyond 2^53 not every integer is a float.
fn integer(weight: &f64) -> Result<i64> {
    if weight.fract() == 0.0 && weight.abs() <= 9_007_199_254_740_992.0 {
        return Ok(*weight as i64);
    }
    bail!("--weights: {weight} is no integer; allowed under a set of integers are integers up to 2^53")
}

fn inner(model: &Model, precision: Precision) -> InnerProduct {
    let stride = model.weights.len().next_power_of_two().max(2);
    InnerProduct {
        weights: model.weights.clone(),
        bias: model.bias,
        stride,
        precision,
    }
}

/// Reads a model file.
pub fn read_model(path: &Path) -> Result<Model> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Model::from_json(&text).with_context(|| path.display().to_string())
}
