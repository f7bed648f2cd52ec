//! A store behind calls that wait.

use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;

use object_store::ObjectStore;
use tokio::runtime::{EnterGuard, Runtime};

/// A store, and the thread that speaks with it.
pub(crate) struct Connection {
    pub store: Arc<dyn ObjectStore>,
    runtime: Runtime,
}

impl Connection {
    /// A connection to a store.
    ///
    /// Errors: no thread can be made.
    pub fn new(store: Arc<dyn ObjectStore>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(Self { store, runtime })
    }

    /// Lets this thread begin work of the store that goes on beside it.
    pub fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Waits for an answer of the store.
    pub fn wait<T>(&self, work: impl Future<Output = object_store::Result<T>>) -> Result<T> {
        self.runtime.block_on(work).map_err(told)
    }
}

/// An error of a store as that of a disk.
fn told(error: object_store::Error) -> Error {
    use object_store::Error as Store;
    let kind = match &error {
        Store::NotFound { .. } => ErrorKind::NotFound,
        Store::AlreadyExists { .. } | Store::Precondition { .. } => ErrorKind::AlreadyExists,
        Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => {
            ErrorKind::PermissionDenied
        }
        _ if is_full(&error.to_string()) => ErrorKind::StorageFull,
        _ => ErrorKind::Other,
    };
    Error::new(kind, error)
}

/// Whether a store says that it has no room: each in its own words.
fn is_full(said: &str) -> bool {
    ["StorageFull", "507 Insufficient", "QuotaExceeded"]
        .iter()
        .any(|word| said.contains(word))
}
