//! The first room: sources of bytes become batches of whole items.

pub(crate) mod batch;
pub(crate) mod batch_reader;
pub(crate) mod position;
