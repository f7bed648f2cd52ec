//! Packets of a radio, and the contexts that say once what all of them hold (`spec/packet.md`).

pub(crate) mod context;
pub(crate) mod described;
pub(crate) mod device_item;
pub(crate) mod header;
pub(crate) mod prefix;
pub(crate) mod submission;
pub(crate) mod tfhe_described;
