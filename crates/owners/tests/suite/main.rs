//! Several owners of one key: shares, contributions, and what does not open.

mod answers;
mod changes;
mod known_answers;
mod shares;
mod support;
