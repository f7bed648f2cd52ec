//! Refusals of items.

use isopod_wire::FrameId;

use crate::problem::{chain, field_of, Problem};

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

/// Field of the refusal of what could not be handed to a topic: its sender tries again.
const UNAVAILABLE: &str = "kafka";

impl Refusal {
    /// A refusal that says nothing about the item.
    pub fn unavailable(problem: Problem) -> Self {
        Self {
            field: UNAVAILABLE.to_owned(),
            detail: problem.detail,
            frame: None,
        }
    }

    /// The answer to the sender where the item may be sent again; none for an item that is refused.
    pub fn busy(&self) -> Option<Problem> {
        let is_busy = self.field == UNAVAILABLE;
        is_busy.then(|| Problem::busy(UNAVAILABLE, self.detail.clone()))
    }

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
