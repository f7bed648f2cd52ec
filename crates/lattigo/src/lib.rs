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

pub use backend::{Answer, Backend, KeySet, Options, Piece, Stage, LATTIGO};
pub use error::{Error, Result};
pub use keys::{generate, SEED_BYTES};
pub use question::covariance::{Covariance, MOST_PAIRS};
pub use question::decision::{Decision, Leaf, MOST_LEAVES, MOST_NODES, MOST_PATH};
pub use question::network::{Hidden, Network, Unit, MOST_HIDDEN, MOST_OUTPUTS};
pub use question::plan::{Each, Plan, Promise, Question, COEFFICIENT};
pub use question::polynomial::Activation;
pub use question::table::{Occurrences, Table, MOST_ENTRIES, MOST_VALUE};
pub use question::threshold::{Alarm, Count, Histogram, Side, MOST_EDGES};
pub use size::{Size, SIZES};
#[doc(hidden)]
pub use size::{INSECURE, INSECURE_TABLES};
