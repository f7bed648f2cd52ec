//! Keys without a share refuse what needs one.

use isopod_keys::HolderKeys;

use crate::{HoldersError as Error, Result};

/// Refuses keys whose share was wiped.
///
/// # Errors
/// [`Error::Parameter`].
pub fn check_held(keys: &HolderKeys) -> Result<()> {
    match keys.is_ended() {
        false => Ok(()),
        true => {
            let problem = "the share was wiped, and opens nothing more; allowed are the keys of one who holds it";
            Err(Error::parameter("keys", problem))
        }
    }
}

/// Refuses keys whose share was wiped, and those whose share is on a board: it cannot change there.
///
/// # Errors
/// [`Error::Parameter`].
pub(crate) fn check_share(keys: &HolderKeys) -> Result<()> {
    check_held(keys)?;
    match keys.board() {
        None => Ok(()),
        Some(_) => {
            let problem = "the share of this folder is on a board and cannot change there; allowed are folders that have it";
            Err(Error::parameter("keys", problem))
        }
    }
}
