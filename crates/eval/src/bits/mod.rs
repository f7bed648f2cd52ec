//! Named jobs on encrypted bits and integers, with tfhe-rs: alarms, extremes, counts, histograms, decision trees.

mod alarm;
mod count;
mod error;
mod extreme;
mod job;
mod numbers;
mod tree;

pub use alarm::Alarm;
pub use count::{Count, Histogram};
pub use error::BitsError;
pub use extreme::{Argument, Extreme, Which};
pub use job::{BitsJob, Session};
pub use tree::{DecisionTree, Node, TREE_BYTES};

/// A comparison with a number in the clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Larger than the threshold.
    Above,
    /// Smaller than the threshold.
    Below,
}
