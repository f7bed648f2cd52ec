//! Linear tags at the owner (`spec/verify.md`): whether values are the sum of just the frames that a result names.
#![forbid(unsafe_code)]

mod claim;
mod field;
mod pads;

pub use claim::{Claim, ColumnClaim, Period};
pub use pads::{Pads, Shape};
