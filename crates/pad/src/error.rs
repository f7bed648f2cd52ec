//! Why an item, a packet or a sum is refused.

use thiserror::Error;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, PadError>;

/// Reason of a refusal. Whatever is refused changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PadError {
    /// A field of an item or packet that is not there, or not as it must be.
    #[error("{field}: {found}; allowed is {allowed}")]
    Field {
        /// Its name.
        field: &'static str,
        /// Its value, or what is there in its place.
        found: String,
        /// Its values.
        allowed: String,
    },
    /// A false tag.
    #[error(
        "tag: does not verify; the bytes were changed, or are of another context, key or name"
    )]
    Tag,
    /// A name that entered a sum twice.
    #[error("sequence: {sequence} of epoch {epoch} occurs twice; allowed is each packet once")]
    Repeated {
        /// The epoch.
        epoch: u32,
        /// The sequence.
        sequence: u64,
    },
    /// A sum that may have left the range of its integers.
    #[error("sum: may be as large as {most}; allowed is less than {bound}, so take fewer packets or wider integers")]
    Overflow {
        /// The sum of weight times bound.
        most: u128,
        /// Half of the modulus.
        bound: u64,
    },
    /// A pad that a range key does not open.
    #[error("sequence: {sequence} of epoch {epoch} is outside of the range key; allowed are its own sequences")]
    Outside {
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
