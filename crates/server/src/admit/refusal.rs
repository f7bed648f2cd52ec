//! Refusals of items.

use isopod_wire::FrameId;

use crate::problem::{chain, field_of};

/// Why an item does not enter.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// Field that is wrong.
    pub field: String,
    /// Why, and what is allowed.
    pub detail: String,
    /// Name of the frame, once its tag is verified.
    pub frame: Option<FrameId>,
}

impl Refusal {
    /// A refusal by an error, whose message begins with the field.
    pub fn of(error: &(dyn std::error::Error + 'static), frame: Option<FrameId>) -> Self {
        let detail = chain(error);
        let field = field_of(&detail).to_owned();
        Self {
            field,
            detail,
            frame,
        }
    }
}
