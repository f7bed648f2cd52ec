//! The C library's errors, with the ranges that the caller can act on.

use isopod_wire::WireError;

/// Why the device library refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The set is malformed or larger than its label allows.
    #[error(
        "parameter set refused: malformed, or its modulus exceeds what its security label allows"
    )]
    Parameters,
    /// The set's label was not accepted.
    #[error("parameter set {set} is labelled {label}; such sets are opt-in: accept {label} explicitly, or use a set labelled 128")]
    Label {
        /// Name of the set.
        set: &'static str,
        /// Its label.
        label: &'static str,
    },
    /// chunks is not a power of two up to 8.
    #[error("chunks = {0}: must be 1, 2, 4 or 8")]
    Chunks(u8),
    /// The scale lies outside of the set's range.
    #[error("log2_scale = {found}: set {set} takes {min} to {max}")]
    Scale {
        /// What was asked for.
        found: u8,
        /// Name of the set.
        set: &'static str,
        /// Smallest.
        min: u8,
        /// Largest.
        max: u8,
    },
    /// Scale and bound do not fit the modulus.
    #[error("log2_scale + log2_bound = {found}: must be 0 to {max} for set {set}; lower the scale or the bound")]
    Bound {
        /// Their sum.
        found: i32,
        /// Name of the set.
        set: &'static str,
        /// Largest sum.
        max: i32,
    },
    /// No values, or more than slots.
    #[error("{found} values: a ciphertext of set {set} takes 1 to {max}")]
    Count {
        /// Number of values.
        found: usize,
        /// Name of the set.
        set: &'static str,
        /// Number of slots.
        max: usize,
    },
    /// More coefficients than the ring has.
    #[error("{found} coefficients: a frame of set {set} takes 1 to {max}; send the values in several frames")]
    Coefficients {
        /// What the values need.
        found: usize,
        /// Name of the set.
        set: &'static str,
        /// Ring degree.
        max: usize,
    },
    /// NaN or infinity.
    #[error("value number {0} is not a finite number; remove or replace it")]
    NotFinite(usize),
    /// Outside of the declared bound.
    #[error("value number {index} is outside of -2^{log2_bound} to 2^{log2_bound}; raise the bound or clip it")]
    ValueRange {
        /// Position of the first such value.
        index: usize,
        /// Declared bound.
        log2_bound: i8,
    },
    /// The entropy source failed.
    #[error("the system's entropy source failed, repeats itself, or failed before; nothing was encrypted")]
    Entropy,
    /// Damaged key blob.
    #[error("key blob refused: wrong magic, length, digest, residue or ternary symbol")]
    KeyFormat,
    /// Key of another set.
    #[error("the key belongs to another parameter set than {0}")]
    KeySet(&'static str),
    /// Secret instead of public or the reverse.
    #[error("the key blob is of the other kind: a {0} key is needed here")]
    KeyKind(&'static str),
    /// The blob's frame could not be read.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A seed of the wrong length.
    #[error("seed of {found} bytes: suite {suite} takes {expected}")]
    SeedLength {
        /// Its length.
        found: usize,
        /// Name of the suite.
        suite: &'static str,
        /// Right length.
        expected: usize,
    },
    /// A result that only a fault in this crate can cause.
    #[error("the device library returned status {0}; this is a fault in isopod-device")]
    Internal(i32),
}
