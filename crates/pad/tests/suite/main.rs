//! All tests of the crate from outside, as one program.
#![allow(clippy::unwrap_used)]

mod known_answers;
mod refusals;
mod sums;
mod support;
