//! Health of the server, as its operators see it: clock, disk, broker, and the numbers of its metrics.

pub(crate) mod broker;
pub(crate) mod clock;
pub(crate) mod condition;
pub(crate) mod disk;
pub(crate) mod exposition;
pub(crate) mod metrics;
pub(crate) mod process;
