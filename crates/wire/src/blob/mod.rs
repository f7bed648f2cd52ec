//! Keys of a device as bytes: blobs and their headers.

pub(crate) mod header;
pub(crate) mod key_blob;
