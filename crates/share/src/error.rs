//! The reasons why a result is not published.

use thiserror::Error;

/// Result of every call of this crate.
pub type Result<T> = std::result::Result<T, ShareError>;

/// The reason why nothing was published.
#[derive(Debug, Error, PartialEq)]
pub enum ShareError {
    /// A parameter of the flooding or of the circuit is outside of its range.
    #[error("{field}: {value}; allowed is {allowed}")]
    OutOfRange {
        /// Name of the parameter.
        field: &'static str,
        /// Value.
        value: String,
        /// The allowed range.
        allowed: String,
    },
    /// The noise that hides the key would also hide the values.
    #[error(
        "precision: flooding would put an error of standard deviation {error:.3e} on every value; allowed is {allowed:.3e} \
         as you declared, so encrypt at a larger scale (a set with larger primes), publish fewer values of a result or fewer \
         results per key, or keep the result private"
    )]
    Precision {
        /// Standard deviation of the error after publishing.
        error: f64,
        /// Largest useful error, as declared.
        allowed: f64,
    },
    /// The system gave no random bytes.
    #[error("entropy: the system gives no random bytes: {0}; nothing was published")]
    Entropy(String),
}

impl ShareError {
    pub(crate) fn out_of_range(
        field: &'static str,
        value: impl ToString,
        allowed: impl Into<String>,
    ) -> Self {
        Self::OutOfRange {
            field,
            value: value.to_string(),
            allowed: allowed.into(),
        }
    }
}
