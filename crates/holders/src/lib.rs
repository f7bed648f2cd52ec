#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answers;
mod ceremony;
mod change;
mod error;
mod fingerprint;
mod held;
mod received;

pub use answers::{numbers, on_board, Answer};
pub use ceremony::{announce, go_on, Step};
pub use change::ending::{end_share, note_ended};
pub use change::newcomer::take_over;
pub use change::refresh::{refresh_shares, RefreshStep};
pub use change::replacement::{replace_holder, Replacement, ReplacementStep};
pub use error::{HoldersError, Result};
pub use fingerprint::spoken;
pub use held::check_held;
