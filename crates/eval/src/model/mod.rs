//! Models that a server evaluates: linear and logistic scores, thresholds, and decision trees.

pub(crate) mod file;
pub(crate) mod linear;
pub(crate) mod threshold;
pub(crate) mod tree;
