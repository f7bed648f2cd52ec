//! One module per command: its arguments and its output.

pub mod bench;
pub mod completions;
pub mod demo;
pub mod device;
pub mod inspect;
pub mod man;
pub mod owner;
pub mod parameters;
pub mod server;
