//! Rows to slots. Several rows of a frame lie a stride apart, a power of two, so that a server can sum each by rotations.

use anyhow::{ensure, Result};

/// How rows lie in the slots of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing {
    /// Rows of each frame but the last.
    pub rows: usize,
    /// Slots from row to row.
    pub stride: usize,
}

impl Packing {
    /// As many rows as fit, or as many as asked for.
    pub fn new(columns: usize, slots: usize, rows: Option<usize>) -> Result<Self> {
        ensure!(
            (1..=slots).contains(&columns),
            "values: {columns} columns; allowed are 1 to {slots} for this set"
        );
        let stride = columns.next_power_of_two().max(2);
        let most = (slots / stride).max(1);
        let rows = rows.unwrap_or(most);
        ensure!(
            (1..=most).contains(&rows),
            "--rows-per-frame: {rows} is out of range; allowed is 1 to {most} for {columns} columns"
        );
        Ok(Self { rows, stride })
    }

    /// The slots of each frame; the end of its last row is its last slot.
    pub fn frames<'a>(
        &'a self,
        rows: &'a [Vec<f64>],
    ) -> impl ExactSizeIterator<Item = Vec<f64>> + 'a {
        rows.chunks(self.rows).map(|chunk| self.slots(chunk))
    }

    fn slots(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        let mut slots = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            slots.resize(number * self.stride, 0.0);
            slots.extend_from_slice(row);
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Packing;

    #[test]
    fn rows_lie_a_power_of_two_apart() {
        let packing = Packing::new(3, 16, None).unwrap();
        assert_eq!(packing, Packing { rows: 4, stride: 4 });
        let rows: Vec<Vec<f64>> = (0..5).map(|row| vec![f64::from(row); 3]).collect();
        let frames: Vec<Vec<f64>> = packing.frames(&rows).collect();
        assert_eq!(
            frames[0],
            [0., 0., 0., 0., 1., 1., 1., 0., 2., 2., 2., 0., 3., 3., 3.]
        );
        assert_eq!(frames[1], [4., 4., 4.]);
    }

    #[test]
    fn limits_are_named() {
        assert_eq!(Packing::new(16, 16, None).unwrap().rows, 1);
        let error = Packing::new(17, 16, None).unwrap_err().to_string();
        assert_eq!(
            error,
            "values: 17 columns; allowed are 1 to 16 for this set"
        );
        let error = Packing::new(5, 16, Some(3)).unwrap_err().to_string();
        assert!(
            error.contains("3 is out of range; allowed is 1 to 2"),
            "{error}"
        );
    }
}
