//! The server's memory of frames: which were seen, in which answers, and how many answers there were.
//!
//! Frames of a device are judged as packets of a connection are (`[RFC6479]`): by the newest one, and a window below it. Frames
//! that are known are kept as ranges, so that a device that counts one by one takes one range, however many it sent. They lie in
//! a B-tree on disk, of which an answer reads and writes the pages of its own devices.

mod check;
mod entry;
mod file;
mod former;
mod ranges;
mod revocation;
mod seen;
mod snapshot;
mod store;
mod tables;
mod window;

pub use check::ReplayCheck;
pub use ranges::{append_number, take_number};
pub use revocation::{enter_revocations, revoke};
pub use seen::Seen;
pub use store::{Replay, REPLAY_FILE};
pub use window::WINDOW;

/// Most ranges of one device. Beyond them the oldest frames of the device are forgotten, and are stale: a forgotten range ends at
/// least 2 * 4096 frames below the newest of its epoch, or in an older epoch.
const MOST_RANGES: usize = 4096;

#[cfg(test)]
mod tests;
