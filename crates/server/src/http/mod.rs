//! The interface over HTTP.

pub(crate) mod backup;
pub(crate) mod damage;
pub(crate) mod dashboard;
pub(crate) mod descriptors;
pub(crate) mod jobs;
pub(crate) mod listener;
pub(crate) mod metrics;
pub(crate) mod readiness;
pub(crate) mod tls;
pub(crate) mod totals;
