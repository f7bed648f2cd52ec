//! Opened results: their values, where each is from, and values in slots of a large ring.

pub(crate) mod extreme;
pub(crate) mod opened;
pub(crate) mod position;
pub(crate) mod readings;
