//! A merged ciphertext, and which reading is in which of its coefficients.

use super::{LargeRing, MergedFrame, Reduction};
use crate::{Error, Result};
use isopod_wire::{Manifest, PartialHeader};

/// A ciphertext under s(X^k) whose coefficients are those of frames, in turn (`spec/merge.md`, section 3).
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// Fields in which the frames agree.
    pub header: PartialHeader,
    /// Degree n of the frames.
    pub degree: usize,
    /// Ring of the ciphertext.
    pub large: LargeRing,
    /// Modulus q of the frames.
    pub modulus: u64,
    /// N coefficients modulo q0.
    pub c0: Vec<u64>,
    /// N coefficients of c1 likewise.
    pub c1: Vec<u64>,
    /// The frames: coefficient j of frame i is coefficient j * N / n + i.
    pub frames: Vec<MergedFrame>,
    /// Six deviations of the noise of the noisiest frame, in units of its coefficients.
    pub noise: f64,
    /// The reduction in whose range values and noise are.
    pub reduction: Reduction,
}

/// A reading and its coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Coefficient of the merged ciphertext.
    pub coefficient: usize,
    /// Position of its frame among [`Merged::frames`].
    pub frame: usize,
    /// Row of the frame.
    pub row: u32,
    /// Column of the row.
    pub column: u32,
}

impl Merged {
    /// Every reading, frame by frame and row by row. Coefficients of no reading mean nothing.
    pub fn readings(&self) -> impl Iterator<Item = Reading> + '_ {
        let step = self.large.degree / self.degree;
        let frames = self.frames.iter().enumerate();
        frames.flat_map(move |(frame, MergedFrame { grid, .. })| {
            let places = grid.cells().zip(grid.places(0));
            places.map(move |((row, column), place)| Reading {
                coefficient: place * step + frame,
                frame,
                row,
                column,
            })
        })
    }

    /// The frames as a result names them.
    ///
    /// # Errors
    /// [`Error::Wire`], which a merge has refused before.
    pub fn manifest(&self) -> Result<Manifest> {
        let frames = self.frames.iter().map(|frame| (frame.id, frame.grid.rows));
        Manifest::of(frames).map_err(Error::from)
    }

    /// log2 of the largest bound of all frames.
    pub fn log2_bound(&self) -> i32 {
        let bounds = self.frames.iter().map(|frame| frame.log2_bound);
        bounds.max().unwrap_or(i32::MIN)
    }
}
