//! Text files, bounded.

use std::path::Path;

use anyhow::{anyhow, Context, Result};
use isopod_keys::{read_bounded, SecretBytes};

/// Most bytes of a model, a tree or a report.
const MOST_TEXT_BYTES: u64 = 16 << 20;

/// A text file, of at most 16 MB.
pub fn text(path: &Path) -> Result<String> {
    utf8(read_bounded(path, MOST_TEXT_BYTES)?).with_context(|| path.display().to_string())
}

/// Bytes as text.
pub fn utf8(mut bytes: SecretBytes) -> Result<String> {
    let text = String::from_utf8(std::mem::take(&mut *bytes));
    text.map_err(|error| {
        anyhow!(
            "byte {} is not UTF-8 text; allowed is text",
            error.utf8_error().valid_up_to()
        )
    })
}
