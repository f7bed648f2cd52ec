//! Admission: who sends, and which items may be stored.

pub(crate) mod access;
pub(crate) mod admission;
pub(crate) mod refusal;
