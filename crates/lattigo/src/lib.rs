#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod backend;
mod error;
mod inputs;
mod keys;
mod message;
mod network;
mod polynomial;
mod process;
mod question;
mod size;

pub use backend::{Answer, Backend, KeySet, Options, Piece, Stage, LATTIGO};
pub use error::{Error, Result};
pub use keys::{generate, SEED_BYTES};
pub use network::{Hidden, Network, Unit, MOST_HIDDEN, MOST_OUTPUTS};
pub use polynomial::Activation;
pub use question::{
    Alarm, Count, Each, Histogram, Plan, Promise, Question, Side, COEFFICIENT, MOST_EDGES,
};
#[doc(hidden)]
pub use size::INSECURE;
pub use size::{Size, SIZES};
