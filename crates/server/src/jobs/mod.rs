//! Jobs and queries: requests, their queue, and what came of them.

pub(crate) mod queries;
pub(crate) mod queue;
pub(crate) mod state;
