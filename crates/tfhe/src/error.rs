//! Errors of this crate.

/// Result of every call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Reason why something was refused. No message contains key material or plaintext.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The wire format refused it.
    #[error(transparent)]
    Wire(#[from] isopod_wire::WireError),
    /// The number of words, coefficients or bytes is not what the set or type demands.
    #[error("{field}: {found}; allowed is {allowed}")]
    Length {
        /// Name of the array that is too short or too long.
        field: &'static str,
        /// Number found.
        found: usize,
        /// Numbers allowed.
        allowed: String,
    },
    /// A value is out of range.
    #[error("{field}: {value} is out of range; allowed is {allowed}")]
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// Value that was given.
        value: String,
        /// Allowed range.
        allowed: String,
    },
    /// tfhe-rs does not compute under this set.
    #[error("set {set}: not a set of tfhe-rs; allowed is {allowed}, and this one is exported as TFHEpp arrays")]
    NotForTfheRs {
        /// The set's name.
        set: String,
        /// The set that tfhe-rs computes under.
        allowed: &'static str,
    },
    /// A secret key is of another shape than tfhe-rs's set.
    #[error("key: {0}")]
    Key(&'static str),
    /// A ciphertext built from received words does not conform to the parameters.
    #[error("value {index}: the ciphertext does not conform to tfhe-rs's parameters; nothing of the frame was used")]
    NotConformant {
        /// Position of the value.
        index: usize,
    },
    /// A sum of ciphertexts is too noisy for a bootstrap.
    #[error("noise: that of {found} bootstraps in one sum; allowed are at most {most}")]
    Noise {
        /// Bootstraps whose noise the sum has at most.
        found: u64,
        /// Largest noise for which tfhe-rs states the failure probability.
        most: u64,
    },
    /// tfhe-rs refused an operation.
    #[error("tfhe-rs: {0}")]
    TfheRs(String),
    /// Stored server keys are not accepted.
    #[error("server key: {0}; make it again with `isopod keygen`")]
    ServerKey(String),
    /// A result does not decrypt to a message.
    #[error("result: block {block} does not decrypt; it was made under another key, or damaged")]
    Undecryptable {
        /// First block that does not decrypt.
        block: usize,
    },
}
