//! Errors of the C library, with the ranges that a caller can act on.

use isopod_sys::*;
use isopod_wire::{Label, WireError};
use std::ffi::{c_int, CStr};

/// Result of every call of this crate.
pub type Result<T, E = DeviceError> = std::result::Result<T, E>;

/// Text of the C library for a status: where to look, what happened, what is allowed and what to do.
#[allow(unsafe_code)]
fn text(status: c_int) -> &'static str {
    // SAFETY: the C library gives a string literal for every status.
    let text = unsafe { CStr::from_ptr(isopod_status_text(status)) };
    text.to_str().unwrap_or_default()
}

/// The reason why the device library refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The set is malformed or larger than its label allows.
    #[error("{}", text(ISOPOD_ERROR_PARAMETERS))]
    Parameters,
    /// The set's label was not accepted.
    #[error("parameter set {set} is labelled {label}; such sets are opt-in: accept {label} explicitly, or use a set labelled 128")]
    Label {
        /// Name of the set.
        set: &'static str,
        /// Label of the set.
        label: &'static str,
    },
    /// The number of chunks is not a power of two up to 8.
    #[error("chunks = {0}: must be 1, 2, 4 or 8")]
    Chunks(u8),
    /// The scale lies outside of the set's range.
    #[error("log2_scale = {found}: set {set} takes {min} to {max}")]
    Scale {
        /// Value asked for.
        found: u8,
        /// Name of the set.
        set: &'static str,
        /// Smallest allowed value.
        min: u8,
        /// Largest allowed value.
        max: u8,
    },
    /// The bound is out of range, or scale and bound do not fit the modulus.
    #[error("log2_bound = {found}, sum of log2_scale and log2_bound = {sum}: set {set} takes bounds of -20 to 40 and sums of 0 to {max}; lower the scale or the bound")]
    Bound {
        /// log2 of the bound.
        found: i8,
        /// log2_scale + log2_bound.
        sum: i32,
        /// Name of the set.
        set: &'static str,
        /// Largest sum.
        max: i32,
    },
    /// The bound on integers is out of range.
    #[error("bound = {found}: set {set} takes 1 to {max}, half its plaintext modulus")]
    IntegerBound {
        /// Value asked for.
        found: u32,
        /// Name of the set.
        set: &'static str,
        /// Largest bound.
        max: u64,
    },
    /// The places from row to row do not fit the layout.
    #[error("stride = {found}: the layout takes 1 to {max}, and where values are repeated all {count} are one row")]
    Stride {
        /// Value asked for.
        found: u32,
        /// Places of the layout.
        max: usize,
        /// Number of values.
        count: usize,
    },
    /// The buckets are no power of two, or do not divide the columns.
    #[error("buckets = {0}: must be a power of two that divides the columns of a row")]
    Buckets(u32),
    /// Rows or dropped bits that rounded coefficients cannot have.
    #[error(
        "columns = {columns}, run = {run}, dropped bits = {}, {}: allowed under {set} are whole rows of 1 to {stride} columns, \
         runs from the columns to the stride, and 0 to {most} dropped bits, of c1 by public key alone",
        dropped[0], dropped[1]
    )]
    Rounding {
        /// Values of a row.
        columns: u32,
        /// Coefficients sent of each row.
        run: u32,
        /// Places from row to row.
        stride: u32,
        /// Low bits dropped of c0 and c1.
        dropped: [u8; 2],
        /// Most dropped bits.
        most: i32,
        /// Name of the set.
        set: &'static str,
    },
    /// The values are not whole rows.
    #[error(
        "columns = {found}: {count} values are no whole rows; give a number that divides theirs"
    )]
    Columns {
        /// Columns of a row.
        found: u16,
        /// Number of values.
        count: usize,
    },
    /// Lengths that no packet has, or that do not hold the device's number.
    #[error("{}", text(ISOPOD_ERROR_PACKET))]
    Packet,
    /// The sender has no sequence number left.
    #[error("{}", text(ISOPOD_ERROR_SENDER))]
    Sender,
    /// There are no values, more than places, or repeated values whose number is not a power of two.
    #[error("{found} values: a ciphertext of set {set} takes 1 to {max}, repeated values a power of two")]
    Count {
        /// Number of values.
        found: usize,
        /// Name of the set.
        set: &'static str,
        /// Number of places.
        max: usize,
    },
    /// The values need more coefficients than the ring has.
    #[error("{found} coefficients: a frame of set {set} takes 1 to {max}; send the values in several frames")]
    Coefficients {
        /// Number of coefficients that the values need.
        found: usize,
        /// Name of the set.
        set: &'static str,
        /// Ring degree.
        max: usize,
    },
    /// A value is NaN or infinite.
    #[error("value number {0} is not a finite number; remove or replace it")]
    NotFinite(usize),
    /// A value is outside of the declared bound.
    #[error("value number {index} is outside of -2^{log2_bound} to 2^{log2_bound}; raise the bound or clip it")]
    ValueRange {
        /// Position of the first such value.
        index: usize,
        /// Declared bound.
        log2_bound: i8,
    },
    /// An integer is no residue of the plaintext modulus.
    #[error("value number {index} is outside of {least} to {most}; clip it, or use a set with a larger plaintext modulus")]
    IntegerRange {
        /// Position of the first such value.
        index: usize,
        /// Smallest allowed value.
        least: i64,
        /// Largest allowed value.
        most: i64,
    },
    /// The set's scheme does not encrypt values of this type.
    #[error("set {set} encrypts {scheme} values: give {takes}")]
    ValueType {
        /// Name of the set.
        set: &'static str,
        /// Scheme of the set.
        scheme: &'static str,
        /// Type of values that it takes.
        takes: &'static str,
    },
    /// The set does not have this level, or at this level no room for the noise of BFV.
    #[error("level = {found}: set {set} has 1 to {most} primes; where these are too few for the plaintext modulus, take more")]
    Level {
        /// Value asked for.
        found: usize,
        /// Name of the set.
        set: &'static str,
        /// Number of its primes.
        most: usize,
    },
    /// The layout does not fit the set or the values.
    #[error("layout {layout} does not go with set {set}; integers take slots, slots repeated or coefficients, complex values complex slots")]
    Layout {
        /// Name of the layout.
        layout: &'static str,
        /// Name of the set.
        set: &'static str,
    },
    /// The entropy source failed.
    #[error("{}", text(ISOPOD_ERROR_ENTROPY))]
    Entropy,
    /// A key blob is damaged.
    #[error("{}", text(ISOPOD_ERROR_KEY_FORMAT))]
    KeyFormat,
    /// A key belongs to another set.
    #[error("the key belongs to another parameter set than {0}")]
    KeySet(&'static str),
    /// A key blob is secret instead of public, or the reverse.
    #[error("the key blob is of the other kind: a {0} key is needed here")]
    KeyKind(&'static str),
    /// A blob or a value was refused by the wire crate.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A seed has the wrong length.
    #[error("seed of {found} bytes: suite {suite} takes {expected}")]
    SeedLength {
        /// Length of the seed.
        found: usize,
        /// Name of the suite.
        suite: &'static str,
        /// Length that the suite takes.
        expected: usize,
    },
    /// An item was not sealed under the link key, or was changed since.
    #[error("{}", text(ISOPOD_ERROR_AUTHENTICATION))]
    Authentication,
    /// A sealed item is malformed.
    #[error("{}", text(ISOPOD_ERROR_RESULT_FORMAT))]
    ResultFormat,
    /// A result has too many primes left, or none.
    #[error("a result of set {set} can be decrypted here at 1 to {max} primes; let the server switch it to fewer")]
    ResultLevel {
        /// Name of the set.
        set: &'static str,
        /// Most primes.
        max: usize,
    },
    /// A linear tag that is not that of the sum of the frames that the result names. Its maker must not learn of it.
    #[error("{}", text(ISOPOD_ERROR_UNPROVED))]
    Unproved,
    /// A linear tag without a verifier of its period, a verifier without a tag, or a claim that no tag proves.
    #[error("{}", text(ISOPOD_ERROR_NO_PROOF))]
    NoProof,
    /// A residue is not below its prime.
    #[error("{}", text(ISOPOD_ERROR_RESIDUE))]
    Residue,
    /// Scale and bound cannot be decoded.
    #[error("values of up to 2^{log2_bound} at this result's scale do not fit its modulus, or the scale is not 1 to 2^120; lower the bound")]
    DecodeBound {
        /// Declared bound.
        log2_bound: i8,
    },
    /// Decrypted values exceed the declared bound.
    #[error("decrypted values exceed 2^{log2_bound}: a wrong key, a bound that is too small, or a result without enough precision left")]
    ResultBound {
        /// Declared bound.
        log2_bound: i8,
    },
    /// Real numbers are asked for where the set has integers, or the reverse.
    #[error(
        "results of set {set} are of scheme {scheme}: read real numbers of ckks, integers of bfv"
    )]
    OtherValues {
        /// Name of the set.
        set: &'static str,
        /// Scheme of the set.
        scheme: &'static str,
    },
    /// Noise may have changed the integers of a BFV result.
    #[error("the result's noise is beyond what integers are read through: a wrong key, or a computation beyond the capacity of the set")]
    ResultNoise,
    /// The C library returned a status that only a fault in this crate can cause.
    #[error("the device library returned status {0} ({said}); this is a fault in isopod-device", said = text(*.0))]
    Internal(i32),
}

impl DeviceError {
    /// The error of a status that has one meaning everywhere; `key` names the kind of key that is needed.
    pub(crate) fn of_status(
        status: c_int,
        set: &'static str,
        label: Label,
        key: &'static str,
    ) -> Self {
        match status {
            ISOPOD_ERROR_PARAMETERS => Self::Parameters,
            ISOPOD_ERROR_LABEL => Self::Label {
                set,
                label: label.name(),
            },
            ISOPOD_ERROR_ENTROPY => Self::Entropy,
            ISOPOD_ERROR_SENDER => Self::Sender,
            ISOPOD_ERROR_KEY_FORMAT => Self::KeyFormat,
            ISOPOD_ERROR_KEY_SET => Self::KeySet(set),
            ISOPOD_ERROR_KEY_KIND => Self::KeyKind(key),
            other => Self::Internal(other),
        }
    }
}
