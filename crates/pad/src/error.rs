//! Why packets do not enter a sum, and why a sum is not opened.

use isopod_wire::WireError;
use thiserror::Error;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, PadError>;

/// Reason of a refusal. Whatever is refused changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PadError {
    /// A value that is not there, or not as it must be.
    #[error("{field}: {found}; allowed is {allowed}")]
    Field {
        /// Its name.
        field: &'static str,
        /// Its value, or what is there in its place.
        found: String,
        /// Its values.
        allowed: String,
    },
    /// A packet that entered twice, or what no result holds.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A sum that may have left the range of its integers.
    #[error("sum: may be as large as {most}; allowed is less than {half}, so take fewer packets, smaller weights or wider integers")]
    Overflow {
        /// The sum of |weight| times bound.
        most: u128,
        /// Half of the modulus.
        half: u64,
    },
    /// A pad that a range key does not hold.
    #[error("sequence: {sequence} of device {device}, epoch {epoch} is outside of the range key; allowed are its own sequences")]
    Outside {
        /// The device.
        device: u64,
        /// The epoch.
        epoch: u32,
        /// The sequence.
        sequence: u64,
    },
}

impl PadError {
    pub(crate) fn field(field: &'static str, found: impl ToString, allowed: impl ToString) -> Self {
        Self::Field {
            field,
            found: found.to_string(),
            allowed: allowed.to_string(),
        }
    }
}
