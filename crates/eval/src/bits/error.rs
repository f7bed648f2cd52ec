/// Everything that a job on bits and integers refuses, before it starts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BitsError {
    /// From the adapter.
    #[error(transparent)]
    Tfhe(#[from] isopod_tfhe::Error),
    /// There is nothing to work on.
    #[error("{job} has no values to work on; give at least one")]
    NoInputs {
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
    /// A tree or a list of edges that is not what is expected.
    #[error("{field} {problem}")]
    Setting {
        /// Which field.
        field: &'static str,
        /// What is wrong, and what is allowed.
        problem: String,
    },
}
