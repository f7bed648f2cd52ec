//! Named jobs on encrypted bits and integers, with tfhe-rs: alarms, extremes, counts, histograms, decision trees.

mod alarm;
mod count;
mod extreme;
mod job;
mod numbers;
mod tree;

pub use alarm::Alarm;
pub use count::{Count, Histogram};
pub use extreme::{Argument, Extreme, Which};
pub use job::{BitsJob, Session};
