//! Health of the server, as its operators see it: whether it is ready, why not, and its metrics.

pub(crate) mod broker;
pub(crate) mod disk;
pub(crate) mod exposition;
pub(crate) mod metrics;
pub(crate) mod process;
pub(crate) mod readiness;
