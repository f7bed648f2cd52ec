//! Pads: what their contexts say, packets that were opened, partial states, and results (`spec/pad.md`).

pub(crate) mod description;
pub(crate) mod frame;
pub(crate) mod grant;
pub(crate) mod partial;
pub(crate) mod result;
pub(crate) mod run;
