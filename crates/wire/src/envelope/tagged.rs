//! Items whose tag follows from their content: they have no nonce (`spec/wire.md`, sections 11 and 12).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{size, VERSION};
use crate::{Result, Tag, WireError};

/// Reads array, version and kind of an item that has this kind alone; `allowed` names it.
pub(crate) fn read_kind(
    reader: &mut Reader<'_>,
    fields: u64,
    kind: u64,
    allowed: &'static str,
) -> Result<()> {
    reader.array(fields, "array")?;
    let version = reader.uint(u64::MAX, "version")?;
    if version != VERSION {
        return Err(WireError::UnknownVersion { found: version });
    }
    match reader.uint(u64::MAX, "kind")? {
        found if found == kind => Ok(()),
        found => Err(WireError::UnknownKind { found, allowed }),
    }
}

/// The item with the tag that `make` gives for the bytes before it.
pub(crate) fn seal(mut item: Vec<u8>, make: impl FnOnce(&[u8]) -> Tag) -> Vec<u8> {
    let mut tail = Writer::with_capacity(1 + size::TAG);
    tail.bytes(&make(&item));
    item.extend(tail.into_bytes());
    item
}
