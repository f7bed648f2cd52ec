//! Jobs on frames whose values are coefficients (`spec/coefficients.md`): sums, and products of rows by public weights, with
//! neither rotations nor evaluation keys.

mod answer;
mod estimate;
mod job;
mod rounded;

pub use answer::{Answer, Evaluation};
pub use job::{droppable, CoefficientJob, CoefficientPlan, Places};
pub use rounded::Rounded;
