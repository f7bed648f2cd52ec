//! All tests of the crate from outside, as one program.

mod device;
mod hostile;
mod lattigo;
mod support;
mod tables;
