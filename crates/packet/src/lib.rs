#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod aside;
mod contexts;
mod derived;
mod error;
mod registered;
mod tag;
mod window;

pub use aside::Aside;
pub use contexts::Contexts;
pub use derived::{seal_context, ContextKey, PacketKeys};
pub use error::{PacketError, Result};
pub use registered::Registered;
pub use tag::{siphash_128, siphash_64};
pub use window::{Window, Windows};
