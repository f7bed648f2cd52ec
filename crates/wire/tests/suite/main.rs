//! All tests of the crate from outside, as one program.

mod malformed_others;
mod malformed_parts;
mod manifest;
mod owners;
mod packed;
mod pads;
mod partial;
mod round_trip;
mod smoke;
mod support;
mod tfhe;
