#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod contexts;
mod derived;
mod error;
mod pending;
mod registered;
mod registry;
mod tag;
mod window;

pub use contexts::{sender, Contexts};
pub use derived::{seal_context, verify_context, ContextKey, PacketKeys};
pub use error::{PacketError, Result};
pub use pending::PendingPackets;
pub use registered::Registered;
pub use registry::{Registry, CONTEXTS_FILE};
pub use tag::{siphash_128, siphash_64};
pub use window::{Window, Windows};
