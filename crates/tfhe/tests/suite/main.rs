//! All tests of the crate from outside, as one program.

#[cfg(feature = "native")]
mod device;
#[cfg(feature = "native")]
mod native;
mod support;
mod tfhepp;
mod vectors;
