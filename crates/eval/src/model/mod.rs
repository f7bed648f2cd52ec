//! Models that a server evaluates: linear and logistic scores, forests, thresholds, and decision trees.

pub(crate) mod file;
pub(crate) mod forest;
pub(crate) mod linear;
pub(crate) mod threshold;
pub(crate) mod tree;
