//! Comparisons with a number in the clear.

/// Which values a comparison is true of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Larger than the threshold.
    Above,
    /// Smaller than the threshold.
    Below,
}

/// A number in the clear, and the side that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// Within the type of the values.
    pub value: i128,
    /// Above or below it.
    pub side: Side,
}
