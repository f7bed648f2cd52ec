//! Errors of the store. A message names the file; nothing that was acknowledged is lost by any of them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;
use thiserror::Error;

use crate::damage::Damage;

/// Result of every call of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Reason why the store refused. Clones are given to all writers of a group.
#[derive(Debug, Clone, Error)]
pub enum StoreError {
    /// An operation of the operating system failed.
    #[error("{}: {source}", path.display())]
    File {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: Arc<io::Error>,
    },
    /// No room is left for what was to be written. Nothing of it is stored, and everything before it is.
    #[error("{}: no room is left ({source}); what is stored stays, so make room or shorten the retention, and send again", path.display())]
    Full {
        /// File that could not grow.
        path: PathBuf,
        /// Reason.
        source: Arc<io::Error>,
    },
    /// Another process has the folder.
    #[error("{}: another server works on this folder; allowed is one", .0.display())]
    Locked(PathBuf),
    /// A file that this version does not read.
    #[error("{}: byte {offset}: {problem}", path.display())]
    Damaged {
        /// Segment or index.
        path: PathBuf,
        /// Offset in the file.
        offset: u64,
        /// How it is seen.
        problem: &'static str,
    },
    /// Frames that were acknowledged cannot be read.
    #[error("{0}; restore the file from a backup, let the server mend it from its table, or give the frame up")]
    Lost(Box<Damage>),
    /// The index cannot be read.
    #[error("{}: {problem}; the next start makes it anew from the log", path.display())]
    Index {
        /// File of the index.
        path: PathBuf,
        /// How it is seen.
        problem: String,
    },
    /// The index is missing or damaged, and frames were removed from the log before.
    #[error(
        "{}: missing or damaged, and it alone knows the names of frames that retention removed; restore it from a backup, or \
         start with --forget-removed, after which frames that were removed could be stored again as new ones",
        .0.display()
    )]
    RemovedNames(PathBuf),
    /// The queue of writes is full.
    #[error("writes: {waiting} wait for the disk; send again later")]
    Busy {
        /// Number that may wait.
        waiting: usize,
    },
    /// A flush failed before, so that it is not known what is on disk until the log is opened anew.
    #[error("log: the disk failed to store earlier frames, and takes none until the server starts again")]
    Broken,
    /// A frame that the record's length cannot say.
    #[error("frame: {found} bytes; allowed are 1 to {most}")]
    Length {
        /// Bytes found.
        found: usize,
        /// Bytes allowed.
        most: usize,
    },
}

impl StoreError {
    /// Makes the error of a file of an operation's.
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| {
            let full = [Errno::NOSPC, Errno::DQUOT, Errno::FBIG];
            let is_full = full
                .iter()
                .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
            let (path, source) = (path.to_owned(), Arc::new(error));
            match is_full {
                true => Self::Full { path, source },
                false => Self::File { path, source },
            }
        }
    }

    /// The error of damaged bytes.
    pub(crate) fn damaged(path: &Path, offset: u64, problem: &'static str) -> Self {
        let path = path.to_owned();
        Self::Damaged {
            path,
            offset,
            problem,
        }
    }
}
