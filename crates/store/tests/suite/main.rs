//! All tests of the crate from outside, as one program.

mod damage;
mod histories;
mod log;
mod retention;
mod upgrade;
