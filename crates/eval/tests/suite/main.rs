//! All tests of the crate from outside, as one program.

mod coefficients;
#[cfg(feature = "tfhe")]
mod comparisons;
mod exact;
mod refusals;
mod scores;
mod sums;
mod support;
