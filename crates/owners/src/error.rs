//! Refusals of several owners.

use isopod_share::ShareError;
use thiserror::Error;

/// Result of every call of this crate.
pub type Result<T> = std::result::Result<T, OwnersError>;

/// The reason why a ceremony or an answer was refused.
#[derive(Debug, Error)]
pub enum OwnersError {
    /// A field out of range.
    #[error("{field}: {problem}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// Residues of another ring.
    #[error(transparent)]
    Linear(#[from] isopod_linear::Error),
    /// Flooding, or entropy for it.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// A set whose modulus does not hold the noise.
    #[error(
        "set: {set} has no room for the noise of {holders} owners: {needed:.1} bits are needed beside the values, allowed are \
         {room:.1}; take a set with larger primes, or allow fewer frames, queries or statistical bits"
    )]
    NoRoom {
        /// Name of the set.
        set: &'static str,
        /// Number of holders.
        holders: usize,
        /// log2 of the noise, six deviations.
        needed: f64,
        /// log2 of the noise that is decrypted.
        room: f64,
    },
    /// Numbers that are no set of holders who answer.
    #[error("holders: {problem}")]
    Answering {
        /// The problem, and what is allowed.
        problem: String,
    },
    /// A contribution that does not fit the answer.
    #[error("contribution of holder {holder}: {problem}")]
    Contribution {
        /// Number of the holder.
        holder: u8,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// Contributions that do not open the answer.
    #[error(
        "result {index}: does not open: a contribution was made under another key or changed, or the server did not compute what \
         the invitation allows; let each holder contribute anew"
    )]
    Unopened {
        /// Number of the result.
        index: u32,
    },
}
