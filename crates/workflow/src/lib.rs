#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ciphertexts;
mod device;
mod error;
mod evaluate;
mod frames;
mod items;
mod job;
#[cfg(feature = "owner")]
mod keygen;
#[cfg(feature = "owner")]
mod owner;
mod packed;
mod progress;
#[cfg(feature = "owner")]
mod publish;
mod readings;
mod server;

pub use device::{AnySuite, Choices, Device, Sender};
pub use error::{Class, Error, Result};
pub use evaluate::{Evaluated, Summary};
pub use frames::{Frame, Inbox};
pub use isopod_eval::{DecisionTree, Model, Side, Threshold};
pub use items::Items;
pub use job::{Evaluator, Job, JobName, Request};
#[cfg(feature = "owner")]
pub use keygen::{Made, NewDevice, NewKeys, Shape};
#[cfg(feature = "owner")]
pub use owner::{coefficients, Opened, Owner, Results, Values};
pub use progress::{Progress, Report, Stage};
#[cfg(feature = "owner")]
pub use publish::{Declaration, Published, Publisher};
pub use readings::{Message, Packing, Readings};
pub use server::Server;
