//! All tests of the crate from outside, as one program.

mod damage;
mod histories;
mod large;
mod log;
mod retention;
