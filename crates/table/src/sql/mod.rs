//! SQL on tables: DataFusion with encrypted aggregates.

mod accumulator;
mod disk_store;
mod folding;
mod functions;
mod groups;
mod merged;
mod session;
mod shared;
mod sheet;

pub use session::{Cell, Limits, Row, Session};
