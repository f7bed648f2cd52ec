//! Packets of a radio, and the contexts that say once what all of them hold (`spec/packet.md`).

pub(crate) mod context;
pub(crate) mod form;
pub(crate) mod prefix;
