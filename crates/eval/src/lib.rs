#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod advice;
#[cfg(feature = "tfhe")]
pub mod bits;
mod bound;
mod capacity;
mod claims;
mod coefficients;
mod error;
mod model;
mod noise;
mod plan;
mod slots;
mod threads;

pub use advice::Advice;
pub use bound::rounded_up;
pub use capacity::Capacity;
pub use claims::{Claims, Key};
pub use coefficients::{
    droppable, Answer, CoefficientJob, CoefficientPlan, Evaluation, Places, Rounded,
};
pub use error::Error;
pub use model::file::MODEL_BYTES;
pub use model::forest::RealNode;
pub use model::linear::{Activation, HiddenLayer, Model, ModelKind, ModelOutput, MODEL_OUTPUTS};
pub use model::threshold::{Side, Threshold};
pub use model::tree::{DecisionTree, Node, TREE_BYTES};
pub use plan::{Plan, Shape};
pub use slots::columns::ColumnSum;
pub use slots::dot::Dot;
pub use slots::histogram::Histogram;
pub use slots::inner_product::InnerProduct;
pub use slots::job::{run_each, Aggregate, Input, Job, Load, Output, Workspace};
pub use slots::scoring::Scoring;
pub use slots::sigmoid::{
    SigmoidScoring, SIGMOID_CUBIC, SIGMOID_ERROR, SIGMOID_PRIMES, SIGMOID_RANGE,
};
pub use slots::sums::{Mean, Sum, WeightedSum};
pub use slots::total::Total;
pub use slots::weighed::{Weighed, WEIGHT_BITS};
pub use threads::{in_order, Progress};
