#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod board;
mod change;
mod choice;
mod circuit;
mod combination;
mod contribution;
mod error;
mod fraction;
mod mask;
mod part;
mod polynomial;

pub use board::BoardNoise;
pub use change::{change_digest, replacement_session, Dealer, Helper};
pub use choice::{least_set, Wishes};
pub use circuit::{Circuit, Plan};
pub use combination::combine;
pub use contribution::{contribute, Answering, Contributor};
pub use error::{OwnersError, Result};
pub use mask::{is_masked, MaskedResult};
pub use part::{commitment, joint_public, mask_seed, HolderPart};
pub use polynomial::{add, pack_polynomial, unpack_polynomial, Polynomial};
