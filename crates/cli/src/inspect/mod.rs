//! Facts about files, for `isopod inspect`.

pub(crate) mod counts;
pub(crate) mod facts;
pub(crate) mod owners;
pub(crate) mod packets;
pub(crate) mod pads;
pub(crate) mod tfhe_facts;
