//! Places of pads, and whoever has some.

use isopod_wire::PadDescription;
use zeroize::Zeroizing;

use crate::{PadError, Result};

/// Whoever has pads.
pub trait Pads {
    /// The pad of a sequence: a number for each column, below 2^(8 width).
    ///
    /// # Errors
    /// [`PadError::Outside`]; [`PadError::Field`] for an epoch that has none.
    fn pad(&mut self, place: &PadPlace<'_>) -> Result<Zeroizing<Vec<u32>>>;
}

/// The place of a pad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PadPlace<'a> {
    /// Contents of the context.
    pub description: &'a PadDescription,
    /// The device.
    pub device: u64,
    /// The epoch.
    pub epoch: u32,
    /// The sequence.
    pub sequence: u64,
}

impl PadPlace<'_> {
    pub(crate) fn outside(&self) -> PadError {
        PadError::Outside {
            device: self.device,
            epoch: self.epoch,
            sequence: self.sequence,
        }
    }
}
