#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod count;
mod error;
mod keys;
mod message;
mod process;
mod size;

pub use backend::{Answer, Backend, KeySet, Options, Stage, LATTIGO};
pub use count::{Count, CountPlan, Side};
pub use error::{Error, Result};
pub use keys::{generate, SEED_BYTES};
#[doc(hidden)]
pub use size::INSECURE;
pub use size::{Size, SIZES};
