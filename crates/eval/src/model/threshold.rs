//! Thresholds: comparisons with a number in the clear.

/// Values for which a comparison is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Values larger than the threshold.
    Above,
    /// Values smaller than the threshold.
    Below,
}

/// A number in the clear, and the side that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// Number within the type of the values.
    pub value: i128,
    /// Side of it, above or below.
    pub side: Side,
}
