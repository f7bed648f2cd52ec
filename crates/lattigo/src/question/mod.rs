//! Questions about merged ciphertexts: what is asked, within which gap, and how far the answer may be off.

pub mod covariance;
pub mod decision;
pub mod network;
pub mod plan;
pub mod polynomial;
pub mod table;
pub mod threshold;
