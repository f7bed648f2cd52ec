#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod calls;
mod changes;
#[cfg(target_family = "wasm")]
mod entropy;
#[cfg(target_family = "wasm")]
mod memory;
mod steps;

pub use calls::run;
pub use steps::{Chunks, Refusal};
