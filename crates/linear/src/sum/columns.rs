//! Sums of the rows of a frame in coefficients (`spec/coefficients.md`, section 1): a product by the sum of X^(-stride*r).

use std::collections::BTreeMap;

use isopod_wire::Grid;

use super::rows::RowMask;
use crate::coefficients::Weights;
use crate::{Result, Ring};

/// Polynomials that are kept. Frames of a fleet have few numbers of rows: full frames, and the last one of each table.
const KEPT: usize = 16;

/// The product that brings all rows of a frame onto its first one.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    rows: RowMask,
    /// Polynomials by numbers of rows.
    kept: BTreeMap<u32, Weights>,
}

impl Columns {
    /// Sums over the rows of a mask.
    pub fn new(rows: RowMask) -> Self {
        Self {
            rows,
            kept: BTreeMap::new(),
        }
    }

    /// Multiplies c0 of each prime, then c1 of each prime, in NTT order.
    ///
    /// # Errors
    /// The errors of [`Weights::multiply`].
    pub fn add_rows(&mut self, ring: &Ring, grid: Grid, residues: &mut [Vec<u64>]) -> Result<()> {
        if grid.rows == 1 && self.rows.takes(0) {
            return Ok(());
        }
        if self.kept.len() >= KEPT && !self.kept.contains_key(&grid.rows) {
            self.kept.clear();
        }
        if !self.kept.contains_key(&grid.rows) {
            let weights = ring.weights(&self.terms(ring.degree(), grid))?;
            self.kept.insert(grid.rows, weights);
        }
        let weights = &self.kept[&grid.rows];
        let mut polynomials = residues.chunks_mut(ring.moduli().len());
        polynomials.try_for_each(|polynomial| weights.multiply(polynomial))
    }

    /// X^(-d) is -X^(n-d).
    fn terms(&self, degree: usize, grid: Grid) -> Vec<(usize, i64)> {
        let taken = (0..grid.rows as usize).filter(|&row| self.rows.takes(row));
        let term = |row: usize| match row * grid.stride as usize {
            0 => (0, 1),
            distance => (degree - distance, -1),
        };
        taken.map(term).collect()
    }
}
