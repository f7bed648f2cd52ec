//! Typed errors of streams.

use std::io;
use std::path::{Path, PathBuf};

/// The result of every call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal. Messages name the field and what is allowed; none contains key material.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table; [`isopod_table::Error::TakenOver`] where another server has the partition.
    #[error(transparent)]
    Table(#[from] isopod_table::Error),
    /// A topic whose number of partitions is not that of the tables.
    #[error(
        "partitions: topic {topic} has {found}; allowed are {allowed}, as when its first frame was stored: devices would change \
         their partition. Make a new topic with {found} partitions, let the servers read this one to its end, and start them and \
         the producers with --topic of the new one"
    )]
    Partitions {
        /// The topic.
        topic: String,
        /// Number of its partitions.
        found: i32,
        /// Number in the table.
        allowed: i64,
    },
    /// A key pair without a table: of TFHE sets.
    #[error("key: {0} has no table; allowed are key pairs of CKKS, BFV and pads")]
    WithoutTable(String),
    /// A partition that was not assigned.
    #[error("partition: {0} is not assigned")]
    Unassigned(String),
    /// A file beside the tables.
    #[error("{}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Entropy.
    #[error(transparent)]
    Keys(#[from] isopod_keys::KeysError),
}

impl Error {
    /// An error of the system at a path.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// Whether another server has the partition: nothing is wrong.
    pub fn is_taken_over(&self) -> bool {
        matches!(self, Self::Table(isopod_table::Error::TakenOver { .. }))
    }
}
