//! Plans: what an output will be, computed from claims alone before any work.

use crate::claims::Claims;
use crate::Error;
use isopod_seal::{Ciphertext, Evaluator};

/// How far off values may be: in all, and the share that is a worst case.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Deviation {
    pub largest: f64,
    pub in_step: f64,
}

impl Deviation {
    /// Sum of both shares, each times a scale.
    pub fn new(in_step: f64, random: f64, scale: f64) -> Self {
        Self {
            largest: (in_step + random) / scale,
            in_step: in_step / scale,
        }
    }
}

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
    /// Distance that no value is off by but with a probability of 2 e^-18; 0 for integers.
    pub error: f64,
    /// The share of it that is a worst case: of roundings alike in all frames, which add up in step.
    pub in_step: f64,
    /// Factor of the values; 1 in BFV.
    pub scale: f64,
    /// Primes that are left in the end.
    pub primes: usize,
    /// Where the values are.
    pub shape: Shape,
    /// Scale of plaintext factors; 1 without any.
    pub(crate) weight_scale: f64,
    /// Divisions by the last prime, after the job's own.
    pub(crate) rescales: usize,
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
