//! Output folders that appear whole or not at all.

use std::path::Path;

use anyhow::Result;
use isopod_keys::NewFolder;

use crate::output::unfinished::{self, Unfinished};

/// Begins a folder that a signal removes; what an interrupted run left beside it is named.
pub fn new_folder(wanted: &Path) -> Result<(Unfinished, NewFolder)> {
    unfinished::tell(wanted)?;
    Unfinished::make(|| Ok(NewFolder::new(wanted)?), NewFolder::building)
}
