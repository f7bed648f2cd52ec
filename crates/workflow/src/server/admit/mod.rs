//! The third room: each authentic frame is admitted once, or rejected with its bytes and the reason.

pub(crate) mod admission;
pub(crate) mod admitted_frames;
pub(crate) mod batch_admission;
pub(crate) mod packets;
pub(crate) mod quarantine;
pub(crate) mod workers;
