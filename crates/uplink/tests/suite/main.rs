//! All tests of the crate from outside, as one program.

mod arbitrary;
mod documents;
mod refusals;
mod table;
