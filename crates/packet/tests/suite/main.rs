//! All tests of the crate from outside, as one program.

mod histories;
mod known_answers;
mod pending;
mod refusals;
mod registry;
mod support;
