#![doc = include_str!("../README.md")]

mod border;
mod ciphertext;
mod context;
mod conversion;
mod error;
mod evaluator;
mod image;
mod keys;
mod material;
mod owner;
mod parameters;
mod residues;

pub use ciphertext::{Ciphertext, Residues};
pub use context::{Context, Plaintext};
pub use error::Error;
pub use evaluator::Evaluator;
pub use image::{image, seeded_image, Generator, MaskSeed};
pub use keys::evaluation_keys::EvaluationKeys;
pub use keys::galois::{galois_element, rotation_step};
pub use material::{KeyMaterial, KeySwitchingKey};
#[cfg(feature = "owner")]
pub use owner::peer;
#[cfg(feature = "owner")]
pub use owner::secret_key::SecretKey;
pub use parameters::Parameters;

/// Version of SEAL that is linked, and whether Intel's kernels are in it: `4.0.0 without HEXL`.
pub fn seal_version() -> String {
    border::ffi::version()
}
