//! Where the steps of a holder keep what they must not lose.

use crate::error::Result;
use crate::holders::keys::HolderKeys;

/// The key file of a holder, and files for the other holders beside it.
pub trait HolderPlace {
    /// Keeps the keys in place of those before, durably: what a step gives away afterwards relies on them.
    ///
    /// # Errors
    /// Those of the place; then the keys before are there still.
    fn keep(&mut self, keys: &HolderKeys) -> Result<()>;

    /// Whether a file for the others is there.
    fn has(&self, name: &str) -> bool;

    /// Writes a file for the others, durably.
    ///
    /// # Errors
    /// Those of the place.
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()>;
}
