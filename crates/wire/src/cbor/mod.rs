//! The CBOR of the format: a bounded reader, a writer, and the fields that every kind of item has.

pub(crate) mod codec;
pub(crate) mod field;
pub(crate) mod formats;
