//! The two extremes.

/// Extreme that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extremum {
    /// Smallest value.
    Minimum,
    /// Largest value.
    Maximum,
}
