//! The server's memory of frames: which were seen, in which answers, and how many answers there were.
//!
//! Frames of a device are judged as packets of a connection are (`[RFC6479]`): by the newest one, and a window below it. Frames
//! that are known are kept as ranges, so that a device that counts one by one takes one range, however many it sent.

mod book;
mod ranges;
mod store;
mod window;

pub use store::{Judge, Replay, REPLAY_FILE};
pub use window::WINDOW;
