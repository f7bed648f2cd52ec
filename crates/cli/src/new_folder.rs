//! Output folders that appear whole or not at all.

use std::path::Path;

use anyhow::Result;
use isopod_keys::NewFolder;

use crate::unfinished::{self, Unfinished};

/// Begins a folder that a signal removes; what an interrupted run left beside it is named.
pub fn new_folder(wanted: &Path) -> Result<(NewFolder, Unfinished)> {
    unfinished::tell(wanted)?;
    let new = NewFolder::new(wanted)?;
    let unfinished = Unfinished::new(new.building());
    Ok((new, unfinished))
}
