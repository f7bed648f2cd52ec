#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod error;
mod inputs;
mod keys;
mod message;
mod process;
mod question;
mod size;

pub use backend::{Answer, Backend, KeySet, Number, Options, Stage, LATTIGO};
pub use error::{Error, Result};
pub use keys::{generate, SEED_BYTES};
pub use question::{Count, Histogram, Plan, Promise, Question, Side, MOST_EDGES};
#[doc(hidden)]
pub use size::INSECURE;
pub use size::{Size, SIZES};
