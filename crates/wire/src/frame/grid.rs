//! Rows and columns of values in the places of a plaintext: value (r, c) is at place stride*r + c (`spec/wire.md`, sections 1
//! and 3).

/// Rows of equal length, a stride apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Rows, at least 1.
    pub rows: u32,
    /// Values of a row, at least 1.
    pub columns: u32,
    /// Places from row to row, at least the columns.
    pub stride: u32,
}

impl Grid {
    /// The grid of `count` places in rows that begin `stride` apart; the last row ends with the last place. Both are at least 1.
    pub fn of(count: u32, stride: u32) -> Self {
        let rows = count.div_ceil(stride);
        Self {
            rows,
            columns: count - (rows - 1) * stride,
            stride,
        }
    }

    /// Number of values.
    pub fn values(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// Places from the first value to the last one, both included.
    pub fn reach(self) -> u64 {
        u64::from(self.stride) * u64::from(self.rows.max(1) - 1) + u64::from(self.columns)
    }

    /// Row and column of each value, in order.
    pub fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| (row, column)))
    }

    /// The place of each value, in order, of a grid that begins at place `first`.
    pub fn places(self, first: u32) -> impl Iterator<Item = usize> {
        self.cells()
            .map(move |(row, column)| first as usize + (row * self.stride + column) as usize)
    }
}
