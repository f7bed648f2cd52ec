//! Where in its source an item begins.

use std::sync::Arc;

use crate::Error;

/// SourcePosition of an item.
#[derive(Debug, Clone)]
pub(crate) struct SourcePosition {
    pub source: Arc<str>,
    pub position: u64,
}

impl SourcePosition {
    /// The error at this place; `item` names the item there.
    pub fn explain(&self, item: &str, error: Error) -> Error {
        let error = error.at(format!("{item} at byte {}", self.position));
        match &*self.source {
            "" => error,
            source => error.at(source),
        }
    }
}
