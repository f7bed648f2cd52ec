//! Claims of a frame about its values: what estimates start from.

/// Key under which a frame was encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Public key, whose noise is larger by sqrt(1 + 4n/3).
    Public,
    /// Secret key.
    Secret,
}

/// Claims of a frame about its values, under its tag. Value (r, c) is in slot stride*r + c; the slots between rows and behind
/// them are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claims {
    /// Bound on every |value|: positive, an integer in BFV.
    pub bound: f64,
    /// Factor by which the values are multiplied; 1 in BFV.
    pub scale: f64,
    /// Data primes that it is encrypted under.
    pub primes: usize,
    /// Key that it is encrypted under.
    pub key: Key,
    /// Whether a dither rounded the encoding, without bias and anew in every frame; otherwise it was rounded to the nearest, and
    /// frames of equal values are off by the same. False in BFV and for coefficients.
    pub dithered: bool,
    /// Rows, at least 1.
    pub rows: usize,
    /// Values of a row, 1 to `stride`.
    pub columns: usize,
    /// Slots from row to row.
    pub stride: usize,
    /// Slots of one reading: 1, or the buckets of a one-hot block, which divide the columns.
    pub buckets: usize,
    /// Frames with these claims in one sum, at least 1; 1 where every frame has a result of its own.
    pub frames: u64,
}

impl Claims {
    /// Slots up to the last value.
    pub fn count(&self) -> usize {
        (self.rows.max(1) - 1)
            .saturating_mul(self.stride)
            .saturating_add(self.columns)
    }

    /// Slots that are added up for the sum of a row: its stride or, of a single row, the next power of two.
    pub(crate) fn block(&self) -> usize {
        match self.rows {
            1 => self.columns.next_power_of_two(),
            _ => self.stride,
        }
    }
}
