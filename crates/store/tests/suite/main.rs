//! All tests of the crate from outside, as one program.

mod large;
mod log;
mod retention;
