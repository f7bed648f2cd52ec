//! Results and partial states, with the frames that entered them.

pub(crate) mod decoding;
pub(crate) mod encrypted;
pub(crate) mod manifest;
pub(crate) mod origins;
pub(crate) mod partial;
pub(crate) mod provenance;
