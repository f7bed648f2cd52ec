#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod aggregation;
mod alike;
mod asked;
mod batches;
mod ciphertexts;
mod coefficients;
mod description;
mod desk;
mod device;
mod error;
mod evaluate;
mod feed;
#[cfg(feature = "owner")]
mod fleet;
mod frames;
mod hash;
mod inbox;
mod intake;
mod items;
mod job;
#[cfg(feature = "owner")]
mod keygen;
mod names;
#[cfg(feature = "owner")]
mod owner;
mod packed;
#[cfg(feature = "owner")]
mod places;
mod pot;
mod progress;
mod public_key;
#[cfg(feature = "owner")]
mod publish;
mod readings;
mod request_file;
#[cfg(feature = "owner")]
mod results;
mod server;
mod set_aside;
mod stamp;

pub use aggregation::{Aggregation, Group};
pub use description::Description;
pub use device::{AnySuite, Choices, Contents, Device, Sender};
pub use error::{Class, Error, Result};
pub use evaluate::{Answer, Evaluated, Summary};
pub use feed::Source;
#[cfg(feature = "owner")]
pub use fleet::Joining;
pub use frames::Frame;
pub use inbox::Inbox;
pub use isopod_device::Values as Borrowed;
pub use isopod_eval::{DecisionTree, Model, Side, Threshold};
#[cfg(feature = "owner")]
pub use isopod_keys::Novelty;
pub use items::Items;
pub use job::{Evaluator, Job, JobName, Request, USUAL_SET};
#[cfg(feature = "owner")]
pub use keygen::{check_server_keys, Made, NewDevice, NewKeys, Shape};
#[cfg(feature = "owner")]
pub use owner::{coefficients, Opened, Owner, Values};
#[cfg(feature = "owner")]
pub use places::Place;
pub use progress::{Progress, Report, Stage};
pub use public_key::check_mask;
#[cfg(feature = "owner")]
pub use publish::{Declaration, Published, Publisher};
pub use readings::{Message, Packing, Readings};
#[cfg(feature = "owner")]
pub use results::{Missing, Results};
pub use server::Server;
pub use set_aside::{Quarantine, Rejected, Tally, Unfinished};
