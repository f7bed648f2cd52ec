//! All tests of the crate from outside, as one program.

mod aside;
mod histories;
mod known_answers;
mod refusals;
mod support;
