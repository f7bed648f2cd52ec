//! Named jobs on encrypted bits and integers, with lookups of tfhe-rs's bootstrap: alarms, extremes, counts, histograms, decision
//! trees. All of them work in several threads; each thread looks up batches by itself.

mod alarm;
mod compare;
mod contest;
mod count;
mod extreme;
mod extremum;
mod fold;
mod gather;
mod job;
mod tree;
mod value;

pub use alarm::Alarm;
pub use count::{Count, Histogram};
pub use extreme::{Argument, Extreme};
pub use extremum::Extremum;
pub use fold::Fold;
pub use job::{BitsJob, Session, Values};
pub use value::BitsInput;
