//! Errors: each names the field, the value found and what is allowed.

use thiserror::Error;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Reason why residues were refused. A refused operation changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A modulus that the kernels do not compute with.
    #[error("modulus: {found}; allowed are odd primes from 3 to 2^61 - 1")]
    Modulus {
        /// The modulus.
        found: u64,
    },
    /// A root of another order.
    #[error("root: {found} modulo {modulus}; allowed is a primitive root of unity of order 2n = {order}")]
    Root {
        /// The number.
        found: u64,
        /// The modulus.
        modulus: u64,
        /// Twice the ring degree.
        order: usize,
    },
    /// A length that does not fit.
    #[error("{field}: {found} bytes or elements; allowed is {allowed}")]
    Length {
        /// Field of the wrong length.
        field: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits, or what it is a multiple of.
        allowed: String,
    },
    /// A field outside of its range.
    #[error("{field}: {found}; allowed is {allowed}")]
    Allowed {
        /// The field.
        field: &'static str,
        /// Its value.
        found: String,
        /// The range.
        allowed: String,
    },
    /// A frame or a state that does not belong to the aggregate.
    #[error("{field}: differs from that of the aggregate; allowed are frames and states of one job, set, key and arrangement")]
    Differs {
        /// Field that differs.
        field: &'static str,
    },
    /// A frame that would enter with a weight of zero.
    #[error("weight: 0; allowed are integers of 32 bits other than 0, as a frame of weight 0 does not enter")]
    Weight,
    /// A frame that entered before, or frames of two states that overlap.
    #[error(transparent)]
    Wire(#[from] isopod_wire::WireError),
    /// A residue that is not below its prime.
    #[error("residues: position {position} of prime {prime} is out of range; allowed is 0 to {prime} - 1")]
    Residue {
        /// The modulus.
        prime: u64,
        /// Position of the residue in its polynomial.
        position: usize,
    },
}

impl Error {
    pub(crate) fn allowed(
        field: &'static str,
        found: impl ToString,
        allowed: impl ToString,
    ) -> Self {
        Self::Allowed {
            field,
            found: found.to_string(),
            allowed: allowed.to_string(),
        }
    }

    pub(crate) fn length(field: &'static str, found: usize, allowed: impl ToString) -> Self {
        Self::Length {
            field,
            found,
            allowed: allowed.to_string(),
        }
    }
}
