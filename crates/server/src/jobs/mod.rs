//! Jobs: requests and their queue.

pub(crate) mod queue;
pub(crate) mod state;
