//! Jobs on values in slots.

pub(crate) mod columns;
pub(crate) mod dot;
pub(crate) mod histogram;
pub(crate) mod inner_product;
pub(crate) mod job;
pub(crate) mod scoring;
pub(crate) mod sigmoid;
pub(crate) mod sums;
pub(crate) mod total;
pub(crate) mod weighed;
