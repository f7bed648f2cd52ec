#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod advice;
#[cfg(feature = "tfhe")]
pub mod bits;
mod bound;
mod capacity;
mod claims;
mod coefficients;
mod dot;
mod error;
mod exact;
mod histogram;
mod inner_product;
mod job;
mod model;
mod noise;
mod plan;
mod real;
mod scoring;
mod sigmoid;
mod sums;
mod threads;
mod threshold;
mod total;
mod tree;
mod weighed;

pub use advice::Advice;
pub use bound::rounded_up;
pub use capacity::Capacity;
pub use claims::{Claims, Key};
pub use coefficients::{
    droppable, Answer, CoefficientJob, CoefficientPlan, Evaluation, Places, Rounded,
};
pub use dot::Dot;
pub use error::Error;
pub use histogram::Histogram;
pub use inner_product::InnerProduct;
pub use job::{Aggregate, Input, Job, Output, Workspace};
pub use model::{Model, ModelKind, MODEL_BYTES};
pub use plan::{Plan, Shape};
pub use scoring::Scoring;
pub use sigmoid::{SigmoidScoring, SIGMOID_CUBIC, SIGMOID_ERROR, SIGMOID_PRIMES, SIGMOID_RANGE};
pub use sums::{Mean, Sum, WeightedSum};
pub use threads::in_order;
pub use threshold::{Side, Threshold};
pub use total::Total;
pub use tree::{DecisionTree, Node, TREE_BYTES};
pub use weighed::{Weighed, WEIGHT_BITS};
