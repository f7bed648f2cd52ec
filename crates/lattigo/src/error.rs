//! Errors: each names what failed, and what is allowed.

use std::path::PathBuf;
use thiserror::Error;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Reason why there is no answer. The program behind the pipe has ended; the next call starts it again.
#[derive(Debug, Error)]
pub enum Error {
    /// A program that does not start.
    #[error("{}: {source}; `make deep` builds it", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Reason of the system.
        source: std::io::Error,
    },
    /// A program, or a size, of another version.
    #[error("backend: {0}")]
    Version(String),
    /// Keys that are missing, damaged, or of another size.
    #[error("{0}")]
    Keys(String),
    /// Too little memory for the size.
    #[error("{0}")]
    Memory(String),
    /// A number of the job outside of its range.
    #[error("{field}: {found}; allowed is {allowed}")]
    Allowed {
        /// The field.
        field: &'static str,
        /// Its value.
        found: String,
        /// The range.
        allowed: String,
    },
    /// A refusal by the program.
    #[error("backend: {0}")]
    Refused(String),
    /// A program that ended without an answer.
    #[error("backend: ended with {status}: {text}")]
    Died {
        /// How it ended.
        status: String,
        /// The last line that it printed.
        text: String,
    },
    /// A program that said nothing for too long, and was killed.
    #[error("backend: silent for {seconds} s during {stage}; allowed are {allowed} s")]
    Late {
        /// Time since its last message.
        seconds: u64,
        /// Stage that it had announced.
        stage: &'static str,
        /// The limit.
        allowed: u64,
    },
    /// Bytes that are no message of the protocol.
    #[error("backend: {0}")]
    Message(String),
}

/// Codes of failures, and the exit status of a program that outgrew its memory: `deep/pipe/failure.go`.
const VERSION: u8 = 1;
const KEYS: u8 = 2;
pub(crate) const MEMORY: u8 = 3;

impl Error {
    /// A failure that the program reports.
    pub(crate) fn reported(code: u8, text: String) -> Self {
        match code {
            VERSION => Self::Version(text),
            KEYS => Self::Keys(text),
            MEMORY => Self::Memory(text),
            _ => Self::Refused(text),
        }
    }

    pub(crate) fn allowed(
        field: &'static str,
        found: impl ToString,
        allowed: impl ToString,
    ) -> Self {
        Self::Allowed {
            field,
            found: found.to_string(),
            allowed: allowed.to_string(),
        }
    }
}
