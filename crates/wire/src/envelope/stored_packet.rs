//! Packets as a server stores them, with their whole names (`spec/wire.md`, section 13).

use crate::cbor::codec::Writer;
use crate::codes::{fields, kind, VERSION};
use crate::{FrameId, KeyId};

/// Bytes of an item beside its packet, at most.
const NAME_BYTES: usize = 48;

/// A packet, and what its own bytes do not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredPacket<'a> {
    /// Key pair.
    pub key_id: KeyId,
    /// Its whole name, which its tag covers.
    pub name: FrameId,
    /// The packet as it came.
    pub packet: &'a [u8],
}

impl StoredPacket<'_> {
    /// The item.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(NAME_BYTES + self.packet.len());
        writer
            .array(fields::PACKET)
            .uint(VERSION)
            .uint(kind::PACKET)
            .bytes(&self.key_id)
            .uint(self.name.device)
            .uint(self.name.epoch.into())
            .uint(self.name.sequence)
            .bytes(self.packet);
        writer.into_bytes()
    }
}
