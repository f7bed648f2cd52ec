//! A frame whose coefficients travel rounded, in the terms of jobs.

use crate::claims::Claims;

/// Claims of a frame whose coefficients travelled rounded. Value (r, c) is coefficient stride*r + c; nothing is known of others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded {
    /// Bound, scale, rows and key.
    pub claims: Claims,
    /// Low bits that c0 and c1 lost.
    pub dropped: [u8; 2],
}
