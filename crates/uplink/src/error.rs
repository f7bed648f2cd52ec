//! Why a document or a table is refused.

use thiserror::Error;

use crate::limits::{MOST_BODY_BYTES, MOST_TABLE_BYTES};

/// Characters of a wrong value that a refusal repeats.
const MOST_SHOWN: usize = 40;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, UplinkError>;

/// Reason to refuse a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UplinkError {
    /// More bytes than any uplink has.
    #[error("body: {0} bytes; allowed are {MOST_BODY_BYTES} at most")]
    Body(usize),
    /// Text that is not JSON.
    #[error("body: {0}; allowed is a JSON object")]
    Json(String),
    /// A field with another value than it may have.
    #[error("{field}: {found}; allowed {allowed}")]
    Field {
        /// Path of the field.
        field: &'static str,
        /// Its value, cut where it is long.
        found: String,
        /// Values that it may have.
        allowed: &'static str,
    },
}

impl UplinkError {
    pub(crate) fn field(field: &'static str, found: &str, allowed: &'static str) -> Self {
        Self::Field {
            field,
            found: found.to_owned(),
            allowed,
        }
    }
}

/// Reason to refuse a table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TableError {
    /// More bytes than a table may have.
    #[error("table: {0} bytes; allowed are {MOST_TABLE_BYTES} at most")]
    Size(usize),
    /// A wrong line.
    #[error("line {line}: {found}; allowed {allowed}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The part that is wrong.
        found: String,
        /// Allowed in its place.
        allowed: &'static str,
    },
    /// An identifier that an earlier line has.
    #[error("line {line}: eui: {eui} stands on line {first}, too; allowed is each once")]
    Twice {
        /// Number of the later line.
        line: usize,
        /// Number of the earlier one.
        first: usize,
        /// The identifier.
        eui: String,
    },
}

/// A value as a refusal repeats it: short, and without control characters.
pub(crate) fn shown(value: &str) -> String {
    let mut text: String = value
        .chars()
        .take(MOST_SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    if value.chars().nth(MOST_SHOWN).is_some() {
        text += "...";
    }
    text
}
