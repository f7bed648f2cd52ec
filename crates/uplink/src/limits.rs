//! Bounds of what is read.

/// Most bytes of a document. Those of network servers have 1 to 4 KB.
pub const MOST_BODY_BYTES: usize = 64 << 10;
/// Most bytes of a payload, which are those of a packet (`spec/packet.md`, section 6).
pub const MOST_PAYLOAD_BYTES: usize = 1600;
/// Most bytes of a table: two million radios.
pub const MOST_TABLE_BYTES: usize = 64 << 20;
