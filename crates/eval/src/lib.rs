#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "tfhe")]
pub mod bits;
mod error;
mod exact;
mod inner_product;
mod job;
mod model;
mod noise;
mod reduce;
mod scoring;
mod sigmoid;
mod sums;
mod total;

pub use error::Error;
pub use exact::{ExactSum, ExactTotal, ExactWeightedSum, Histogram};
pub use inner_product::InnerProduct;
pub use job::{Answer, Input, Job, Layout, Workspace};
pub use model::{Model, ModelKind, MODEL_BYTES};
pub use reduce::Precision;
pub use scoring::Scoring;
pub use sigmoid::{SigmoidScoring, SIGMOID_CUBIC, SIGMOID_ERROR, SIGMOID_RANGE};
pub use sums::{Mean, Sum, WeightedSum};
pub use total::Total;
