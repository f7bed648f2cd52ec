#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod measure;
pub mod model;
mod operation;
pub mod page;
mod pair;
mod record;
pub mod table;
mod timer;

pub use measure::{alone, of_this_process, Group, Plan, Side};
pub use operation::{degree, set_at, Operation, Scheme, DEGREES};
pub use pair::{Pair, Slots};
pub use record::{Machine, Peak, Record, Run, Skipped, Spread, VERSION};
