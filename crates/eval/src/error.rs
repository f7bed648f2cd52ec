//! Errors of jobs.

use std::borrow::Cow;

/// Reason why a job refused, before it starts where that is possible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// SEAL or its adapter refused.
    #[error(transparent)]
    Seal(#[from] isopod_seal::Error),
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
    #[error("ciphertext {index}: count is {count}; it must be 1 to {most}")]
    Count {
        /// Number of the ciphertext.
        index: usize,
        /// Number of values that it claims.
        count: usize,
        /// Number of slots.
        most: usize,
    },
    /// Ciphertexts that are summed differ in scale or number of primes.
    #[error("ciphertext {index} differs from ciphertext 0 in scale or data primes; encrypt all under the same ones")]
    Unequal {
        /// Number of the first one that differs.
        index: usize,
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
    #[error("{job}: the result needs {needed:.1} bits, the modulus of the set {set} has {has:.1}; lower the scale, the weight scale or the bound on values, or use a set with more data primes")]
    Overflow {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// log2(scale * largest result) + 1.
        needed: f64,
        /// log2 of the modulus.
        has: f64,
    },
    /// The result would exceed the plaintext modulus.
    #[error("{job}: results may reach {largest}, the set's plaintext modulus holds -{most} to {most}; sum fewer or smaller values, or use a set with a larger one")]
    PlainModulus {
        /// Name of the job.
        job: &'static str,
        /// Largest possible magnitude.
        largest: u64,
        /// Largest magnitude modulo t, (t-1)/2.
        most: u64,
    },
    /// The result might not decrypt.
    #[error("{job}: the noise may outgrow the modulus of the set {set}; sum fewer values, use smaller weights, or a set with more primes")]
    Noise {
        /// Name of the job.
        job: &'static str,
        /// The set's name.
        set: String,
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
    #[error("{job}: every weight is zero at scale 2^{log2_weight_scale}; use larger weights or a larger scale")]
    ZeroWeights {
        /// Name of the job.
        job: &'static str,
        /// log2 of the weight scale.
        log2_weight_scale: u32,
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
