//! All tests of the crate from outside, as one program.

mod blobs;
mod fleet;
mod folders;
mod holders;
mod receipts;
mod replay;
mod split;
mod state;
mod support;
mod tags;
mod vectors;
