//! Errors of jobs.

use crate::advice::Advice;
use crate::bound::rounded_up;
use isopod_wire::Decoding;
use std::borrow::Cow;

/// Reason why a job refused, before it starts where that is possible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// SEAL or its adapter refused.
    #[error(transparent)]
    Seal(#[from] isopod_seal::Error),
    /// Arithmetic on coefficients refused.
    #[error(transparent)]
    Linear(#[from] isopod_linear::Error),
    /// tfhe-rs or its adapter refused.
    #[cfg(feature = "tfhe")]
    #[error(transparent)]
    Tfhe(#[from] isopod_tfhe::Error),
    /// There are no ciphertexts to work on.
    #[error("{job} has no ciphertexts to work on; give at least one")]
    NoInputs {
        /// Name of the job.
        job: &'static str,
    },
    /// The number of ciphertexts is not the number of weights.
    #[error(
        "{job} has {weights} weights but {inputs} ciphertexts; it takes one ciphertext per weight"
    )]
    InputCount {
        /// Name of the job.
        job: &'static str,
        /// Number of weights.
        weights: usize,
        /// Number of ciphertexts.
        inputs: usize,
    },
    /// A ciphertext claims no values, or more than there are slots.
    #[error("frame {index}: count is {count}; allowed is 1 to {most}")]
    Count {
        /// Number of the ciphertext.
        index: usize,
        /// Number of values that it claims.
        count: usize,
        /// Number of slots.
        most: usize,
    },
    /// Frames differ in what matters to the job.
    #[error("{job}: frame {index} has {field} {found}, frame 0 has {first}; allowed are frames with the same {field}")]
    Differs {
        /// Name of the job.
        job: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Number of the first frame that differs from frame 0.
        index: usize,
        /// Its value.
        found: f64,
        /// Value of frame 0.
        first: f64,
    },
    /// The set is of the other scheme.
    #[error("{job} with these parameters does not take the set {set}; allowed are sets that begin with {allowed}")]
    Scheme {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// First letters of allowed sets.
        allowed: &'static str,
    },
    /// A frame's claims contradict each other or the set.
    #[error("frame {index}: {field} is {found}; allowed is {allowed}")]
    Claim {
        /// Number of the frame.
        index: usize,
        /// Name of the field.
        field: &'static str,
        /// Its value.
        found: f64,
        /// Allowed range.
        allowed: String,
    },
    /// Rows have not as many columns as the model has features.
    #[error("{job}: frame {index} has {found} columns; the model has {wanted} features")]
    Columns {
        /// Name of the job.
        job: &'static str,
        /// Number of the frame.
        index: usize,
        /// Columns of its rows.
        found: usize,
        /// Features of the model.
        wanted: usize,
    },
    /// The set cannot rotate or relinearize.
    #[error("{job} needs key switching, which the set {set} does not have; use ckks-4096x2-linear or a -multiply set")]
    NoKeySwitching {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
    },
    /// The job needs evaluation keys and has none.
    #[error("{job} needs evaluation keys with the rotations {rotations:?}; give the owner's evaluation key file")]
    KeysMissing {
        /// Name of the job.
        job: &'static str,
        /// Rotations that the keys must contain.
        rotations: Vec<i32>,
    },
    /// The ciphertexts have too few primes for the job's products.
    #[error("{job} needs {needed} data primes, the ciphertext has {has} (set {set}); use ckks-8192x6-multiply")]
    TooFewPrimes {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// Primes of the ciphertext.
        has: usize,
        /// Primes that the job needs.
        needed: usize,
    },
    /// The result would not fit the modulus.
    #[error(
        "{job}: the result needs {needed:.1} bits, the modulus of the set {set} has {has}{advice}"
    )]
    Overflow {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// log2(scale * largest result) + 2.
        needed: f64,
        /// Bits of the modulus.
        has: f64,
        /// Changes after which the job would be done.
        advice: Advice,
    },
    /// No owner could read the result, though the modulus holds it.
    #[error(
        "{job}: values may reach {bound:.3e} at scale 2^{log2_scale:.1}; of results under the set {set} values up to 2^{} at \
         scales from 1 to 2^{} are read{advice}",
        Decoding::BOUND_BITS,
        Decoding::SCALE_BITS
    )]
    Unreadable {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// Bound on the result.
        bound: f64,
        /// log2 of the result's scale.
        log2_scale: f64,
        /// Changes after which the job would be done.
        advice: Advice,
    },
    /// The noise of the result could be larger than the result.
    #[error("{job}: values up to {bound:.3e} would have an error of up to {} under the set {set}, so that no digit is right{advice}", rounded_up(*.error, 3))]
    Drowned {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// Error to expect.
        error: f64,
        /// Bound on the result.
        bound: f64,
        /// Changes after which the job would be done.
        advice: Advice,
    },
    /// Scores may leave the range in which the cubic is close to the sigmoid.
    #[error("{job}: scores may reach {largest:.3}, the cubic is close to the sigmoid from -{most} to {most}{advice}; the job logistic has no such range")]
    ScoreRange {
        /// Name of the job.
        job: &'static str,
        /// Largest possible |score|.
        largest: f64,
        /// Largest |score| that is allowed.
        most: f64,
        /// Changes after which the job would be done.
        advice: Advice,
    },
    /// The result would exceed the plaintext modulus.
    #[error("{job}: results may reach {largest}, the plaintext modulus of the set {set} holds -{most} to {most}{advice}")]
    PlainModulus {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// Largest possible magnitude.
        largest: f64,
        /// Largest magnitude modulo t, (t-1)/2.
        most: u64,
        /// Changes after which the job would be done.
        advice: Advice,
    },
    /// The result might not decrypt.
    #[error("{job}: the noise may reach {noise:.0}, decryption under the set {set} corrects {corrected:.0}{advice}")]
    Noise {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// Noise of a coefficient, exceeded with a probability of 2^-20.
        noise: f64,
        /// Noise that decryption corrects.
        corrected: f64,
        /// Changes after which the job would be done.
        advice: Advice,
    },
    /// The stride is no power of two, smaller than a row, or larger than the number of slots.
    #[error("stride is {stride}; it must be a power of two from {least} (a row's length) to {most} (the slots)")]
    Stride {
        /// The refused stride.
        stride: usize,
        /// Length of a row.
        least: usize,
        /// Number of slots.
        most: usize,
    },
    /// All weights vanish at the weight scale, and the product would be readable by anyone.
    #[error("{job}: every weight is zero at scale {weight_scale}, the largest that fits; use larger weights")]
    ZeroWeights {
        /// Name of the job.
        job: &'static str,
        /// Scale at which weights are encoded.
        weight_scale: f64,
    },
    /// There are no values to work on.
    #[error("{job} has no values to work on; give at least one")]
    NoValues {
        /// Name of the job.
        job: &'static str,
    },
    /// There are more values than a count or an index can express.
    #[error("{job}: {found} values; allowed are at most 65535")]
    TooMany {
        /// Name of the job.
        job: &'static str,
        /// Number of values.
        found: usize,
    },
    /// Values differ in type, or the job does not take their type.
    #[error("{job}: value {index} is of type {found}; allowed is {allowed} throughout")]
    Type {
        /// Name of the job.
        job: &'static str,
        /// Number of the value.
        index: usize,
        /// Type of the value.
        found: &'static str,
        /// Type of the other values, or types that are allowed.
        allowed: &'static str,
    },
    /// The type of the values cannot hold a number in the clear.
    #[error("{field}: {value} is out of range; allowed is {allowed}")]
    Range {
        /// Name of the number.
        field: &'static str,
        /// The number.
        value: i128,
        /// Allowed range, in words or numbers.
        allowed: String,
    },
    /// A setting, a tree or a list of edges is malformed.
    #[error("{field} {problem}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Problem, and allowed values.
        problem: Cow<'static, str>,
    },
    /// The model file is malformed.
    #[error("model: {field} {problem}")]
    Model {
        /// Name of the field.
        field: &'static str,
        /// Problem, and allowed values.
        problem: String,
    },
}

impl Error {
    /// The place of the advice, in errors that can have one.
    pub(crate) fn advice_mut(&mut self) -> Option<&mut Advice> {
        match self {
            Self::Overflow { advice, .. }
            | Self::Unreadable { advice, .. }
            | Self::Drowned { advice, .. }
            | Self::ScoreRange { advice, .. }
            | Self::PlainModulus { advice, .. }
            | Self::Noise { advice, .. } => Some(advice),
            _ => None,
        }
    }
}
