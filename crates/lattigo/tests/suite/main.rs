//! All tests of the crate from outside, as one program.

mod hostile;
mod lattigo;
mod support;
