//! Evaluation of jobs on stored frames.

pub(crate) mod request;
pub(crate) mod stored_frames;
pub(crate) mod worker;
