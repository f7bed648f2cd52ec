#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

#[cfg(target_family = "wasm")]
mod entropy;
#[cfg(target_family = "wasm")]
mod memory;
mod steps;

pub use steps::{run, Chunks, Refusal};
