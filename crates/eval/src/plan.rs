//! Plans: what an output will be, computed from claims alone before any work.

use crate::claims::Claims;
use crate::Error;
use isopod_seal::{Ciphertext, Evaluator};

/// Shape of an output: value (r, c) is in slot stride*r + c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows, at least 1.
    pub rows: usize,
    /// Values of a row.
    pub columns: usize,
    /// Slots from row to row, at least `columns`.
    pub stride: usize,
}

impl Shape {
    /// Shape of a sum slot by slot: of frames that have one layout, the longest.
    pub(crate) fn longest(frames: &[Claims]) -> Self {
        let rows = frames.iter().map(|frame| frame.rows).max();
        Self {
            rows: rows.unwrap_or(1),
            columns: frames[0].columns,
            stride: frames[0].stride,
        }
    }

    /// Shape of one value per row.
    pub(crate) fn of_rows(frame: &Claims) -> Self {
        Self {
            rows: frame.rows,
            columns: 1,
            stride: frame.stride,
        }
    }

    /// Number of values.
    pub fn values(&self) -> usize {
        self.rows * self.columns
    }

    /// The slots of the values, row by row.
    pub fn slots(self) -> impl Iterator<Item = usize> {
        (0..self.rows)
            .flat_map(move |row| (0..self.columns).map(move |column| self.stride * row + column))
    }
}

/// One output of a job, before it is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Bound on every |value|.
    pub bound: f64,
    /// Distance that no value is off by, at six deviations; 0 for integers.
    pub error: f64,
    /// Where the values are.
    pub shape: Shape,
    /// Scale of plaintext factors; 1 without any.
    pub(crate) weight_scale: f64,
    /// Divisions by the last prime, after the job's own.
    pub(crate) rescales: usize,
    /// Primes that are left in the end.
    pub(crate) primes: usize,
}

impl Plan {
    /// Brings a computed ciphertext to the smallest modulus that holds it.
    pub(crate) fn shrink(
        &self,
        evaluator: Evaluator<'_>,
        ciphertext: &mut Ciphertext,
    ) -> Result<(), Error> {
        for _ in 0..self.rescales {
            evaluator.rescale(ciphertext)?;
        }
        if self.primes < ciphertext.primes() {
            evaluator.switch_to(ciphertext, self.primes)?;
        }
        Ok(())
    }
}
