#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod fault;
mod model;
mod names;
mod packets;
mod state;

pub use fault::{Fault, FAULTS};
pub use model::{Action, Bounds, Protocol};
pub use names::{names, of_key, Frames, Judge, Judgement, Name, DEVICES, SEQUENCES};
pub use packets::{PacketFault, PacketProtocol};
pub use state::{Device, Job, Promise, State};
