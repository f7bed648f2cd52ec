//! Files of several owners of one key (`spec/wire.md`, section 17): of the ceremony, of a holder, and contributions to answers.

pub(crate) mod board;
pub(crate) mod ceremony;
pub(crate) mod change;
pub(crate) mod contribution;
pub(crate) mod holder;
pub(crate) mod invitation;

use crate::cbor::codec::Reader;
use crate::codes::VERSION;
use crate::{Result, WireError};

/// Most fields of a file of several owners.
const MOST_FIELDS: u64 = 15;

/// The kind of the first item of a file of several owners, which its reader then checks as a whole.
///
/// Errors: bytes that begin no item of this version.
pub fn kind_of_owners(bytes: &[u8]) -> Result<u64> {
    let mut reader = Reader::new(bytes);
    reader.list(MOST_FIELDS, "array")?;
    match reader.uint(u64::MAX, "version")? {
        VERSION => reader.uint(u64::MAX, "kind"),
        found => Err(WireError::UnknownVersion { found }),
    }
}
