#![doc = include_str!("../README.md")]

mod border;
mod ciphertext;
mod context;
mod error;
mod evaluator;
mod export;
mod galois;
mod image;
mod integers;
mod keys;
mod material;
#[cfg(feature = "owner")]
mod owner;
mod parameters;
#[cfg(feature = "owner")]
pub mod peer;
mod residues;
mod wire;

pub use ciphertext::{Ciphertext, Residues};
pub use context::{Context, Plaintext};
pub use error::Error;
pub use evaluator::Evaluator;
pub use galois::{galois_element, rotation_step};
pub use image::{image, seeded_image, Generator, MaskSeed};
pub use keys::EvaluationKeys;
pub use material::{KeyMaterial, KeySwitchingKey};
#[cfg(feature = "owner")]
pub use owner::SecretKey;
pub use parameters::Parameters;

/// Version of SEAL that is linked, and whether Intel's kernels are in it: `4.0.0 without HEXL`.
pub fn seal_version() -> String {
    border::ffi::version()
}
