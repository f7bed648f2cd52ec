//! The interface over HTTP.

pub(crate) mod dashboard;
pub(crate) mod jobs;
pub(crate) mod listener;
pub(crate) mod tls;
pub(crate) mod totals;
