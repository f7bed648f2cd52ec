//! Rows of frames that a sum of columns takes.

use crate::{Error, Result};

/// Most entries of a mask: no frame has more rows.
const MOST: usize = 1 << 16;

/// Selection of rows, the same in every frame: row r is taken if entry r, modulo their number, is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowMask(Vec<bool>);

impl RowMask {
    /// All rows.
    pub const ALL: Self = Self(Vec::new());

    /// The selection of these entries; no entries select every row.
    ///
    /// # Errors
    /// [`Error::Length`] for more than 65,536 entries, or if none of them is set.
    pub fn new(entries: Vec<bool>) -> Result<Self> {
        let (found, set) = (entries.len(), entries.contains(&true));
        if found <= MOST && (set || found == 0) {
            return Ok(Self(entries));
        }
        let allowed = format!("1 to {MOST} entries, one of them set");
        Err(Error::length("rows", found, allowed))
    }

    /// The entries; none if every row is taken.
    pub fn entries(&self) -> &[bool] {
        &self.0
    }

    /// Whether a row is taken.
    pub fn takes(&self, row: usize) -> bool {
        self.0.is_empty() || self.0[row % self.0.len()]
    }

    /// Rows that are taken of the first `rows`.
    pub fn count(&self, rows: u32) -> u32 {
        let count = |rows: usize| (0..rows).filter(|&row| self.takes(row)).count() as u32;
        match u32::try_from(self.0.len()) {
            Ok(period @ 1..) => {
                rows / period * count(period as usize) + count((rows % period) as usize)
            }
            _ => rows,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::RowMask;

    #[test]
    fn a_mask_repeats() {
        let mask = RowMask::new(vec![true, false, false]).unwrap();
        let taken: Vec<usize> = (0..8).filter(|&row| mask.takes(row)).collect();
        assert_eq!(taken, [0, 3, 6]);
        for rows in 0..20 {
            let wanted = (0..rows as usize).filter(|&row| mask.takes(row)).count();
            assert_eq!(mask.count(rows) as usize, wanted, "{rows}");
        }
        assert_eq!(RowMask::ALL.count(u32::MAX), u32::MAX);
        assert!(RowMask::new(vec![false; 4]).is_err());
        assert!(RowMask::new(vec![true; (1 << 16) + 1]).is_err());
    }
}
