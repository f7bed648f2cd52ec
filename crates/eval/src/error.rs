//! Why a job refused.

use std::borrow::Cow;

/// Everything that a job refuses, before it starts where that is possible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// From SEAL or its adapter.
    #[error(transparent)]
    Seal(#[from] isopod_seal::Error),
    /// From tfhe-rs or its adapter.
    #[cfg(feature = "tfhe")]
    #[error(transparent)]
    Tfhe(#[from] isopod_tfhe::Error),
    /// There is nothing to work on.
    #[error("{job} has no ciphertexts to work on; give at least one")]
    NoInputs {
        /// The job.
        job: &'static str,
    },
    /// The number of ciphertexts is not the number of weights.
    #[error(
        "{job} has {weights} weights but {inputs} ciphertexts; it takes one ciphertext per weight"
    )]
    InputCount {
        /// The job.
        job: &'static str,
        /// Number of weights.
        weights: usize,
        /// Number of ciphertexts.
        inputs: usize,
    },
    /// A ciphertext says that it holds no values, or more than there are slots.
    #[error("ciphertext {index}: count is {count}; it must be 1 to {most}")]
    Count {
        /// Which ciphertext.
        index: usize,
        /// Its count.
        count: usize,
        /// Number of slots.
        most: usize,
    },
    /// Ciphertexts that are summed differ in scale or number of primes.
    #[error("ciphertext {index} differs from ciphertext 0 in scale or data primes; encrypt all under the same ones")]
    Unequal {
        /// The first one that differs.
        index: usize,
    },
    /// The set cannot rotate or relinearize.
    #[error("{job} needs key switching, which the set {set} does not have; use ckks-4096x2-linear or a -multiply set")]
    NoKeySwitching {
        /// The job.
        job: &'static str,
        /// The set's name.
        set: String,
    },
    /// The job needs evaluation keys and got none.
    #[error("{job} needs evaluation keys with the rotations {rotations:?}; give the owner's evaluation key file")]
    KeysMissing {
        /// The job.
        job: &'static str,
        /// What the keys must contain.
        rotations: Vec<i32>,
    },
    /// The ciphertexts have too few primes for the job's products.
    #[error("{job} needs {needed} data primes, the ciphertext has {has} (set {set}); use ckks-8192x6-multiply")]
    TooFewPrimes {
        /// The job.
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
        /// The job.
        job: &'static str,
        /// The set's name.
        set: String,
        /// log2(scale * largest result) + 1.
        needed: f64,
        /// log2 of the modulus.
        has: f64,
    },
    /// The result cannot be read modulo t.
    #[error("{job}: results may reach {largest}, the set's plaintext modulus holds -{most} to {most}; sum fewer or smaller values, or use a set with a larger one")]
    PlainModulus {
        /// The job.
        job: &'static str,
        /// The largest possible magnitude.
        largest: u64,
        /// (t-1)/2.
        most: u64,
    },
    /// The result might not decrypt.
    #[error("{job}: the noise may outgrow the modulus of the set {set}; sum fewer values, use smaller weights, or a set with more primes")]
    Noise {
        /// The job.
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
    /// All weights vanish at the weight scale: the product would be readable by anyone.
    #[error("{job}: every weight is zero at scale 2^{log2_weight_scale}; use larger weights or a larger scale")]
    ZeroWeights {
        /// The job.
        job: &'static str,
        /// log2 of the weight scale.
        log2_weight_scale: u32,
    },
    /// There are no values to work on.
    #[error("{job} has no values to work on; give at least one")]
    NoValues {
        /// The job.
        job: &'static str,
    },
    /// More values than a count or an index can tell.
    #[error("{job}: {found} values; allowed are at most 65535")]
    TooMany {
        /// The job.
        job: &'static str,
        /// Number of values.
        found: usize,
    },
    /// Values of different types, or of one that the job does not take.
    #[error("{job}: value {index} is of type {found}; allowed is {allowed} throughout")]
    Type {
        /// The job.
        job: &'static str,
        /// Which value.
        index: usize,
        /// Its type.
        found: &'static str,
        /// The type that the others have, or those allowed.
        allowed: &'static str,
    },
    /// A number in the clear that the type of the values cannot hold.
    #[error("{field}: {value} is out of range; allowed is {allowed}")]
    Range {
        /// Which number.
        field: &'static str,
        /// It.
        value: i128,
        /// The range in words or numbers.
        allowed: String,
    },
    /// A setting, a tree or a list of edges that is not what is expected.
    #[error("{field} {problem}")]
    Setting {
        /// Which setting.
        field: &'static str,
        /// What is wrong, and what is allowed.
        problem: Cow<'static, str>,
    },
    /// The model file is not what is expected.
    #[error("model: {field} {problem}")]
    Model {
        /// Which field.
        field: &'static str,
        /// What is wrong, and what is allowed.
        problem: String,
    },
}
