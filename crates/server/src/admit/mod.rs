//! Admission: who sends, and which items may be stored.

pub(crate) mod access;
pub(crate) mod admission;
pub(crate) mod attempts;
pub(crate) mod refusal;
pub(crate) mod room;
pub(crate) mod spill;
pub(crate) mod uplinks;
