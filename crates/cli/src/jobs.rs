//! Named jobs from the command line.

use std::path::{Path, PathBuf};

use crate::tfhe::jobs::BitsChoice;
use anyhow::{bail, ensure, Context, Result};
use clap::{Args, ValueEnum};
use isopod_eval::{InnerProduct, Job, Mean, Model, Precision, Scoring, SigmoidScoring, Sum, Total};
use isopod_wire::AnySet;

/// What a server computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum JobName {
    /// Slot by slot over all frames
    Sum,
    /// Slot by slot over all frames
    Mean,
    /// Sum of each row
    Total,
    /// Weights times each row, plus bias
    Inner,
    /// Score of each row by a linear model
    Linear,
    /// Score of each row by a logistic model; its owner takes the sigmoid
    Logistic,
    /// As logistic, with a cubic for the sigmoid on the server
    Sigmoid,
    /// Whether any value is above or below a threshold
    Alarm,
    /// The smallest value
    Minimum,
    /// The largest value
    Maximum,
    /// Where the smallest value is, and it
    Argmin,
    /// Where the largest value is, and it
    Argmax,
    /// How many values are above or below a threshold
    Count,
    /// How many values are in each bin
    Histogram,
    /// The leaf of a decision tree that each row reaches
    Tree,
}

/// What computes a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Microsoft SEAL, on CKKS frames.
    Seal,
    /// tfhe-rs, on TFHE frames.
    TfheRs,
}

impl JobName {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Total => "total",
            Self::Inner => "inner",
            Self::Linear => "linear",
            Self::Logistic => "logistic",
            Self::Sigmoid => "sigmoid",
            Self::Alarm => "alarm",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Argmin => "argmin",
            Self::Argmax => "argmax",
            Self::Count => "count",
            Self::Histogram => "histogram",
            Self::Tree => "tree",
        }
    }

    /// What computes it.
    pub fn engine(self) -> Engine {
        match self {
            Self::Sum
            | Self::Mean
            | Self::Total
            | Self::Inner
            | Self::Linear
            | Self::Logistic
            | Self::Sigmoid => Engine::Seal,
            _ => Engine::TfheRs,
        }
    }

    /// Refuses a job on keys of the other engine, and says which keys it needs.
    pub fn check_set(self, set: AnySet) -> Result<()> {
        let (engine, scheme, example) = match self.engine() {
            Engine::Seal => ("Microsoft SEAL", "CKKS", "ckks-4096x2-linear"),
            Engine::TfheRs => ("tfhe-rs", "TFHE", "tfhe-2048-tfhe-rs"),
        };
        let fits = matches!(
            (self.engine(), set),
            (Engine::Seal, AnySet::Rns(_)) | (Engine::TfheRs, AnySet::Tfhe(_))
        );
        ensure!(
            fits,
            "--job: {} is computed by {engine} on {scheme} frames, but the keys are of {}; allowed are keys of a {scheme} set \
             such as {example}",
            self.name(),
            set.name()
        );
        Ok(())
    }

    /// Whether it needs rotations.
    pub fn rotates(self) -> bool {
        self.engine() == Engine::Seal && !matches!(self, Self::Sum | Self::Mean)
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
    /// No value is larger than 2 to this
    #[arg(long, default_value_t = 4, allow_hyphen_values = true, value_parser = clap::value_parser!(i8).range(-20..=40))]
    pub bound_bits: i8,
    /// The scale of weights is 2 to this
    #[arg(long, default_value_t = JobChoice::WEIGHT_BITS, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub weight_bits: u32,
    #[command(flatten)]
    pub bits: BitsChoice,
}

impl JobChoice {
    /// log2 of the weights' scale where none is given.
    pub const WEIGHT_BITS: u32 = 22;

    /// The job, ready to be checked and run.
    pub fn job(&self, slots: usize) -> Result<Box<dyn Job>> {
        let precision = Precision {
            largest_value: f64::from(self.bound_bits).exp2(),
            log2_weight_scale: self.weight_bits,
            ..Precision::default()
        };
        Ok(match self.job {
            JobName::Sum => Box::new(Sum { precision }),
            JobName::Mean => Box::new(Mean { precision }),
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
            other => bail!("--job: {} is a job of tfhe-rs", other.name()),
        })
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
