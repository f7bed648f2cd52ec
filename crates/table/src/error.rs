//! Typed errors of tables and queries.

use std::io;
use std::path::{Path, PathBuf};

/// The result of every call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal. Messages name the field and what is allowed; none contains key material.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Frames, keys or jobs were refused.
    #[error(transparent)]
    Workflow(#[from] isopod_workflow::Error),
    /// A frame at a place among those that were to be appended.
    #[error("frame {number}")]
    Frame {
        /// Its number, from 0.
        number: u64,
        /// Its error.
        source: Box<Error>,
    },
    /// A field of a frame that no table holds.
    #[error("{field}: {found}; allowed are 0 to 2^63 - 1 in a table")]
    Number {
        /// Name of the field.
        field: &'static str,
        /// The value.
        found: u64,
    },
    /// A file or folder of the table.
    #[error("{}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A log that is not of this table format.
    #[error("{}: {problem}", path.display())]
    Log {
        /// The entry of the log.
        path: PathBuf,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// A step of a writer that another program took over.
    #[error("{writer}: at {found} in the table; allowed is {from}: another program took it over")]
    TakenOver {
        /// Name of the writer.
        writer: String,
        /// Number at which the step begins.
        from: i64,
        /// Number in the table.
        found: i64,
    },
    /// A data file whose bytes are not those that were written; nothing uses it.
    #[error("{file}: damaged: {problem}; allowed is the file as it was written")]
    Damaged {
        /// Its name in the table's folder.
        file: String,
        /// The problem.
        problem: String,
    },
    /// The source of frames that were to be appended.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
    /// Parquet.
    #[error(transparent)]
    Parquet(#[from] parquet::errors::ParquetError),
    /// Columns in memory.
    #[error(transparent)]
    Arrow(#[from] arrow_schema::ArrowError),
    /// A query that DataFusion refused or could not finish.
    #[cfg(feature = "sql")]
    #[error("query: {0}")]
    Query(String),
}

impl Error {
    /// An error of the system at a path.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn log(path: &Path, problem: impl Into<String>) -> Self {
        Self::Log {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }
}

/// The exit code of an error: 1 for the system, 4 for tags, 5 for keys, 3 for all other input, as of `isopod`.
#[cfg(feature = "sql")]
pub fn exit_code(error: &anyhow::Error) -> u8 {
    use isopod_workflow::Class;
    let class = error
        .chain()
        .find_map(|error| match error.downcast_ref::<Error>() {
            Some(Error::File { .. }) => Some(Class::System),
            Some(Error::Workflow(error)) => Class::of(error),
            _ => Class::of(error),
        });
    match class {
        Some(Class::System) => 1,
        Some(Class::Authentication) => 4,
        Some(Class::Keys) => 5,
        _ => 3,
    }
}
