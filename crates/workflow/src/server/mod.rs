//! The server's side, in the order of the data: frames are read, authenticated, admitted, accumulated, computed on, and sealed.

pub(crate) mod accumulate;
pub(crate) mod admit;
pub(crate) mod aggregation;
#[cfg(feature = "arguments")]
pub(crate) mod arguments;
pub(crate) mod authenticate;
pub(crate) mod backend;
pub(crate) mod compute;
pub(crate) mod evaluation;
pub(crate) mod folder;
pub(crate) mod inbox;
pub(crate) mod partial_state;
pub(crate) mod read;
pub(crate) mod seal;
