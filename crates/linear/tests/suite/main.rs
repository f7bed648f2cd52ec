//! All tests of the crate from outside, as one program.

mod coefficients;
mod kernels;
mod merge;
mod seal;
mod sum;
mod support;
